import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { TemplateName } from '../text/names.ts'
import { maxPortsPerRequest, Place } from './node-ports.ts'
import { NodeRoom } from './node-room.ts'

/** A word by which programs choose nodes, for example `eu` or `ssd`. */
export const NodeLabel = z.string().check(z.regex(/^[a-z0-9][a-z0-9._-]*$/), z.maxLength(32))
export const maxNodeLabels = 20
export const NodeLabels = z.array(NodeLabel).check(z.maxLength(maxNodeLabels))

export const minOvercommit = 0.1
export const maxOvercommit = 10
const Overcommit = z.number().check(z.minimum(minOvercommit), z.maximum(maxOvercommit))

/** Which servers are placed on a node. A factor of 2 promises twice the memory or disk space that the machine has. */
export const PlacementSettings = z.strictObject({
  labels: NodeLabels,
  memoryFactor: Overcommit,
  diskFactor: Overcommit,
})
export type PlacementSettings = z.infer<typeof PlacementSettings>

export const defaultPlacement: PlacementSettings = { labels: [], memoryFactor: 1, diskFactor: 1 }

/** The room is missing when the node has never reported. The version of the settings is in the `ETag` header. */
export const getNodePlacement = endpoint('GET', '/api/nodes/:id/placement', {
  access: { scope: 'nodes.view' },
  params: OnNode,
  response: z.object({ settings: PlacementSettings, room: z.optional(NodeRoom) }),
})

/** The local node has settings, too. With `If-Match` ErrStaleVersion. */
export const putNodePlacement = endpoint('PUT', '/api/nodes/:id/placement', {
  access: { scope: 'nodes.edit' },
  audit: 'node.placement',
  params: OnNode,
  body: PlacementSettings,
  headers: ifMatch,
})

const maxMebibytes = 1_073_741_824
const Mebibytes = z.int().check(z.minimum(1), z.maximum(maxMebibytes))

/** What a server needs. A node must have all labels. Memory and disk space are in MiB. */
export const NewPlacement = z.strictObject({
  labels: z._default(NodeLabels, []),
  memory: z.optional(Mebibytes),
  disk: z.optional(Mebibytes),
  /** Number of free ports within the ranges of the node. */
  ports: z._default(z.int().check(z.minimum(0), z.maximum(maxPortsPerRequest)), 0),
  /** ID of a template that the node must be able to run. */
  template: z.optional(TemplateName),
})
export type NewPlacement = z.output<typeof NewPlacement>

/** How long a reservation holds room and ports. */
export const placementMs = 10 * 60 * 1000

export const Placement = z.object({
  /** For `placement` of `POST /api/servers`; valid once, and for the user who requested it. */
  id: z.string(),
  node: z.object({ id: z.number(), name: z.string() }),
  /** Why this node was chosen, in English. */
  reason: z.string(),
  /** Of the node, without this reservation. */
  room: NodeRoom,
  ports: z.array(Place),
  /** ISO 8601. */
  expiresAt: z.string(),
})
export type Placement = z.infer<typeof Placement>

/**
 * Chooses a node and reserves room and ports on it for ten minutes. ErrNoNodeFits says what is missing: nothing is
 * reserved then.
 */
export const createPlacement = endpoint('POST', '/api/placements', {
  access: { scope: 'servers.create' },
  audit: 'server.placement',
  body: NewPlacement,
  response: Placement,
  // The template may not exist.
  errorStatuses: [404],
})
