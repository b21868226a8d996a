import { createHmac } from 'node:crypto'
import { formatSessionTicket, type NodeSession } from '@innkeeper/contract/node-link/session'
import { limits } from '@innkeeper/contract/text/limits'
import type { TicketClaims } from './tickets.ts'

/** After a node could not open a session, because it is older or away. */
const retryMs = 10_000
/** Between two sessions, so that a node that rejects them all is not asked with each request. */
const intervalMs = 500
/** A session is replaced this long before it ends. */
const renewalMs = limits.ticketLifeMs

interface Deps {
  /** Opens a session with a signed ticket. */
  readonly open: () => Promise<NodeSession>
  /** The key that this panel signs with now. */
  readonly signingKeyId: () => Promise<string>
}

interface OpenSession {
  readonly id: string
  readonly key: Buffer
  readonly signingKeyId: string
  /** By `performance.now()`. */
  readonly replacedAt: number
  lastNumber: number
}

/**
 * The session of this panel with a node: an HMAC for each request costs a tenth of a signature. While there is none, such
 * as with an older node, requests have signed tickets.
 */
export class ClientSession {
  readonly #deps: Deps
  #session: OpenSession | undefined
  #opening: Promise<void> | undefined
  #retryAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The header `Authorization` of a request; `undefined` while there is no session. */
  async authorize({ userId, username, server, permissions, purpose }: Omit<TicketClaims, 'nodeId'>) {
    const session = await this.#find()
    if (!session) return undefined
    const sub = userId === undefined ? 'panel' : `user:${userId}`
    const [iat, number] = [Math.floor(Date.now() / 1000), ++session.lastNumber]
    const ticket = { iat, number, sub, username, server, rights: [...permissions], purpose }
    const authorization = formatSessionTicket(session.id, ticket, (text) =>
      createHmac('sha256', session.key).update(text).digest('base64url'),
    )
    return {
      authorization,
      /** The node has rejected the ticket: it has restarted, or trusts other keys. */
      end: () => {
        if (this.#session === session) this.#session = undefined
      },
    }
  }

  async #find(): Promise<OpenSession | undefined> {
    const signingKeyId = await this.#deps.signingKeyId()
    if (this.#session && this.#session.signingKeyId !== signingKeyId) this.#session = undefined
    const now = performance.now()
    if ((!this.#session || now >= this.#session.replacedAt) && now >= this.#retryAt) {
      this.#opening ??= this.#open(signingKeyId).finally(() => {
        this.#opening = undefined
      })
    }
    return this.#session
  }

  async #open(signingKeyId: string): Promise<void> {
    const openedAt = performance.now()
    this.#retryAt = openedAt + intervalMs
    try {
      const { id, key, lifeMs } = await this.#deps.open()
      const replacedAt = openedAt + Math.max(lifeMs - renewalMs, retryMs)
      this.#session = { id, key: Buffer.from(key, 'base64url'), signingKeyId, replacedAt, lastNumber: 0 }
    } catch {
      // Requests have signed tickets as before, and report what is wrong with the node.
      this.#retryAt = openedAt + retryMs
    }
  }
}
