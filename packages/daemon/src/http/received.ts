import type { IncomingMessage } from 'node:http'
import { Refusal } from '@innkeeper/contract/refusals'
import { boundaryIn, fileInForm } from './form.ts'

/** So little waits on its way to the disk that the processor still has it at hand when it is written. */
const heldBytes = 128 * 1024

/**
 * The body of a request, apart from its connection: to leave it early must not close that, because the answer still goes
 * that way. Ends with the signal.
 *
 * A part is good until the next one is asked for. Then its memory is free at once: V8 hardly sees it, because it is
 * outside of its heap, and would let tens of MiB of it grow and then look through all of its own again and again.
 */
export class RequestBody implements AsyncIterableIterator<Buffer> {
  readonly #request: IncomingMessage
  readonly #signal: AbortSignal
  readonly #parts: Buffer[] = []
  #held = 0
  #given: Buffer | undefined
  #waiting: PromiseWithResolvers<IteratorResult<Buffer>> | undefined
  #state: 'open' | 'ended' | 'left' | 'broken' = 'open'

  constructor(request: IncomingMessage, signal: AbortSignal) {
    this.#request = request
    this.#signal = signal
    request.on('data', this.#take).once('end', this.#end).once('error', this.#break).once('close', this.#break)
    signal.addEventListener('abort', this.#break)
    if (signal.aborted) this.#break()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Buffer>> {
    free(this.#given)
    this.#given = this.#parts.shift()
    if (this.#given) {
      this.#held -= this.#given.length
      if (this.#request.isPaused() && this.#held < heldBytes) this.#request.resume()
      return Promise.resolve({ done: false, value: this.#given })
    }
    if (this.#state === 'broken') return Promise.reject(new Refusal('ErrCancelled'))
    if (this.#state !== 'open') return Promise.resolve({ done: true, value: undefined })
    this.#waiting = Promise.withResolvers()
    return this.#waiting.promise
  }

  /** Leaves the rest of it, which goes nowhere. */
  async return(): Promise<IteratorResult<Buffer>> {
    this.#leave('left')
    this.#waiting?.resolve({ done: true, value: undefined })
    return { done: true, value: undefined }
  }

  readonly #take = (part: Buffer) => {
    if (this.#waiting) {
      this.#given = part
      this.#waiting.resolve({ done: false, value: part })
      this.#waiting = undefined
      return
    }
    this.#parts.push(part)
    this.#held += part.length
    if (this.#held >= heldBytes) this.#request.pause()
  }

  readonly #end = () => {
    this.#let('ended')
    this.#waiting?.resolve({ done: true, value: undefined })
  }

  readonly #break = () => {
    this.#leave('broken')
    this.#waiting?.reject(new Refusal('ErrCancelled'))
  }

  #leave(state: 'left' | 'broken'): void {
    if (this.#state === 'open') this.#let(state)
    this.#parts.length = 0
    this.#request.resume()
  }

  #let(state: 'ended' | 'left' | 'broken'): void {
    this.#state = state
    this.#request
      .off('data', this.#take)
      .off('end', this.#end)
      .off('error', this.#break)
      .off('close', this.#break)
      .on('error', () => {})
    this.#signal.removeEventListener('abort', this.#break)
  }
}

/** The bytes that a request brings: its body, or the file in its form. */
export function receivedFile(request: IncomingMessage, signal: AbortSignal): AsyncIterable<Buffer> {
  const type = request.headers['content-type'] ?? ''
  const boundary = /^multipart\//i.test(type) ? boundaryIn(type) : undefined
  const body = new RequestBody(request, signal)
  return boundary === undefined ? body : fileInForm(body, boundary)
}

/** Lets go of memory that is all its own; what shares it with something else stays. */
function free(part: Buffer | undefined): void {
  if (part?.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength) part.buffer.transfer(0)
}
