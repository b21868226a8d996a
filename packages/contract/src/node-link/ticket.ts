import { z } from 'zod/mini'
import { knownItems } from '../api/known-items.ts'
import { requiredPermissions } from '../api/permissions.ts'
import { limits } from '../text/limits.ts'
import { ServerId } from '../text/server-id.ts'

/** The longest path with every byte escaped, plus the rest of the URL. */
const maxUrlBytes = 3 * limits.pathBytes + 2_048

/**
 * The panel's ticket for one request to a node: a JWT (EdDSA, Ed25519) with `aud` = `node:<id>`, a random `jti` that
 * the node accepts once, and a lifetime of at most 60 s.
 */
export const Ticket = z.object({
  aud: z.string(),
  jti: z.string().check(z.minLength(16)),
  exp: z.number(),
  iat: z.number(),
  /** The actor, for the log: `user:<id>`, or `panel` for the panel's own requests. */
  sub: z.string(),
  /** Name of that user at the time, for the console; absent on the panel's own requests and from older panels. */
  username: z.optional(z.string().check(z.maxLength(255))),
  /** The server it is valid for; absent on the panel's own requests. */
  server: z.optional(ServerId),
  /** Permissions on that server, or `node` for the panel's own requests. */
  rights: knownItems(z.enum([...requiredPermissions, 'node'])),
  /** `METHOD /path` of the request, `socket`, `output`, `states` or `sftp`: a ticket is valid for one purpose only. */
  purpose: z.string().check(z.maxLength(maxUrlBytes)),
})
export type Ticket = z.infer<typeof Ticket>

/**
 * The ticket of a request within a session of the panel with the node: the claims of a ticket, and a number that the
 * node accepts once. Its key says for which node it is.
 */
export const SessionTicket = z.extend(z.omit(Ticket, { aud: true, jti: true, exp: true }), {
  number: z.int().check(z.minimum(1)),
})
export type SessionTicket = z.infer<typeof SessionTicket>

/** The panel's signed key set for all nodes: a JWT that lists every key it may sign with. */
export const SignedKeySet = z.object({
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  keys: knownItems(
    z.object({ kid: z.string().check(z.maxLength(50)), x: z.string().check(z.regex(/^[\w-]{43}$/)) }),
    20,
  ).check(z.minLength(1)),
})
export type SignedKeySet = z.infer<typeof SignedKeySet>

export const keySetAudience = 'keys'

/** Proven permissions. */
export type TicketPermissions = ReadonlySet<Ticket['rights'][number]>

/** Whether permissions include one; an administrator has all on a server, and any permission includes viewing. */
export function hasPermission(permissions: TicketPermissions, permission: Ticket['rights'][number]): boolean {
  if (permissions.has(permission)) return true
  if (permission === 'node' || permissions.has('node')) return false
  return permissions.has('admin') || (permission === 'viewServer' && permissions.size > 0)
}

/** The `aud` of tickets for a node. */
export const getAudience = (nodeId: number): string => `node:${nodeId}`

/** The `purpose` of a ticket for one HTTP request. */
export const requestPurpose = (method: string, path: string): string => `${method} ${path.split('?')[0]}`

/** The live socket of a viewer. */
export const socketPurpose = 'socket'

/** The socket of a panel for the console output of a server: see `shared-output.ts`. */
export const outputPurpose = 'output'

/** The socket of a panel for the states of all servers: see `server-states.ts`. */
export const statesPurpose = 'states'

/** An SFTP session of a user who has logged in to the panel: see `sftp.ts`. */
export const sftpPurpose = 'sftp'

/** A node's token for one request to the panel: a JWT signed with the node's key. `iss` is `node:<id>`. */
export const NodeToken = z.object({
  iss: z.string().check(z.regex(/^node:\d{1,9}$/)),
  aud: z.string(),
  jti: z.string().check(z.minLength(16), z.maxLength(64)),
  exp: z.number(),
  iat: z.number(),
  purpose: z.string().check(z.maxLength(200)),
})
export type NodeToken = z.infer<typeof NodeToken>

/** The `aud` of tokens for the panel. */
export const panelAudience = 'panel'
