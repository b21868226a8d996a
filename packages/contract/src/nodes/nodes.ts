import { z } from 'zod/mini'
import { endpoint, ifMatch, QueryFlag } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { NodeAvailability } from './node-availability.ts'
import { NodeRoom } from './node-room.ts'

/** The node on the panel's machine, usually in the same process. */
export const localNodeId = 0

/** Why a file system keeps no limits. Newer nodes may know further codes. */
export const noQuotasCodes = ['notRoot', 'fileSystem', 'mountOption', 'failed'] as const
export type NoQuotasCode = (typeof noQuotasCodes)[number]

/** Whether a node supports a feature, and the reason if not. */
export const Capability = z.object({
  enforced: z.boolean(),
  /** In English. */
  reason: z.optional(z.string()),
  /** The reason for display: a code with the values of its text. Absent for most features, and on older nodes. */
  code: z.optional(z.string().check(z.maxLength(50))),
  values: z.optional(z.record(z.string().check(z.maxLength(50)), z.string().check(z.maxLength(500)))),
})
export type Capability = z.infer<typeof Capability>

/** Isolation of servers from each other and from the node, for servers that do not run in containers. */
export const NodeIsolation = z.object({
  /** Each server runs as its own Unix user and cannot read files of other servers. */
  user: Capability,
  /** A server cannot see processes of other servers, nor their command lines. Older nodes do not report it. */
  hiddenProcesses: z.optional(Capability),
  /** Each process of a server that a node starts has its own `/tmp`, shared memory and message queues. Older nodes do not report it. */
  privateTemporaryFolders: z.optional(Capability),
  /** Servers have no capabilities and cannot gain privileges. */
  noNewPrivileges: Capability,
  limits: z.object({ memory: Capability, cpu: Capability, processes: Capability, disk: Capability }),
})
export type NodeIsolation = z.infer<typeof NodeIsolation>

/** Features of a node: `environments` that it can run now, its OS and architecture as in Go (`linux`, `amd64`). */
export const NodeFeatures = z.looseObject({
  features: z.array(z.string()),
  environments: z.array(z.string()),
  os: z.string(),
  arch: z.string(),
  version: z.string(),
  isolation: z.optional(NodeIsolation),
})
export type NodeFeatures = z.infer<typeof NodeFeatures>

/** Used and total bytes of a resource. */
const ResourceUsage = z.object({ total: z.number(), used: z.number() })

/** Resources of a machine and their usage. */
export const NodeMachine = z.object({
  /** ISO 8601: when the daemon started. */
  startedAt: z.iso.datetime(),
  cpu: z.object({ cores: z.number(), /** Percent of all cores together. */ used: z.number() }),
  memory: ResourceUsage,
  /** The disk that holds the servers' files. */
  disk: ResourceUsage,
})
export type NodeMachine = z.infer<typeof NodeMachine>

/**
 * `waiting` has never connected. `degraded` reports with `problems`. `offline` has not reported for
 * `limits.nodeOfflineMs`.
 */
export const nodeStates = ['waiting', 'online', 'degraded', 'offline'] as const
export type NodeState = (typeof nodeStates)[number]

/**
 * Problems of a node that reports. `unreachable`: the node reaches the panel, but the panel cannot reach the node.
 * `otherProtocol`: the panel does not understand its reports.
 */
export const nodeProblems = ['unreachable', 'clockSkew', 'diskFull', 'otherVersion', 'otherProtocol'] as const

/** The last known status of a node, without waiting for the node. */
export const NodeHealth = z.object({
  state: z.enum(nodeStates),
  /** When the state began, and when the node last reported, ISO 8601. */
  since: z.optional(z.string()),
  seenAt: z.optional(z.string()),
  problems: z.array(z.enum(nodeProblems)),
  /** Panels reach it through a connection that the node has opened itself. */
  isTunnelled: z.optional(z.boolean()),
  /** Offset of its clock from the panel's clock; positive when it is ahead. */
  clockSkewMs: z.optional(z.number()),
  features: z.optional(NodeFeatures),
  machine: z.optional(NodeMachine),
  /** Number of servers, and how many of them run. */
  servers: z.optional(z.object({ total: z.number(), running: z.number() })),
})
export type NodeHealth = z.infer<typeof NodeHealth>

