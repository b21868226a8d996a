import { z } from 'zod'
import { call } from './call.ts'
import { Definition } from './definition.ts'
import { limits } from './limits.ts'
import { ServerId, ServerName, ServerTag, ServerTags, TemplateName } from './names.ts'
import { NodeSummary } from './nodes.ts'
import { PageQuery, Paging } from './paging.ts'
import { ServerPermissions, serverFlags } from './permissions.ts'
import { QueryFlag } from './query-flag.ts'
import { hasCrashed, ServerStats, ServerStatus } from './status.ts'
import { TemplateReference } from './templates.ts'

/** A server as lists and its page show it. */
export const ServerView = z.object({
  id: z.string(),
  name: z.string(),
  node: NodeSummary,
  ip: z.string(),
  port: z.number(),
  type: z.string(),
  /** In alphabetical order. */
  tags: z.array(z.string()),
})
export type ServerView = z.infer<typeof ServerView>

/** A server as its page shows it: with the template that it was made from, where that is known and still exists. */
export const OneServerView = ServerView.extend({ template: TemplateReference.optional() })
export type OneServerView = z.infer<typeof OneServerView>

const OnServer = z.object({ id: ServerId })

/** What the list of servers can be sorted by. */
export const serverSorts = ['name', 'address', 'node', 'tags', 'status', 'cpu', 'memory'] as const
export type ServerSort = (typeof serverSorts)[number]
export const sortOrders = ['asc', 'desc'] as const
export type SortOrder = (typeof sortOrders)[number]

/** The groups that lists of servers are filtered by: `busy` is every state that ends by itself. */
export const statusGroups = ['online', 'busy', 'offline', 'crashed', 'unknown'] as const
export type StatusGroup = (typeof statusGroups)[number]

const Count = z.number().int().min(0)
export const StatusCounts = z.object({ online: Count, busy: Count, offline: Count, crashed: Count, unknown: Count })
export type StatusCounts = z.infer<typeof StatusCounts>

/** A tag and the number of servers that have it, among those that the user sees. */
export const TagCount = z.object({ name: z.string(), count: Count })
export type TagCount = z.infer<typeof TagCount>

/** `eu,modded`: servers that have all of these tags. */
const TagFilter = z
  .string()
  .max(limits.tagsPerServer * (limits.tagMax + 2))
  .transform((text) => text.split(',').filter((tag) => tag.trim() !== ''))
  .pipe(z.array(ServerTag).max(limits.tagsPerServer))

/** A server in the list. `permissions` are those of the user, and present when the query asks for them. */
export const ListedServer = ServerView.extend({ permissions: z.array(z.enum(serverFlags)).optional() })
export type ListedServer = z.infer<typeof ListedServer>

/**
 * Sorted by name unless `sort` says otherwise. People see the servers they have permissions on; with `servers.view`,
 * `servers.delete` or `servers.edit.admin`, all of them. `name` may hold `*`. By status, servers that need attention come first; what is unknown comes last in either order.
 *
 * `query` is text that the name, the address, the node or a tag of a server contains. `tag` is one tag or several with
 * commas between; servers must have all of them. `template` is the ID of the template that a server was made from.
 *
 * With `counts` it also answers how many servers there are in each group among those that match all filters but `status`,
 * and the nodes and tags of all servers that the user sees. With `permissions` each server has those of the user.
 */
export const listServers = call({
  method: 'GET',
  path: '/api/servers',
  access: 'session',
  query: PageQuery.extend({
    name: z.string().max(100).optional(),
    query: z.string().max(limits.serverQueryMax).optional(),
    node: z.coerce.number().int().min(0).optional(),
    tag: TagFilter.optional(),
    template: TemplateName.optional(),
    sort: z.enum(serverSorts).default('name'),
    order: z.enum(sortOrders).default('asc'),
    status: z.enum(statusGroups).optional(),
    counts: QueryFlag,
    permissions: QueryFlag,
  }),
  answer: z.object({
    servers: z.array(ListedServer),
    paging: Paging,
    // Older panels do not answer them.
    counts: StatusCounts.optional(),
    nodes: z.array(NodeSummary.pick({ id: true, name: true })).optional(),
    tags: z.array(TagCount).optional(),
  }),
})

