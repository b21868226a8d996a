import { z } from 'zod/mini'
import { endpoint, ifMatch } from './endpoint.ts'
import { Node, OnNode } from './nodes.ts'
import { QueryFlag } from './query-flag.ts'

const maxNodeNameLength = 100

const lastPort = 65_535
const notAPort = { params: { code: 'ErrFieldNotBetween', min: 1, max: lastPort } }

export const Port = z
  .int()
  .check(z.refine((port) => port >= 1 && port <= lastPort, notAPort))
  .register(z.globalRegistry, { minimum: 1, maximum: lastPort })

/** Existing clients send 0 for the default port. */
const PortOrNone = z
  .int()
  .check(z.refine((port) => port >= 0 && port <= lastPort, notAPort))
  .register(z.globalRegistry, { minimum: 0, maximum: lastPort })

/** Letters, digits, inner spaces, `-`, `_` and `.`; unique, case-insensitive. */
const NodeName = z.string().check(
  z.minLength(1),
  z.maxLength(maxNodeNameLength),
  z.refine((name) => /^[\x20-\x7e]*$/.test(name), { params: { code: 'ErrFieldMustBePrintable' } }),
  z.refine((name) => /^[\w\-. ]*$/.test(name) && name.trim() === name, {
    params: { code: 'ErrFieldHasURICharacters' },
  }),
)

const AnyIp = z.union([z.ipv4(), z.ipv6()])
const AnyHost = z.union([AnyIp, z.hostname().check(z.maxLength(253))])

/** An IPv4 or IPv6 address. */
export const Ip = z
  .string()
  .check(z.refine((ip) => AnyIp.safeParse(ip).success, { params: { code: 'ErrFieldIsInvalidIP' } }))

/** An IP address or a host name. */
const Host = z
  .string()
  .check(z.refine((host) => AnyHost.safeParse(host).success, { params: { code: 'ErrFieldIsInvalidHost' } }))

/** A node as an administrator configures it: users connect to the public address, the panel to the private one. */
export const NewNode = z.looseObject({
  name: NodeName,
  publicHost: Host,
  publicPort: z._default(PortOrNone, 8080),
  /** Empty or missing: the public host. */
  privateHost: z.nullish(z.union([z.literal(''), Host])),
  /** 0 or missing: the default port of nodes. */
  privatePort: z.nullish(PortOrNone),
  sftpPort: z._default(PortOrNone, 5657),
})
export type NewNode = z.output<typeof NewNode>

/** Fields to change; missing, empty and 0 fields stay unchanged. */
export const NodeChange = z.looseObject({
  name: z.optional(NodeName),
  publicHost: z.optional(Host),
  publicPort: z.optional(PortOrNone),
  privateHost: z.nullish(z.union([z.literal(''), Host])),
  privatePort: z.nullish(PortOrNone),
  sftpPort: z.optional(PortOrNone),
})
export type NodeChange = z.output<typeof NodeChange>

/** Returns the new node, unlike PufferPanel, which returns nothing. ErrDuplicateNodeName, ErrFieldEqual. */
export const createNode = endpoint({
  method: 'POST',
  path: '/api/nodes',
  access: { scope: 'nodes.edit' },
  audit: 'node.create',
  body: NewNode,
  response: Node,
})

/** ErrNodeIsLocal for the local node: its address is the master URL. With `If-Match` ErrStaleVersion. */
export const editNode = endpoint({
  method: 'PUT',
  path: '/api/nodes/:id',
  access: { scope: 'nodes.edit' },
  audit: 'node.edit',
  params: OnNode,
  body: NodeChange,
  headers: ifMatch,
})

/**
 * ErrNodeHasServers, with the names of some in `servers`, while the node has servers. `force` removes these from the
 * panel too, for a machine that is gone permanently: no request is sent to the node. It also requires the scope
 * `servers.delete`.
 */
export const deleteNode = endpoint({
  method: 'DELETE',
  path: '/api/nodes/:id',
  access: { scope: 'nodes.edit' },
  audit: 'node.delete',
  params: OnNode,
  query: z.object({ force: QueryFlag }),
})

/** The configuration that a node needs to join. */
export const NodeDeployment = z.object({
  clientId: z.string(),
  /** Valid until the node has joined; empty afterwards. */
  clientSecret: z.string(),
  /** The panel's public signing key, Ed25519, base64url. */
  publicKey: z.string(),
  /** The URL of the panel as the node must reach it. */
  panelUrl: z.string(),
  /** The complete configuration file as JSON text. */
  config: z.string(),
})
export type NodeDeployment = z.infer<typeof NodeDeployment>

export const getNodeDeployment = endpoint({
  method: 'GET',
  path: '/api/nodes/:id/deployment',
  access: { scope: 'nodes.deploy' },
  /** Only when the response contains the join secret of the node. */
  audit: 'node.secret.view',
  params: OnNode,
  response: NodeDeployment,
})

/** Creates a new secret. The old one becomes invalid, and a node that joined with it must join again. */
export const replaceNodeSecret = endpoint({
  method: 'POST',
  path: '/api/nodes/:id/deployment',
  access: { scope: 'nodes.deploy' },
  audit: 'node.secret',
  params: OnNode,
  response: NodeDeployment,
})