export const Node = z.object({
  id: z.number(),
  name: z.string(),
  publicHost: z.string(),
  /** Empty for a node that no panel reaches at an address. */
  privateHost: z.string(),
  publicPort: z.number(),
  privatePort: z.number(),
  sftpPort: z.number(),
  isLocal: z.boolean(),
  /** Missing while it is active. */
  availability: z.optional(NodeAvailability),
  /** Missing when there are none. */
  labels: z.optional(z.array(z.string())),
  health: z.optional(NodeHealth),
})
export type Node = z.infer<typeof Node>

/** What users who may see a server, but not nodes, get about its node. */
export const NodeSummary = z.extend(
  z.pick(Node, {
    id: true,
    name: true,
    publicHost: true,
    publicPort: true,
    sftpPort: true,
    isLocal: true,
    availability: true,
  }),
  {
    /** The host of SFTP, when it is not the public one: the panel, for a node behind NAT. */
    sftpHost: z.optional(z.string()),
  },
)
export type NodeSummary = z.infer<typeof NodeSummary>

export const listNodes = endpoint('GET', '/api/nodes', {
  access: { scope: 'nodes.view' },
  response: z.array(Node),
})

export const getNodeFeatures = endpoint('GET', '/api/nodes/:id/features', {
  access: { scope: 'nodes.view' },
  params: z.object({ id: z.coerce.number().check(z.int(), z.minimum(0)) }),
  response: NodeFeatures,
  errorStatuses: [502],
})

/** Nodes on which the user may create servers, with their features; empty for a node that does not respond. */
export const NodeChoice = z.extend(NodeSummary, {
  online: z.boolean(),
  features: z.optional(NodeFeatures),
  /** Missing while the node is offline. */
  room: z.optional(NodeRoom),
  labels: Node.shape.labels,
  ...z.pick(NodeHealth, { seenAt: true, servers: true }).shape,
})
export type NodeChoice = z.infer<typeof NodeChoice>
export const listNodeChoices = endpoint('GET', '/api/nodes/choices', {
  access: { scope: 'servers.create' },
  response: z.array(NodeChoice),
})

/** The version of name and addresses is in the `ETag` header. */
export const getNode = endpoint('GET', '/api/nodes/:id', {
  access: { scope: 'nodes.view' },
  params: OnNode,
  response: Node,
})

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
  /** No panel reaches it at an address: it opens connections to the panels itself. Its private host is empty then. */
  isBehindNat: z._default(z.boolean(), false),
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
  isBehindNat: z.optional(z.boolean()),
})
export type NodeChange = z.output<typeof NodeChange>

/** Returns the new node, unlike PufferPanel, which returns nothing. ErrDuplicateNodeName, ErrFieldEqual. */
export const createNode = endpoint('POST', '/api/nodes', {
  access: { scope: 'nodes.edit' },
  audit: 'node.create',
  body: NewNode,
  response: Node,
})

/** ErrNodeIsLocal for the local node: its address is the master URL. With `If-Match` ErrStaleVersion. */
export const editNode = endpoint('PUT', '/api/nodes/:id', {
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
export const deleteNode = endpoint('DELETE', '/api/nodes/:id', {
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

export const getNodeDeployment = endpoint('GET', '/api/nodes/:id/deployment', {
  access: { scope: 'nodes.deploy' },
  /** Only when the response contains the join secret of the node. */
  audit: 'node.secret.view',
  params: OnNode,
  response: NodeDeployment,
})

/** Creates a new secret. The old one becomes invalid, and a node that joined with it must join again. */
export const replaceNodeSecret = endpoint('POST', '/api/nodes/:id/deployment', {
  access: { scope: 'nodes.deploy' },
  audit: 'node.secret',
  params: OnNode,
  response: NodeDeployment,
})
