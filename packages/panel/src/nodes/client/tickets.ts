import { type KeyObject, randomBytes, sign } from 'node:crypto'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { getAudience, type Ticket } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'

/** The key of a panel, with which it signs tickets. */
export interface TicketKey {
  readonly kid: string
  readonly privateKey: KeyObject
}

/** The claims of a ticket. */
export interface TicketClaims {
  readonly nodeId: number
  readonly purpose: string
  /** The user; absent for the panel itself. */
  readonly userId?: number
  readonly username?: string
  readonly server?: string
  readonly permissions: Iterable<RequiredPermission | 'node'>
}

export interface TicketSigner {
  /** Returns a ticket for one request to a node. */
  sign(claims: TicketClaims): Promise<string>
  /** The id of the key that signs now. */
  keyId(): Promise<string>
}

/** Signs tickets for requests to nodes with the key of the panel. */
export function ticketSigner(keys: { readonly signing: () => Promise<TicketKey> }, now: () => number): TicketSigner {
  return {
    keyId: async () => (await keys.signing()).kid,
    sign: async (claims) => signJwt(getTicket(claims, now()), await keys.signing()),
  }
}

function getTicket({ nodeId, purpose, userId, username, server, permissions }: TicketClaims, now: number): Ticket {
  const iat = Math.floor(now / 1000)
  return {
    aud: getAudience(nodeId),
    jti: randomBytes(16).toString('base64url'),
    iat,
    exp: iat + limits.ticketLifeMs / 1000,
    sub: userId === undefined ? 'panel' : `user:${userId}`,
    ...(username === undefined ? {} : { username }),
    ...(server === undefined ? {} : { server }),
    rights: [...permissions],
    purpose,
  }
}

/** Signs a JWT. Not with `SignJWT`: its thread and promises cost more than an Ed25519 signature. */
function signJwt(claims: Ticket, { kid, privateKey }: TicketKey): string {
  const parts = [{ alg: 'EdDSA', kid }, claims]
  const content = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${content}.${sign(null, Buffer.from(content), privateKey).toString('base64url')}`
}
