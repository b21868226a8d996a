import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { Ip, Port } from './nodes.ts'

export const maxPortRanges = 100
export const maxPortNoteLength = 200
/** Free ports per request. */
export const maxPortsPerRequest = 50

/** A port range of a node for new servers, on one address or, with `0.0.0.0`, on all addresses. */
export const PortRange = z
  .strictObject({
    address: Ip,
    from: Port,
    to: Port,
    note: z.optional(z.string().check(z.maxLength(maxPortNoteLength))),
  })
  .check(z.refine(({ from, to }) => from <= to, { params: { code: 'ErrFieldInvalid' }, path: ['to'] }))
export type PortRange = z.infer<typeof PortRange>

/** An address and a port. */
export const Place = z.object({ address: z.string(), port: z.number() })

/** A port that is allocated to a server of the node. */
export const ReservedPort = z.extend(Place, { server: z.object({ id: z.string(), name: z.string() }) })
export type ReservedPort = z.infer<typeof ReservedPort>

export const NodePorts = z.object({ ranges: z.array(PortRange), reserved: z.array(ReservedPort) })
export type NodePorts = z.infer<typeof NodePorts>

/** A port in a variable of a server. */
export const ServerPort = Place

/** A listening socket of the machine. */
export const PortInUse = z.extend(Place, { protocol: z.enum(['tcp', 'udp']) })
export type PortInUse = z.infer<typeof PortInUse>

/** The version of the ranges is in the `ETag` header. */
export const getNodePorts = endpoint('GET', '/api/nodes/:id/ports', {
  access: { scope: 'nodes.view' },
  params: OnNode,
  response: NodePorts,
})

/** Replaces all ranges. The local node has ranges, too. With `If-Match` ErrStaleVersion. */
export const putNodePorts = endpoint('PUT', '/api/nodes/:id/ports', {
  access: { scope: 'nodes.edit' },
  audit: 'node.ports',
  params: OnNode,
  body: z.strictObject({ ranges: z.array(PortRange).check(z.maxLength(maxPortRanges)) }),
  headers: ifMatch,
})

/**
 * Free ports for new servers: within the ranges, not allocated and not in use. `isChecked` is missing when the node did
 * not report the ports in use.
 */
export const findFreePorts = endpoint('GET', '/api/nodes/:id/ports/free', {
  access: { scope: 'servers.create' },
  params: OnNode,
  query: z.object({
    count: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(maxPortsPerRequest)), 1),
    /** Ports separated by commas that are to be replaced: beyond the ranges, these or the next free ones. */
    instead: z.optional(z.string().check(z.regex(/^\d{1,5}(,\d{1,5})*$/), z.maxLength(maxPortsPerRequest * 6))),
  }),
  response: z.object({ hasRanges: z.boolean(), ports: z.array(Place), isChecked: z.boolean() }),
})

/** Whether a port is free. The response names the server that has it to users who may see all servers. */
export const checkPort = endpoint('GET', '/api/nodes/:id/ports/check', {
  access: { scope: 'servers.create' },
  params: OnNode,
  query: z.object({
    address: z._default(z.string().check(z.maxLength(255)), ''),
    port: z.pipe(z.coerce.number(), Port),
  }),
  response: z.object({
    isReserved: z.boolean(),
    server: z.optional(z.object({ id: z.string(), name: z.string() })),
    inUse: z.array(z.enum(['tcp', 'udp'])),
    isChecked: z.boolean(),
  }),
})
