import { z } from 'zod'
import { call } from './call.ts'

/** The node that shares its machine, and usually its process, with the panel. */
export const localNodeId = 0

export const Node = z.object({
  id: z.number(),
  name: z.string(),
  publicHost: z.string(),
  privateHost: z.string(),
  publicPort: z.number(),
  privatePort: z.number(),
  sftpPort: z.number(),
  isLocal: z.boolean(),
})
export type Node = z.infer<typeof Node>

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

/** Whether a node does something, and why not. */
export const Ability = z.object({ enforced: z.boolean(), reason: z.string().optional() })
export type Ability = z.infer<typeof Ability>

/** What keeps servers from each other and from their node, where the node itself runs them: not in containers. */
export const NodeIsolation = z.object({
  /** Each server runs as a user of its own, and sees no other server's files. */
  user: Ability,
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

export const getNodeFeatures = call({
  method: 'GET',
  path: '/api/nodes/:id/features',
  access: { scope: 'nodes.view' },
  params: z.object({ id: z.coerce.number().int().min(0) }),
  answer: NodeFeatures,
})

/** The nodes on which the caller may create servers, and what they can do; a node that does not answer has no features. */
export const NodeChoice = NodeSummary.extend({ online: z.boolean(), features: NodeFeatures.optional() })
export type NodeChoice = z.infer<typeof NodeChoice>
export const listNodeChoices = call({
  method: 'GET',
  path: '/api/nodes/choices',
  access: { scope: 'servers.create' },
  answer: z.array(NodeChoice),
})
