import { z } from 'zod/mini'
import { knownItems } from '../api/known-items.ts'
import { ReportedUsage } from '../servers/servers.ts'
import { ServerId } from '../text/server-id.ts'

/**
 * A panel keeps one socket to each node for the states of its servers: the node sends them all, and then what has changed.
 * Without the socket the panel reads states from the node.
 *
 * The panel pings the node every second. With the pong, what has arrived is current until `leaseMs` after the ping was
 * sent. The node answers a request that changes something when each panel has confirmed the state by a pong, or its lease
 * has ended: no panel shows a state from before an answered request.
 */
export const ServerStates = z.object({
  /** Those that have changed. */
  servers: knownItems(ReportedUsage),
  /** Those that the node no longer has. */
  removed: z._default(knownItems(ServerId), []),
})
export type ServerStates = z.infer<typeof ServerStates>

/** How long states are current after a ping. */
export const leaseMs = 3_000

/** Interval of the pings of a panel. */
export const leasePingMs = 1_000

/** Servers in a message. */
export const statesPerMessage = 200
