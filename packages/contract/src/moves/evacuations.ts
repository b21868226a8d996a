import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { NodeLabels } from '../nodes/placement.ts'
import { MovedValue, maxMovesAtOnce, Place } from './moves.ts'

/** All servers of a node that are moved to other nodes, for example before its machine is repaired or given up. */

/**
 * Which servers are moved first. `stopped`: those that do not run, then those with the least memory. `players`: those on which
 * nobody plays, then those with the fewest players. `name`: in the order of their names.
 */
export const evacuationOrders = ['stopped', 'players', 'name'] as const
export type EvacuationOrder = (typeof evacuationOrders)[number]
const Order = z._default(z.enum(evacuationOrders), 'stopped')

/**
 * A server is `waiting`, `moving`, or `moved`. `failed`: its move began and failed, so it is on its node as before. `blocked`: it
 * cannot be moved. `cancelled`: its move or the evacuation was canceled before.
 */
export const evacuatedStates = ['waiting', 'moving', 'moved', 'failed', 'blocked', 'cancelled'] as const
export type EvacuatedState = (typeof evacuatedStates)[number]

const EvacuatedServer = z.object({
  id: z.string(),
  name: z.string(),
  state: z.enum(evacuatedStates),
  /** The node to which it is or was moved. */
  to: z.optional(Place),
  /** Progress of the copy; missing while it is unknown. */
  bytes: z.optional(z.number()),
  totalBytes: z.optional(z.number()),
  /** How long it did not run, from its stop to its start on the other node. Missing when it did not run before. */
  stoppedMs: z.optional(z.number()),
  /** Ports and addresses that have changed. */
  values: z.optional(z.array(MovedValue)),
  /** Why it was not moved, or is not ready on its new node. */
  error: z.optional(ReportedError),
})
export type EvacuatedServer = z.infer<typeof EvacuatedServer>

/** `cancelling`: no further server is moved, and the moves that have begun are completed. */
export const evacuationStates = ['running', 'cancelling', 'done', 'cancelled'] as const

export const Evacuation = z.object({
  state: z.enum(evacuationStates),
  /** The node that was named for all servers. */
  to: z.optional(Place),
  labels: NodeLabels,
  order: z.enum(evacuationOrders),
  atOnce: z.number(),
  leaveBackups: z.boolean(),
  /** Who began it; missing when the user was deleted. */
  startedBy: z.optional(z.string()),
  /** ISO 8601. */
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
  /** In the order in which they are moved. */
  servers: z.array(EvacuatedServer),
})
export type Evacuation = z.infer<typeof Evacuation>

const NodeId = z.coerce.number().check(z.int(), z.minimum(0))

/** Where a server would go. */
const PlannedServer = z.object({
  id: z.string(),
  name: z.string(),
  /** Whether it runs, so that it is stopped and started again. */
  running: z.boolean(),
  /** Backups on all targets, which are deleted with the old copy: it moves only with `leaveBackups`. */
  backups: z.number(),
  to: z.optional(Place),
  /** Why it cannot be moved. */
  error: z.optional(ReportedError),
})
export type PlannedServer = z.infer<typeof PlannedServer>

/** Where the servers of a node would go, and which cannot be moved. Moves and reserves nothing. */
export const planEvacuation = endpoint('GET', '/api/nodes/:id/evacuation/plan', {
  access: { scope: 'servers.admin' },
  params: OnNode,
  query: z.object({
    /** The only node to use, instead of those that the placement chooses. */
    to: z.optional(NodeId),
    /** The nodes must have these labels, separated by commas. */
    labels: z.optional(z.string().check(z.maxLength(1000))),
    order: Order,
  }),
  response: z.object({ servers: z.array(PlannedServer) }),
  errorStatuses: [404],
})

export const EvacuationRequest = z.strictObject({
  /** The only node to use, instead of those that the placement chooses. */
  to: z.optional(z.int().check(z.minimum(0))),
  /** The nodes must have these labels, and those of the plan of a server that belongs to an order. */
  labels: z._default(NodeLabels, []),
  order: Order,
  /** Servers that are moved at a time. */
  atOnce: z._default(z.int().check(z.minimum(1), z.maximum(maxMovesAtOnce)), maxMovesAtOnce),
  /** Consent to the loss of the backups, on all targets. Without it servers with backups stay. */
  leaveBackups: z._default(z.boolean(), false),
})
export type EvacuationRequest = z.output<typeof EvacuationRequest>

/**
 * Begins to move all servers of a node to other nodes and responds at once; poll `getEvacuation`. An active node becomes
 * draining.
 */
export const evacuateNode = endpoint('POST', '/api/nodes/:id/evacuation', {
  access: { scope: 'servers.admin' },
  audit: 'node.evacuate',
  params: OnNode,
  body: EvacuationRequest,
  response: Evacuation,
  status: 202,
  errorStatuses: [404, 409],
})

/** The last evacuation of a node, with what became of each server; `null` when there was none. */
export const getEvacuation = endpoint('GET', '/api/nodes/:id/evacuation', {
  access: { scope: 'servers.admin' },
  params: OnNode,
  response: z.nullable(Evacuation),
})

/** No further server is moved. Moves that have begun are completed, unless they are canceled one by one. */
export const cancelEvacuation = endpoint('DELETE', '/api/nodes/:id/evacuation', {
  access: { scope: 'servers.admin' },
  audit: 'node.evacuate.cancel',
  params: OnNode,
  errorStatuses: [404],
})
