import { z } from 'zod'
import { call, ifMatch } from './call.ts'
import { limits } from './limits.ts'
import { QueryFlag } from './query-flag.ts'

/** The node that shares its machine, and usually its process, with the panel. */
export const localNodeId = 0

/** Whether a node does something, and why not. */
export const Ability = z.object({ enforced: z.boolean(), reason: z.string().optional() })
export type Ability = z.infer<typeof Ability>

/** What keeps servers from each other and from their node, where the node itself runs them: not in containers. */
export const NodeIsolation = z.object({
  /** Each server runs as a user of its own, and sees no other server's files. */
  user: Ability,
  /** A server does not see the processes of others, nor their command lines. Older nodes do not say. */
  hiddenProcesses: Ability.optional(),
  /** Servers have no capabilities and cannot gain any right. */
  noNewPrivileges: Ability,
  limits: z.object({ memory: Ability, cpu: Ability, processes: Ability, disk: Ability }),
})
export type NodeIsolation = z.infer<typeof NodeIsolation>

/** What a node can do: `environments` it can run now, its system by Go's names (`linux`, `amd64`). */
export const NodeFeatures = z.looseObject({
  features: z.array(z.string()),
  environments: z.array(z.string()),
  os: z.string(),
  arch: z.string(),
  version: z.string(),
  isolation: NodeIsolation.optional(),
})
export type NodeFeatures = z.infer<typeof NodeFeatures>

/** A part of a machine that is used up: bytes. */
const Share = z.object({ total: z.number(), used: z.number() })

/** What a machine has, and how busy it is. */
export const NodeMachine = z.object({
  /** ISO 8601: when the node program started. */
  startedAt: z.iso.datetime(),
  cpu: z.object({ cores: z.number(), /** Percent of all cores together. */ used: z.number() }),
  memory: Share,
  /** The disk that holds the servers' files. */
  disk: Share,
})
export type NodeMachine = z.infer<typeof NodeMachine>

/**
 * `waiting` has never connected. `degraded` reports, but something is wrong: see `problems`. `offline` has said nothing
 * for `limits.nodeOfflineMs`.
 */
export const nodeStates = ['waiting', 'online', 'degraded', 'offline'] as const
export type NodeState = (typeof nodeStates)[number]

/** What can be wrong with a node that reports. `unreachable`: it reaches the panel, but the panel does not reach it. */
export const nodeProblems = ['unreachable', 'clockSkew', 'diskFull', 'otherVersion'] as const

/** What the panel last heard of a node; it waits for no node to say it. */
export const NodeHealth = z.object({
  state: z.enum(nodeStates),
  /** When the state began, and when the node was heard last, ISO 8601. */
  since: z.string().optional(),
  seenAt: z.string().optional(),
  problems: z.array(z.enum(nodeProblems)),
  /** How far its clock is ahead of the panel's. */
  clockSkewMs: z.number().optional(),
  features: NodeFeatures.optional(),
  machine: NodeMachine.optional(),
  /** How many servers it has, and how many of them run. */
  servers: z.object({ total: z.number(), running: z.number() }).optional(),
})
export type NodeHealth = z.infer<typeof NodeHealth>

export const Node = z.object({
  id: z.number(),
  name: z.string(),
  publicHost: z.string(),
  privateHost: z.string(),
  publicPort: z.number(),
  privatePort: z.number(),
  sftpPort: z.number(),
  isLocal: z.boolean(),
  health: NodeHealth.optional(),
})
export type Node = z.infer<typeof Node>

const lastPort = 65_535
const notAPort = { params: { code: 'ErrFieldNotBetween', min: 1, max: lastPort } }

export const Port = z
  .int()
  .refine((port) => port >= 1 && port <= lastPort, notAPort)
  .meta({ minimum: 1, maximum: lastPort })

/** Published clients write 0 for a port that is not said. */
const PortOrNone = z
  .int()
  .refine((port) => port >= 0 && port <= lastPort, notAPort)
  .meta({ minimum: 0, maximum: lastPort })

/** Letters, digits, blanks within, `-`, `_` and `.`; unique whatever the case of its letters. */
const NodeName = z
  .string()
  .min(1)
  .max(limits.nodeNameMax)
  .refine((name) => /^[\x20-\x7e]*$/.test(name), { params: { code: 'ErrFieldMustBePrintable' } })
  .refine((name) => /^[\w\-. ]*$/.test(name) && name.trim() === name, { params: { code: 'ErrFieldHasURICharacters' } })

const AnyIp = z.union([z.ipv4(), z.ipv6()])
const AnyHost = z.union([AnyIp, z.hostname().max(253)])

/** An address of version 4 or 6. */
export const Ip = z.string().refine((ip) => AnyIp.safeParse(ip).success, { params: { code: 'ErrFieldIsInvalidIP' } })

