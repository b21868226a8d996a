import { z } from 'zod/mini'
import { endpoint, ifMatch, QueryFlag } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { OnServer } from '../api/params.ts'
import { ServerPermissions, serverPermissionNames } from '../api/permissions.ts'
import { NodeSummary } from '../nodes/nodes.ts'
import { limits } from '../text/limits.ts'
import { ServerName, ServerTag, ServerTags, TemplateName, TemplateReference } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'
import { PlayerCounts } from './players.ts'
import { DiskSpace, hasCrashed, isNotResponding, ServerStats, ServerStatus } from './status.ts'
import { Suspension } from './suspension.ts'

/** A server in lists and on its page. */
export const ServerView = z.object({
  id: z.string(),
  name: z.string(),
  node: NodeSummary,
  ip: z.string(),
  port: z.number(),
  type: z.string(),
  /** In alphabetical order. */
  tags: z.array(z.string()),
  /** Missing unless it is suspended. */
  suspension: z.optional(Suspension),
})
export type ServerView = z.infer<typeof ServerView>

/** A server on its page: with the template it was created from, if that is known and still exists. */
export const ServerDetail = z.extend(ServerView, { template: z.optional(TemplateReference) })
export type ServerDetail = z.infer<typeof ServerDetail>

/** Sort keys of the server list. */
export const serverSorts = ['name', 'address', 'node', 'tags', 'status', 'players', 'cpu', 'memory'] as const
export type ServerSort = (typeof serverSorts)[number]
export const sortOrders = ['asc', 'desc'] as const
export type SortOrder = (typeof sortOrders)[number]

/** Status groups of the server list filter: `busy` is any state that ends by itself. */
export const statusGroups = ['online', 'notResponding', 'busy', 'offline', 'crashed', 'suspended', 'unknown'] as const
export type StatusGroup = (typeof statusGroups)[number]

const Count = z.int().check(z.minimum(0))
export const StatusCounts = z.object({
  online: Count,
  notResponding: z._default(Count, 0),
  busy: Count,
  offline: Count,
  crashed: Count,
  suspended: z._default(Count, 0),
  unknown: Count,
})
export type StatusCounts = z.infer<typeof StatusCounts>

/** A tag and the number of servers that have it, of those that the user sees. */
export const TagCount = z.object({ name: z.string(), count: Count })
export type TagCount = z.infer<typeof TagCount>

/** `eu,modded`: servers that have all of these tags. */
const TagFilter = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(limits.tagsPerServer * (limits.tagMax + 2))),
    z.transform((text) => text.split(',').filter((tag) => tag.trim() !== '')),
  ),
  z.array(ServerTag).check(z.maxLength(limits.tagsPerServer)),
)

/** A server in the list. `permissions` are those of the user, present when the query requests them. */
export const ListedServer = z.extend(ServerView, { permissions: z.optional(z.array(z.enum(serverPermissionNames))) })
export type ListedServer = z.infer<typeof ListedServer>

/**
 * Sorted by name unless `sort` says otherwise. Users see the servers they have permissions on; with `servers.view`,
 * `servers.delete` or `servers.edit.admin`, all of them. `name` may contain `*`. When sorted by status, servers that
 * need attention come first; unknown status comes last in either order.
 *
 * `query` is text that the name, the address, the node or a tag of a server contains. `tag` is one tag or several
 * separated by commas; servers must have all of them. `template` is the ID of the template that a server was created
 * from.
 *
 * With `counts` the response also has the number of servers in each status group that match all filters except
 * `status`, and the nodes and tags of all servers that the user sees. With `permissions` each server has those of the
 * user.
 */
export const listServers = endpoint('GET', '/api/servers', {
  access: 'session',
  query: z.extend(PageQuery, {
    name: z.optional(z.string().check(z.maxLength(100))),
    query: z.optional(z.string().check(z.maxLength(limits.serverQueryMax))),
    node: z.optional(z.coerce.number().check(z.int(), z.minimum(0))),
    tag: z.optional(TagFilter),
    template: z.optional(TemplateName),
    sort: z._default(z.enum(serverSorts), 'name'),
    order: z._default(z.enum(sortOrders), 'asc'),
    status: z.optional(z.enum(statusGroups)),
    counts: QueryFlag,
    permissions: QueryFlag,
  }),
  response: z.object({
    servers: z.array(ListedServer),
    paging: Paging,
    // Older panels do not send them.
    counts: z.optional(StatusCounts),
    nodes: z.optional(z.array(z.pick(NodeSummary, { id: true, name: true }))),
    tags: z.optional(z.array(TagCount)),
  }),
})

