import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'

/**
 * Whether a node takes new servers. `draining`: it takes none. `maintenance`: neither, users of its servers see why, and
 * alerts about the node and its servers are not sent.
 */
export const availabilityStates = ['active', 'draining', 'maintenance'] as const
export type AvailabilityState = (typeof availabilityStates)[number]

export const maxMaintenanceReason = 500

/** `reason` and `until` belong to maintenance. A node whose maintenance has ended is active. */
export const NodeAvailability = z.object({
  state: z.enum(availabilityStates),
  reason: z.optional(z.string()),
  /** When the maintenance ends by itself, ISO 8601. */
  until: z.optional(z.string()),
})
export type NodeAvailability = z.infer<typeof NodeAvailability>

const NewAvailability = z.discriminatedUnion('state', [
  z.strictObject({ state: z.literal('active') }),
  z.strictObject({ state: z.literal('draining') }),
  z.strictObject({
    state: z.literal('maintenance'),
    /** Users of the servers of the node read it. */
    reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(maxMaintenanceReason)),
    /** Without it the maintenance lasts until the state is changed. */
    until: z.optional(z.iso.datetime()),
  }),
])
export type NewAvailability = z.infer<typeof NewAvailability>

/** ErrFieldNotFuture when `until` is in the past. The local node has a state, too. */
export const putNodeAvailability = endpoint('PUT', '/api/nodes/:id/availability', {
  access: { scope: 'nodes.edit' },
  audit: 'node.availability',
  params: OnNode,
  body: NewAvailability,
})
