import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { NumberWindow } from '@innkeeper/contract/jobs/number-window'
import type { NodeSession } from '@innkeeper/contract/node-link/session'
import { limits } from '@innkeeper/contract/text/limits'
import type { PanelKeys } from './panel-keys.ts'

/** Several panels, of which each has opened some again; the oldest end. */
const maxSessions = 200

/**
 * The sessions of panels with this node, in memory. They end after their time, and when the panel has other signing
 * keys.
 */
export class PanelSessions {
  readonly #keys: Pick<PanelKeys, 'generation'>
  readonly #sessions = new Map<string, PanelSession>()

  constructor(keys: Pick<PanelKeys, 'generation'>) {
    this.#keys = keys
  }

  /** The caller has verified a ticket that the panel has signed with its key. */
  open(): NodeSession {
    for (const id of this.#sessions.keys()) this.find(id)
    const oldest = this.#sessions.keys().next().value
    if (this.#sessions.size >= maxSessions && oldest !== undefined) this.#sessions.delete(oldest)
    const [id, key] = [randomBytes(12).toString('base64url'), randomBytes(32)]
    const endsAt = performance.now() + limits.nodeSessionMs
    this.#sessions.set(id, new PanelSession({ key, endsAt, generation: this.#keys.generation }))
    return { id, key: key.toString('base64url'), lifeMs: limits.nodeSessionMs }
  }

  find(id: string): PanelSession | undefined {
    const session = this.#sessions.get(id)
    if (!session) return undefined
    if (performance.now() < session.endsAt && session.generation === this.#keys.generation) return session
    this.#sessions.delete(id)
    return undefined
  }
}

interface Options {
  readonly key: Buffer
  /** By `performance.now()`. */
  readonly endsAt: number
  /** That of the signing keys of the panel when it was opened. */
  readonly generation: number
}

class PanelSession {
  readonly endsAt: number
  readonly generation: number
  readonly #key: Buffer
  readonly #numbers = new NumberWindow()

  constructor({ key, endsAt, generation }: Options) {
    this.#key = key
    this.endsAt = endsAt
    this.generation = generation
  }

  /** Whether `mac` is the HMAC-SHA-256 of the text, base64url. */
  verify(text: string, mac: string): boolean {
    const [expected, actual] = [createHmac('sha256', this.#key).update(text).digest(), Buffer.from(mac, 'base64url')]
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  }

  /** Returns false for a number that was used before. */
  useNumber(number: number): boolean {
    return this.#numbers.add(number)
  }
}
