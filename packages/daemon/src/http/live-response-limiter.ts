import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { WebSocket } from 'ws'
import { FairSemaphore } from '../tasks/fair-semaphore.ts'

interface Options {
  /** Answers of all viewers that are in memory at the same time. */
  readonly atOnce?: number
  /** How long an answer waits for its turn before it is refused. */
  readonly waitMs?: number
}

/**
 * Bounds the memory of long answers over live sockets: so many at the same time on the node, and one of each person. A
 * viewer that does not read takes the place of its own person only.
 */
export class LiveResponseLimiter {
  readonly #semaphore: FairSemaphore
  readonly #waitMs: number

  constructor({ atOnce = limits.liveResponsesAtOnce, waitMs = limits.liveResponseWaitMs }: Options = {}) {
    this.#semaphore = new FairSemaphore(atOnce, 1)
    this.#waitMs = waitMs
  }

  /** Waits for the turn of an answer, which ends when the result is disposed of. ErrTooManyRequests after the wait. */
  async acquire(person: number | undefined): Promise<Disposable> {
    try {
      return await this.#semaphore.acquire(String(person), AbortSignal.timeout(this.#waitMs))
    } catch (cause) {
      throw new Refusal('ErrTooManyRequests', {}, { cause })
    }
  }
}

/**
 * Resolves when a viewer has read what was sent, or is gone: it answers a ping after all frames before it. That a frame
 * has left this process says little, the panel between may hold it.
 */
export async function untilRead(socket: WebSocket, payload: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const onPong = (data: Buffer) => {
    if (data.toString() === payload) resolve()
  }
  socket.on('pong', onPong)
  socket.once('close', resolve)
  socket.ping(payload)
  await promise
  socket.off('pong', onPong)
  socket.off('close', resolve)
}
