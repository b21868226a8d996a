import { randomBytes } from 'node:crypto'
import { limits } from '@innkeeper/contract/limits'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { audienceOf, type Ticket } from '@innkeeper/contract/ticket'
import { SignJWT } from 'jose'
import type { SigningKeys } from './signing-keys.ts'

/** The claims of a ticket. */
export interface TicketClaims {
  readonly nodeId: number
  readonly purpose: string
  /** The user; absent for the panel itself. */
  readonly userId?: number
  readonly username?: string
  readonly server?: string
  readonly rights: Iterable<RequiredPermission | 'node'>
}

export type Tickets = (errand: TicketClaims) => Promise<string>

/** Signs a ticket for each request to a node. */
export function ticketSigner(keys: Pick<SigningKeys, 'signing'>, now: () => number): Tickets {
  return async ({ nodeId, purpose, userId, username, server, rights }) => {
    const { kid, privateKey } = await keys.signing()
    const iat = Math.floor(now() / 1000)
    const ticket: Ticket = {
      aud: audienceOf(nodeId),
      jti: randomBytes(16).toString('base64url'),
      iat,
      exp: iat + limits.ticketLifeMs / 1000,
      sub: userId === undefined ? 'panel' : `user:${userId}`,
      ...(username === undefined ? {} : { username }),
      ...(server === undefined ? {} : { server }),
      rights: [...rights],
      purpose,
    }
    return await new SignJWT({ ...ticket }).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
  }
}
