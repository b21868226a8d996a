import { parentPort } from 'node:worker_threads'
import { Refusal } from '@innkeeper/contract/refusals'
import { RootFs } from '../../files/root.ts'
import { Progress } from '../../files/tree/progress.ts'
import { problemOf } from '../../workers/problem.ts'
import { stepBack } from '../../workers/step-back.ts'
import { blockBytes } from './block-memory.ts'
import { pack } from './packing.ts'
import { type FromPacking, places, type ToPacking } from './packing-thread.ts'

/** So often it is told how far it is, and what is there of the archive goes out even if it is little. */
const tellEveryMs = 250

interface Packing {
  readonly outlet: Outlet
  readonly cancelling: AbortController
}

const packings = new Map<number, Packing>()

// It deflates as well: what is copied for that is let go of at once, which memory that many share cannot be.
Buffer.poolSize = 0
stepBack()
parentPort?.on('message', (told: ToPacking) => {
  if (told.is === 'pack') void begin(told)
  else if (told.is === 'taken') packings.get(told.id)?.outlet.release(told.place)
  else packings.get(told.id)?.cancelling.abort(new Refusal('ErrCancelled'))
})

function say(what: FromPacking): void {
  parentPort?.postMessage(what)
}

async function begin({ id, directory, paths, kind, isCounted, memory }: ToPacking & { is: 'pack' }): Promise<void> {
  const cancelling = new AbortController()
  const { signal } = cancelling
  const outlet = new Outlet(memory, (place, length) => say({ is: 'bytes', id, place, length }))
  packings.set(id, { outlet, cancelling })
  const progress = new Progress()
  const telling = setInterval(() => {
    outlet.flush()
    say({ is: 'progress', id, progress })
  }, tellEveryMs)
  let end: FromPacking = { is: 'end', id }
  try {
    await using files = await RootFs.open(directory)
    await pack({ files, paths, kind, isCounted, progress, signal, write: (chunk) => outlet.write(chunk) })
    outlet.flush()
  } catch (error) {
    end = { ...end, problem: problemOf(error) }
  }
  clearInterval(telling)
  packings.delete(id)
  say({ is: 'progress', id, progress })
  say(end)
}

/** Gathers bytes in shared memory, a block of it at a time, and waits while none of it is free. */
class Outlet {
  readonly #memory: SharedArrayBuffer
  readonly #send: (place: number, length: number) => void
  readonly #free = Array.from({ length: places }, (_, place) => place)
  #filling: number | undefined
  #filled = 0
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(memory: SharedArrayBuffer, send: (place: number, length: number) => void) {
    this.#memory = memory
    this.#send = send
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= await this.#place()
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

  release(place: number): void {
    this.#free.push(place)
    this.#waiting?.resolve()
  }

  async #place(): Promise<number> {
    for (;;) {
      const place = this.#free.pop()
      if (place !== undefined) return place
      this.#waiting = Promise.withResolvers()
      await this.#waiting.promise
    }
  }
}
