import { parentPort } from 'node:worker_threads'
import { Refusal } from '@innkeeper/contract/refusals'
import { RootFs } from '../../files/root.ts'
import { Progress } from '../../files/tree/progress.ts'
import { serializeError } from '../../workers/serialized-error.ts'
import { lowerPriority } from '../../workers/thread-priority.ts'
import { blockBytes } from './block-memory.ts'
import { pack } from './packing.ts'
import { type PackingMessage, type PackingRequest, slots } from './packing-thread.ts'

/** Interval of progress messages and of flushing partial output. */
const reportEveryMs = 250

interface Packing {
  readonly output: SharedOutput
  readonly cancelling: AbortController
}

const packings = new Map<number, Packing>()

// The worker deflates as well: copied input is released immediately, which is not possible for shared memory.
Buffer.poolSize = 0
lowerPriority()
parentPort?.on('message', (request: PackingRequest) => {
  if (request.is === 'pack') void begin(request)
  else if (request.is === 'taken') packings.get(request.id)?.output.release(request.slot)
  else packings.get(request.id)?.cancelling.abort(new Refusal('ErrCancelled'))
})

function send(what: PackingMessage): void {
  parentPort?.postMessage(what)
}

async function begin({
  id,
  directory,
  paths,
  kind,
  isCounted,
  memory,
}: PackingRequest & { is: 'pack' }): Promise<void> {
  const cancelling = new AbortController()
  const { signal } = cancelling
  const output = new SharedOutput(memory, (slot, length) => send({ is: 'bytes', id, slot, length }))
  packings.set(id, { output, cancelling })
  const progress = new Progress()
  const reporting = setInterval(() => {
    output.flush()
    send({ is: 'progress', id, progress })
  }, reportEveryMs)
  let end: PackingMessage = { is: 'end', id }
  try {
    await using files = await RootFs.open(directory)
    await pack({ files, paths, kind, isCounted, progress, signal, write: (chunk) => output.write(chunk) })
    output.flush()
  } catch (error) {
    end = { ...end, error: serializeError(error) }
  }
  clearInterval(reporting)
  packings.delete(id)
  send({ is: 'progress', id, progress })
  send(end)
}

/** Collects bytes in shared memory, one block at a time, and waits while no block is free. */
class SharedOutput {
  readonly #memory: SharedArrayBuffer
  readonly #send: (slot: number, length: number) => void
  readonly #free = Array.from({ length: slots }, (_, slot) => slot)
  #filling: number | undefined
  #filled = 0
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(memory: SharedArrayBuffer, send: (slot: number, length: number) => void) {
    this.#memory = memory
    this.#send = send
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= await this.#acquireSlot()
      const part = bytes.subarray(at, at + blockBytes - this.#filled)
      new Uint8Array(this.#memory, this.#filling * blockBytes + this.#filled, part.length).set(part)
      at += part.length
      this.#filled += part.length
      if (this.#filled === blockBytes) this.flush()
    }
  }

  flush(): void {
    if (this.#filling === undefined) return
    this.#send(this.#filling, this.#filled)
    this.#filling = undefined
    this.#filled = 0
  }

  release(slot: number): void {
    this.#free.push(slot)
    this.#waiting?.resolve()
  }

  async #acquireSlot(): Promise<number> {
    for (;;) {
      const slot = this.#free.pop()
      if (slot !== undefined) return slot
      this.#waiting = Promise.withResolvers()
      await this.#waiting.promise
    }
  }
}
