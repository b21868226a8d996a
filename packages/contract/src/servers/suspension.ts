import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { limits } from '../text/limits.ts'
import { ServerId } from '../text/server-id.ts'

/**
 * A suspended server is stopped and cannot be started. Its users may only see it, and download backups; see
 * `permissionsWhileSuspended`.
 */
export const Suspension = z.object({
  /** For the users of the server. */
  reason: z.string(),
  /** ISO 8601. */
  since: z.string(),
  /** When it ends by itself, ISO 8601. */
  until: z.optional(z.string()),
})
export type Suspension = z.infer<typeof Suspension>

/** The suspension of a server; null for none. */
export const ServerSuspension = z.object({ server: ServerId, suspension: z.nullable(Suspension) })
export type ServerSuspension = z.infer<typeof ServerSuspension>

/** Whether it has not ended by itself. */
export function isInEffect({ until }: Pick<Suspension, 'until'>, now: number): boolean {
  return until === undefined || Date.parse(until) > now
}

const Until = z.iso.datetime({ offset: true })

/**
 * Suspends a server, or changes the reason and the end of its suspension. The server is stopped as with Stop, and killed
 * when it does not stop in its time. Connections of its users end within 5 seconds.
 */
export const suspendServer = endpoint('PUT', '/api/servers/:id/suspension', {
  access: { scope: 'servers.edit.admin' },
  audit: 'server.suspend',
  params: OnServer,
  body: z.strictObject({
    /** For the users of the server. */
    reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(limits.suspensionReasonMax)),
    /** When it ends by itself, ISO 8601; without it, it does not. */
    until: z.optional(Until),
  }),
  response: z.object({
    suspension: Suspension,
    /** False while the node of the server does not respond. It stops the server when it is back. */
    isOnNode: z.boolean(),
  }),
})

/** Ends the suspension of a server. The server stays off until it is started. */
export const endSuspension = endpoint('DELETE', '/api/servers/:id/suspension', {
  access: { scope: 'servers.edit.admin' },
  audit: 'server.unsuspend',
  params: OnServer,
})
