import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { WebSocket } from 'ws'
import { Semaphore } from '../../concurrency/semaphore.ts'

/** Concurrent file responses over live sockets that wait for slow viewers, one per user. */
const maxConcurrentResponses = 8
const queueTimeoutMs = 5_000

interface Options {
  /** Maximum number of responses in memory, over all viewers. */
  readonly atOnce?: number
  /** How long a response waits before it is refused. */
  readonly waitMs?: number
}

/**
 * Bounds the memory of large responses on live sockets: a total per node, and one per user. A viewer that does not read
 * only blocks its own user.
 */
export class LiveResponseLimiter {
  readonly #semaphore: Semaphore
  readonly #waitMs: number

  constructor({ atOnce = maxConcurrentResponses, waitMs = queueTimeoutMs }: Options = {}) {
    this.#semaphore = new Semaphore(atOnce, { perKey: 1 })
    this.#waitMs = waitMs
  }

  /** Waits for a slot, which is released on disposal. Throws ErrTooManyRequests after the wait. */
  async acquire(userId: number | undefined): Promise<Disposable> {
    const acquiring = this.#semaphore.acquire({ key: String(userId), signal: AbortSignal.timeout(this.#waitMs) })
    return await acquiring.catch((cause: unknown) => {
      throw new Refusal('ErrTooManyRequests', {}, { cause })
    })
  }
}

/**
 * Resolves when a viewer has read what was sent, or is gone: it answers a ping after all earlier frames. That a frame
 * was sent is not sufficient, because the panel in between may buffer it.
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
