import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'

/** Servers that change their node: the same ID, users, tasks and history, elsewhere. */

/** Moves that a node takes part in at a time; others wait. */
export const maxMovesAtOnce = 2

/**
 * What a move is doing: `waiting` for other moves of its nodes, `copying` while the server runs, `stopping` the server,
 * `changes` copies what has changed since and compares everything, `starting` on the new node. Then it is `done`, and can go back as
 * long as `backUntil` says. `goingBack` copies the changes of the new node back and starts the server on its former node, which
 * ends with `back`. A move that was `cancelled` or has `failed` has left the server on its node.
 */
export const moveStates = [
  'waiting',
  'copying',
  'stopping',
  'changes',
  'starting',
  'done',
  'goingBack',
  'back',
  'failed',
  'cancelled',
] as const

export const Place = z.object({ id: z.number(), name: z.string() })

/** A value of a port variable on both nodes, or of the listen address. */
export const MovedValue = z.object({ name: z.string(), from: z.string(), to: z.string() })
export type MovedValue = z.infer<typeof MovedValue>

export const Move = z.object({
  state: z.enum(moveStates),
  from: Place,
  to: Place,
  /** ISO 8601. */
  startedAt: z.string(),
  /** Progress of the copy; missing while it is unknown. */
  bytes: z.optional(z.number()),
  totalBytes: z.optional(z.number()),
  /** How long the server did not run, from its stop to its start on the other node. */
  stoppedMs: z.optional(z.number()),
  /** Until when the former node keeps the files. ISO 8601. */
  backUntil: z.optional(z.string()),
  /** Why it failed, or why the server is not ready on its new node. */
  error: z.optional(ReportedError),
})
export type Move = z.infer<typeof Move>

/** What a move to a node would change. */
export const MovePlan = z.object({
  /** Values that change: ports that are not free on the other node, and its address. */
  values: z.array(MovedValue),
  /** Backups on all targets, which are deleted with the old copy. */
  backups: z.number(),
  /** Whether the server runs, so that it is stopped and started again. */
  running: z.boolean(),
  /** Why it is not possible. */
  error: z.optional(ReportedError),
})
export type MovePlan = z.infer<typeof MovePlan>

const NodeId = z.coerce.number().check(z.int(), z.minimum(0))

/** What a move to `node` would change. Moves nothing. */
export const planMove = endpoint('GET', '/api/servers/:id/move/plan', {
  access: { scope: 'servers.admin' },
  params: OnServer,
  query: z.object({ node: NodeId }),
  response: MovePlan,
  errorStatuses: [404, 502],
})

export const MoveRequest = z.strictObject({
  node: z.int().check(z.minimum(0)),
  /** Consent to the loss of the backups, on all targets; required when there are some. */
  leaveBackups: z._default(z.boolean(), false),
})
export type MoveRequest = z.infer<typeof MoveRequest>

/** Moves a server to another node and responds at once; poll `getMove`. */
export const moveServer = endpoint('POST', '/api/servers/:id/move', {
  access: { scope: 'servers.admin' },
  audit: 'server.move',
  params: OnServer,
  body: MoveRequest,
  response: Move,
  status: 202,
  errorStatuses: [404, 409, 502],
})

/** The last move of a server; `null` when it was not moved. */
export const getMove = endpoint('GET', '/api/servers/:id/move', {
  access: { scope: 'servers.admin' },
  params: OnServer,
  response: z.nullable(Move),
})

/** Cancels a move before the server starts on its new node: it starts again on its node. */
export const cancelMove = endpoint('DELETE', '/api/servers/:id/move', {
  access: { scope: 'servers.admin' },
  audit: 'server.move.cancel',
  params: OnServer,
  errorStatuses: [404, 409],
})

/** Moves the server back to its former node, with what has changed since. Poll `getMove`. */
export const goBack = endpoint('POST', '/api/servers/:id/move/back', {
  access: { scope: 'servers.admin' },
  audit: 'server.move.back',
  params: OnServer,
  status: 202,
  errorStatuses: [404, 409],
})

/** Deletes the copy of the server on its former node now. Then it cannot go back. */
export const deleteFormerCopy = endpoint('DELETE', '/api/servers/:id/move/copy', {
  access: { scope: 'servers.admin' },
  audit: 'server.move.delete',
  params: OnServer,
  errorStatuses: [404, 409],
})
