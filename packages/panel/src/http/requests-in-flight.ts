import type { ServerResponse } from 'node:http'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { getConsole } from '@innkeeper/contract/servers/node-servers'

/** Concurrent requests of one user. */
export const maxRequestsPerUser = 100
/** Concurrent requests of one user with responses of megabytes. */
export const maxLargeResponsesPerUser = 8

interface Options {
  readonly perUser?: number
  readonly largePerUser?: number
}

/** Endpoints with large responses, which the node holds in memory until they are read. */
const largeResponses: readonly unknown[] = [getConsole, getDefinition]

/**
 * Limits the concurrent requests of each user on this panel. A response that its client does not read counts until the
 * connection closes.
 */
export class RequestsInFlight {
  readonly #perUser: number
  readonly #largePerUser: number
  readonly #counts = new Map<string, number>()

  constructor({ perUser = maxRequestsPerUser, largePerUser = maxLargeResponsesPerUser }: Options = {}) {
    this.#perUser = perUser
    this.#largePerUser = largePerUser
  }

  /** Counts a request until its response is closed. Throws ErrTooManyRequests. */
  begin(userId: number, response: ServerResponse, call?: unknown): void {
    this.#count(`${userId}`, this.#perUser, response)
    if (largeResponses.includes(call)) this.#count(`${userId} large`, this.#largePerUser, response)
  }

  #count(key: string, most: number, response: ServerResponse): void {
    const count = this.#counts.get(key) ?? 0
    if (count >= most) throw new Refusal('ErrTooManyRequests', { retryAfter: 1 })
    this.#counts.set(key, count + 1)
    response.once('close', () => {
      const remaining = (this.#counts.get(key) ?? 1) - 1
      if (remaining === 0) this.#counts.delete(key)
      else this.#counts.set(key, remaining)
    })
  }
}
