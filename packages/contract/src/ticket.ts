import { z } from 'zod'
import { limits } from './limits.ts'
import { ServerId } from './names.ts'
import { serverRights } from './permissions.ts'

/**
 * What the panel signs for one request to a node: a JWT (EdDSA, Ed25519) with `aud` = `node:<id>`, a random `jti` that
 * the node accepts once, and at most 60 s to live.
 */
export const Ticket = z.object({
  aud: z.string(),
  jti: z.string().min(16),
  exp: z.number(),
  iat: z.number(),
  /** Who acts, for the log: `user:<id>`, or `panel` for the panel's own calls. */
  sub: z.string(),
  /** The name of that user at the time, for the console; absent on the panel's own calls and from older panels. */
  username: z.string().max(255).optional(),
  /** The server it is good for; absent on the panel's own calls. */
  server: ServerId.optional(),
  /** The rights on that server, or `node` for the panel's own calls. */
  rights: z.array(z.enum([...serverRights, 'node'])),
  /** `METHOD /path` of the request, or `socket`: a ticket for one purpose is no good for another. */
  purpose: z.string().max(limits.urlBytes),
})
export type Ticket = z.infer<typeof Ticket>

/** What the panel signs about its keys, for all nodes: a JWT that names every key it may sign with. */
export const KeyStatement = z.object({
  aud: z.string(),
  iat: z.number(),
  exp: z.number(),
  keys: z
    .array(z.object({ kid: z.string().max(50), x: z.string().regex(/^[\w-]{43}$/) }))
    .min(1)
    .max(20),
})
export type KeyStatement = z.infer<typeof KeyStatement>

export const statementAudience = 'keys'

/** The rights that somebody proved. */
export type Rights = ReadonlySet<Ticket['rights'][number]>

/** Whether the rights hold one; an administrator's hold all on a server, and any of them lets see it. */
export function holds(rights: Rights, wanted: Ticket['rights'][number]): boolean {
  if (rights.has(wanted)) return true
  if (wanted === 'node' || rights.has('node')) return false
  return rights.has('admin') || (wanted === 'viewServer' && rights.size > 0)
}

/** The audience of tickets for a node. */
export const audienceOf = (nodeId: number): string => `node:${nodeId}`

/** The purpose of a ticket for one HTTP request. */
export const purposeOf = (method: string, path: string): string => `${method} ${path.split('?')[0]}`

export const socketPurpose = 'socket'

/**
 * What a node signs with its own key for one request to the panel: a JWT like a ticket, in the other direction. `iss` is
 * `node:<id>`.
 */
export const NodeToken = z.object({
  iss: z.string().regex(/^node:\d{1,9}$/),
  aud: z.string(),
  jti: z.string().min(16).max(64),
  exp: z.number(),
  iat: z.number(),
  purpose: z.string().max(200),
})
export type NodeToken = z.infer<typeof NodeToken>

/** The audience of what nodes sign. */
export const panelAudience = 'panel'
