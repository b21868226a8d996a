import { limits } from '@innkeeper/contract/limits'
import { scopeOfPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { ReplayCache } from '@innkeeper/contract/replay-cache'
import { audienceOf, hasPermission, Ticket, type TicketPermissions } from '@innkeeper/contract/ticket'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import type { PanelKeys } from '../panel-link/panel-keys.ts'

/** What a caller proved. */
export interface Principal {
  readonly rights: TicketPermissions
  /** Who acts, for the log. */
  readonly sub: string
  /** What that person is called, for the console. */
  readonly username: string | undefined
}

/** What a ticket must be good for: its purpose, and a right on one server or the panel's own business. */
export interface TicketRequirement {
  readonly purpose: string
  readonly server?: string
  readonly right: Ticket['rights'][number]
}

export interface TicketVerifier {
  /**
   * Throws ErrTokenInvalid for a ticket that is not for this request (the caller is nobody), ErrMissingScope for one
   * without the right.
   */
  verify(authorization: string | undefined, wanted: TicketRequirement): Promise<Principal>
}

interface Deps {
  readonly nodeId: number
  /** The keys with which the panel may have signed. */
  readonly keys: Pick<PanelKeys, 'find'>
}

/** Believes what the panel signed: for this node, for one request, once, and not for long. */
export function ticketVerifier({ nodeId, keys }: Deps): TicketVerifier {
  const seen = new ReplayCache()

  return {
    async verify(authorization, wanted) {
      const ticket = await read(authorization)
      const isPanel = wanted.right === 'node'
      if (ticket.purpose !== wanted.purpose) throw new Refusal('ErrTokenInvalid')
      if (isPanel ? ticket.server !== undefined : ticket.server !== wanted.server) throw new Refusal('ErrTokenInvalid')
      // Only when all else is right: a foreign ticket must not use up the real one.
      if (!seen.add(ticket.jti)) throw new Refusal('ErrTokenInvalid')
      const rights = new Set(ticket.rights)
      if (!hasPermission(rights, wanted.right)) throw new Refusal('ErrMissingScope', { scope: scopeOf(wanted.right) })
      return { rights, sub: ticket.sub, username: ticket.username }
    },
  }

  async function read(authorization: string | undefined): Promise<Ticket> {
    const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new Refusal('ErrTokenInvalid')
    try {
      const key = await keys.find(decodeProtectedHeader(token).kid)
      if (!key) throw new Refusal('ErrTokenInvalid')
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['EdDSA', 'Ed25519'],
        audience: audienceOf(nodeId),
        maxTokenAge: limits.ticketLifeMs / 1000,
        clockTolerance: limits.clockSkewMs / 1000,
      })
      const ticket = Ticket.parse(payload)
      if (ticket.exp - ticket.iat > limits.ticketLifeMs / 1000) throw new Refusal('ErrTokenInvalid')
      return ticket
    } catch (cause) {
      throw new Refusal('ErrTokenInvalid', {}, { cause })
    }
  }
}

const scopeOf = (right: Ticket['rights'][number]): string => (right === 'node' ? 'node' : scopeOfPermission[right])
