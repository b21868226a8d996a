import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { ServerId } from '../text/server-id.ts'

/** A server of a node without an entry in the database of the panel, as after the restore of an older backup. */
export const UnregisteredServer = z.object({
  id: ServerId,
  /** The name of its template, if the definition has one. */
  display: z.optional(z.string()),
  type: z.optional(z.string()),
  running: z.boolean(),
})
export type UnregisteredServer = z.infer<typeof UnregisteredServer>

const OneServer = z.extend(OnNode, { server: ServerId })

/** ErrServiceNotAvailable when the node does not respond. */
export const listUnregisteredServers = endpoint('GET', '/api/nodes/:id/unregistered-servers', {
  access: { scope: 'nodes.edit' },
  params: OnNode,
  response: z.array(UnregisteredServer),
})

/**
 * Adds a server that the node has to the panel, with its ID as name and without users. Its files and its process stay
 * as they are. ErrServerNotFound when the node has no such server, ErrServerAlreadyExists when the panel has it.
 */
export const registerServer = endpoint('POST', '/api/nodes/:id/unregistered-servers/:server', {
  access: { scope: 'nodes.edit' },
  audit: 'node.server.register',
  params: OneServer,
})

/**
 * Stops a server that the panel does not have, and responds when it has stopped. ErrServerAlreadyExists when the panel
 * has it, ErrPowerTooSlow when it still runs after a minute.
 */
export const stopUnregisteredServer = endpoint('POST', '/api/nodes/:id/unregistered-servers/:server/stop', {
  access: { scope: 'nodes.edit' },
  audit: 'node.server.stop',
  params: OneServer,
})