/** A definition plus where it runs and who may use it. Without a name the server is named by its id. */
export const NewServer = z.looseObject({
  ...Definition.shape,
  name: ServerName.optional(),
  node: z.coerce.number().int().min(0).default(0),
  /** The ID of the template that it is made from. Without it, the panel compares the definition with its templates. */
  template: TemplateName.optional(),
  /** User names that get every right on the server. */
  users: z.array(z.string().max(limits.usernameMax)).max(limits.newServerUsers).nullish(),
})
export type NewServer = z.output<typeof NewServer>

export const createServer = call({
  method: 'POST',
  path: '/api/servers',
  access: { scope: 'servers.create' },
  body: NewServer,
  answer: z.object({ id: ServerId }),
  // Somebody who is to use it may be unknown, and the node away.
  refuses: [404, 502],
})

/** With `?perms` (any value) also what the caller may do there; else `permissions` is null. */
export const getServer = call({
  method: 'GET',
  path: '/api/servers/:id',
  access: { onServer: 'viewServer' },
  params: OnServer,
  query: z.object({ perms: z.string().optional() }),
  answer: z.object({ server: OneServerView, permissions: ServerPermissions.nullable() }),
})

export const renameServer = call({
  method: 'PUT',
  path: '/api/servers/:id/name/:name',
  access: { onServer: 'editServerData' },
  params: z.object({ id: ServerId, name: ServerName }),
})

/** Replaces the tags of a server: at most 10 of 24 characters, which differ in more than the case of their letters. */
export const putServerTags = call({
  method: 'PUT',
  path: '/api/servers/:id/tags',
  access: { onServer: 'editServerData' },
  params: OnServer,
  body: z.object({ tags: ServerTags }),
})

/** Adds and removes tags of a server; its other tags stay. */
export const changeServerTags = call({
  method: 'POST',
  path: '/api/servers/:id/tags',
  access: { onServer: 'editServerData' },
  params: OnServer,
  body: z.object({ add: ServerTags.default([]), remove: ServerTags.default([]) }),
})

/**
 * With `force`, which also needs the scope `servers.delete`, the server is removed from the panel although its node does
 * not answer. The panel deletes it there when the node is back.
 */
export const deleteServer = call({
  method: 'DELETE',
  path: '/api/servers/:id',
  access: { onServer: 'deleteServer' },
  params: OnServer,
  query: z.object({ force: QueryFlag }),
  refuses: [502],
})

/** What a server is doing. Without the right to its statistics, `stats` is absent; unknown ones have no `status`. */
export const ServerUsage = z.object({
  id: z.string(),
  status: ServerStatus.optional(),
  stats: ServerStats.optional(),
  /** The most memory that it can use, in bytes: its limit, or all that its node has. Older nodes do not say. */
  memoryMax: z.number().optional(),
  /** The most CPU that it can use, in percent of one core: its limit, or all cores of its node. Older nodes do not say. */
  cpuMax: z.number().optional(),
  /** When its node said so, ISO 8601. */
  seenAt: z.string().optional(),
  /** Its node has been silent for too long: this is how it was then. */
  isOld: z.boolean().optional(),
})
export type ServerUsage = z.infer<typeof ServerUsage>

/** The group of a server. It is unknown when its node does not report its status, or reported it too long ago. */
export function statusGroupOf({ status, isOld }: Pick<Partial<ServerUsage>, 'status' | 'isOld'>): StatusGroup {
  if (!status || isOld || status.isInDoubt) return 'unknown'
  if (hasCrashed(status)) return 'crashed'
  return status.state === 'online' || status.state === 'offline' ? status.state : 'busy'
}

/** Status and usage of up to 100 servers at once, for lists; ids that the caller may not see are left out. */
export const getUsage = call({
  method: 'GET',
  path: '/api/servers/usage',
  access: 'session',
  query: z.object({ ids: z.string().max(1000) }),
  answer: z.array(ServerUsage),
})