/** An IP address or the name of a machine. */
const Host = z.string().refine((host) => AnyHost.safeParse(host).success, { params: { code: 'ErrFieldIsInvalidHost' } })

/** A node as an administrator describes it: people use the public address, panels the private one. */
export const NewNode = z.looseObject({
  name: NodeName,
  publicHost: Host,
  publicPort: PortOrNone.default(8080),
  /** Empty or missing: the public one. */
  privateHost: z.union([z.literal(''), Host]).nullish(),
  /** 0 or missing: the port that nodes listen on unless told otherwise. */
  privatePort: PortOrNone.nullish(),
  sftpPort: PortOrNone.default(5657),
})
export type NewNode = z.output<typeof NewNode>

/** What is to change; what is missing, empty or 0 stays. */
export const NodeChange = z.looseObject({
  name: NodeName.optional(),
  publicHost: Host.optional(),
  publicPort: PortOrNone.optional(),
  privateHost: z.union([z.literal(''), Host]).nullish(),
  privatePort: PortOrNone.nullish(),
  sftpPort: PortOrNone.optional(),
})
export type NodeChange = z.output<typeof NodeChange>

/** What people who may see a server, but no nodes, learn of its node. */
export const NodeSummary = Node.pick({
  id: true,
  name: true,
  publicHost: true,
  publicPort: true,
  sftpPort: true,
  isLocal: true,
})
export type NodeSummary = z.infer<typeof NodeSummary>

export const listNodes = call({
  method: 'GET',
  path: '/api/nodes',
  access: { scope: 'nodes.view' },
  answer: z.array(Node),
})

export const getNodeFeatures = call({
  method: 'GET',
  path: '/api/nodes/:id/features',
  access: { scope: 'nodes.view' },
  params: z.object({ id: z.coerce.number().int().min(0) }),
  answer: NodeFeatures,
  refuses: [502],
})

/** The nodes on which the caller may create servers, and what they can do; a node that does not answer has no features. */
export const NodeChoice = NodeSummary.extend({
  online: z.boolean(),
  features: NodeFeatures.optional(),
  ...NodeHealth.pick({ seenAt: true, servers: true }).shape,
})
export type NodeChoice = z.infer<typeof NodeChoice>
export const listNodeChoices = call({
  method: 'GET',
  path: '/api/nodes/choices',
  access: { scope: 'servers.create' },
  answer: z.array(NodeChoice),
})

const OnNode = z.object({ id: z.coerce.number().int().min(0) })

/** Unlike the original, which answered nothing, it tells what was made. ErrDuplicateNodeName, ErrFieldEqual. */
export const createNode = call({
  method: 'POST',
  path: '/api/nodes',
  access: { scope: 'nodes.edit' },
  body: NewNode,
  answer: Node,
})

/** The version of its name and addresses is in the `ETag` header. */
export const getNode = call({
  method: 'GET',
  path: '/api/nodes/:id',
  access: { scope: 'nodes.view' },
  params: OnNode,
  answer: Node,
})

/** ErrNodeIsLocal for the node of the panel's machine: its address is the master URL. With `If-Match` ErrStaleVersion. */
export const editNode = call({
  method: 'PUT',
  path: '/api/nodes/:id',
  access: { scope: 'nodes.edit' },
  params: OnNode,
  body: NodeChange,
  headers: ifMatch,
})

/**
 * ErrNodeHasServers, with the names of some in `servers`, while it has any. `force` removes these from the panel too,
 * for a machine that is gone for good: nothing is asked of the node. It also needs the scope `servers.delete`.
 */
export const deleteNode = call({
  method: 'DELETE',
  path: '/api/nodes/:id',
  access: { scope: 'nodes.edit' },
  params: OnNode,
  query: z.object({ force: QueryFlag }),
})

/** What a node needs to know to join, as its configuration file holds it. */
export const NodeDeployment = z.object({
  clientId: z.string(),
  /** Good until the node has joined with it; empty afterwards. */
  clientSecret: z.string(),
  /** What the panel signs with, base64url of an Ed25519 key. */
  publicKey: z.string(),
  /** The address of the panel as the node is to reach it. */
  panelUrl: z.string(),
  /** The whole configuration file: JSON text. */
  config: z.string(),
})
export type NodeDeployment = z.infer<typeof NodeDeployment>

export const getNodeDeployment = call({
  method: 'GET',
  path: '/api/nodes/:id/deployment',
  access: { scope: 'nodes.deploy' },
  params: OnNode,
  answer: NodeDeployment,
})

/** Makes a new secret: the old one is void, and the node that joined with it must join anew. */
export const replaceNodeSecret = call({
  method: 'POST',
  path: '/api/nodes/:id/deployment',
  access: { scope: 'nodes.deploy' },
  params: OnNode,
  answer: NodeDeployment,
})
