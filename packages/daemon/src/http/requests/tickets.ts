import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { ReplayCache } from '@innkeeper/contract/jobs/replay-cache'
import { parseSessionTicket, type UnverifiedSessionTicket } from '@innkeeper/contract/node-link/session'
import {
  getAudience,
  hasPermission,
  type SessionTicket,
  Ticket,
  type TicketPermissions,
} from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { type JWTHeaderParameters, jwtVerify } from 'jose'
import type { PanelKeys } from '../../panel-link/panel-keys.ts'
import type { PanelSessions } from '../../panel-link/panel-sessions.ts'

/** The authenticated caller of a request. */
export interface Principal {
  readonly permissions: TicketPermissions
  /** The subject of the ticket, for the log. */
  readonly sub: string
  /** The username, for the console. */
  readonly username: string | undefined
  /** Whether the ticket was signed with a key of the panel, not with that of a session. */
  readonly isSigned: boolean
}

/** The required purpose of a ticket, and its permission on a server or `node`. */
export interface TicketRequirement {
  readonly purpose: string
  readonly server?: string
  readonly permission: Ticket['rights'][number]
}

export interface TicketVerifier {
  /** Throws ErrTokenInvalid for an invalid ticket (unauthorized), ErrMissingScope without the permission. */
  verify(authorization: string | undefined, requirement: TicketRequirement): Promise<Principal>
}

interface Deps {
  readonly nodeId: number
  /** The signing keys of the panel. */
  readonly keys: Pick<PanelKeys, 'find'>
  readonly sessions: Pick<PanelSessions, 'find'>
}

/**
 * Verifies tickets that the panel has signed with its key, or with that of a session: for this node, one request, one
 * use, and a short time.
 */
export function ticketVerifier({ nodeId, keys, sessions }: Deps): TicketVerifier {
  const seen = new ReplayCache()

  return {
    async verify(authorization, requirement) {
      const inSession = parseSessionTicket(authorization)
      const { ticket, use } = inSession ? readInSession(inSession) : await readSigned(authorization)
      const isPanel = requirement.permission === 'node'
      if (ticket.purpose !== requirement.purpose) throw new Refusal('ErrTokenInvalid')
      if (isPanel ? ticket.server !== undefined : ticket.server !== requirement.server)
        throw new Refusal('ErrTokenInvalid')
      // Last of all checks: an invalid ticket must not use up the valid one.
      if (!use()) throw new Refusal('ErrTokenInvalid')
      const permissions = new Set(ticket.rights)
      if (!hasPermission(permissions, requirement.permission))
        throw new Refusal('ErrMissingScope', { scope: getScope(requirement.permission) })
      return { permissions, sub: ticket.sub, username: ticket.username, isSigned: inSession === undefined }
    },
  }

  function readInSession({ id, text, mac, read }: UnverifiedSessionTicket): VerifiedTicket {
    const session = sessions.find(id)
    if (!session?.verify(text, mac)) throw new Refusal('ErrTokenInvalid')
    const ticket = tryRead(read)
    const age = Date.now() - ticket.iat * 1000
    if (age > limits.ticketLifeMs + limits.clockSkewMs || age < -limits.clockSkewMs - 1000)
      throw new Refusal('ErrTokenInvalid')
    return { ticket, use: () => session.useNumber(ticket.number) }
  }

  async function readKey({ kid }: JWTHeaderParameters) {
    const key = await keys.find(kid)
    if (!key) throw new Refusal('ErrTokenInvalid')
    return key
  }

  async function readSigned(authorization: string | undefined): Promise<VerifiedTicket> {
    const token = /^Bearer ([\w.-]+)$/i.exec(authorization ?? '')?.[1]
    if (token === undefined) throw new Refusal('ErrTokenInvalid')
    const ticket = await verifySignature(token).catch((cause: unknown) => {
      throw new Refusal('ErrTokenInvalid', {}, { cause })
    })
    if (ticket.exp - ticket.iat > limits.ticketLifeMs / 1000) throw new Refusal('ErrTokenInvalid')
    return { ticket, use: () => seen.add(ticket.jti) }
  }

  async function verifySignature(token: string): Promise<Ticket> {
    const { payload } = await jwtVerify(token, readKey, {
      algorithms: ['EdDSA', 'Ed25519'],
      audience: getAudience(nodeId),
      maxTokenAge: limits.ticketLifeMs / 1000,
      clockTolerance: limits.clockSkewMs / 1000,
    })
    return Ticket.parse(payload)
  }
}

function tryRead<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new Refusal('ErrTokenInvalid', {}, { cause })
  }
}

interface VerifiedTicket {
  readonly ticket: Ticket | SessionTicket
  /** Returns false for a ticket that was used before. */
  readonly use: () => boolean
}

const getScope = (permission: Ticket['rights'][number]): string =>
  permission === 'node' ? 'node' : scopeOfPermission[permission]