/**
 * With `?perms` (any value) also the permissions of the user on it; otherwise `permissions` is null. The version of the
 * name and the tags is in `ETag`.
 */
export const getServer = endpoint('GET', '/api/servers/:id', {
  access: { onServer: 'viewServer' },
  params: OnServer,
  query: z.object({ perms: z.optional(z.string()) }),
  response: z.object({ server: ServerDetail, permissions: z.nullable(ServerPermissions) }),
})

export const renameServer = endpoint('PUT', '/api/servers/:id/name/:name', {
  access: { onServer: 'editServerData' },
  audit: 'server.rename',
  params: z.object({ id: ServerId, name: ServerName }),
  headers: ifMatch,
})

/** Replaces the tags of a server: at most 10 with at most 24 characters, unique without regard to case. */
export const putServerTags = endpoint('PUT', '/api/servers/:id/tags', {
  access: { onServer: 'editServerData' },
  audit: 'server.tags',
  params: OnServer,
  body: z.object({ tags: ServerTags }),
  headers: ifMatch,
})

/** Adds and removes tags of a server; other tags stay. */
export const changeServerTags = endpoint('POST', '/api/servers/:id/tags', {
  access: { onServer: 'editServerData' },
  audit: 'server.tags',
  params: OnServer,
  body: z.object({ add: z._default(ServerTags, []), remove: z._default(ServerTags, []) }),
})

/**
 * With `force`, which also requires the scope `servers.delete`, the server is removed from the panel although its node
 * does not respond. The panel deletes it on the node when the node is back.
 */
export const deleteServer = endpoint('DELETE', '/api/servers/:id', {
  access: { onServer: 'deleteServer' },
  audit: 'server.delete',
  params: OnServer,
  query: z.object({ force: QueryFlag }),
  errorStatuses: [502],
})

/**
 * Status and usage of a server. Without the permission for statistics, `stats` is absent; an unknown status is absent.
 */
export const ServerUsage = z.object({
  id: z.string(),
  status: z.optional(ServerStatus),
  stats: z.optional(ServerStats),
  /** Maximum memory in bytes: its limit, or the memory of the node. Older nodes do not report it. */
  memoryMax: z.optional(z.number()),
  /** Maximum CPU in percent of one core: its limit, or all cores of the node. Older nodes do not report it. */
  cpuMax: z.optional(z.number()),
  /** Disk space, measured in the last minutes. Missing for servers without a limit. */
  disk: z.optional(DiskSpace),
  /** As its game reports them. Missing while it does not, and without the permission to see them. */
  players: z.optional(PlayerCounts),
  /** Time of the node's report, ISO 8601. Missing when the status is current. */
  seenAt: z.optional(z.string()),
  /** The node has not reported for too long: this is the last known status. */
  isOld: z.optional(z.boolean()),
  /** Present and true while the server is suspended, whatever its status. */
  isSuspended: z.optional(z.boolean()),
})
export type ServerUsage = z.infer<typeof ServerUsage>

/** As a node reports it: what this version does not understand is unknown. */
export const ReportedUsage = z.extend(ServerUsage, {
  status: z.catch(ServerUsage.shape.status, undefined),
  players: z.catch(ServerUsage.shape.players, undefined),
})

/** The status group of a server: unknown when its node does not report the status, or reported it too long ago. */
export function getStatusGroup({
  status,
  isOld,
  isSuspended,
}: Pick<Partial<ServerUsage>, 'status' | 'isOld' | 'isSuspended'>): StatusGroup {
  if (isSuspended) return 'suspended'
  if (!status || isOld || status.isInDoubt) return 'unknown'
  // Players reach it.
  if (status.sleeping) return 'online'
  if (hasCrashed(status)) return 'crashed'
  if (isNotResponding(status)) return 'notResponding'
  return status.state === 'online' || status.state === 'offline' ? status.state : 'busy'
}

/** Status and usage of up to 100 servers, for lists; IDs that the user may not see are omitted. */
export const getUsage = endpoint('GET', '/api/servers/usage', {
  access: 'session',
  query: z.object({ ids: z.string().check(z.maxLength(1000)) }),
  response: z.array(ServerUsage),
})
