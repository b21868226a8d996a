import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { getPaging } from '@innkeeper/contract/api/paging'
import {
  canSeeAllServers,
  type RequiredPermission,
  type ServerPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import {
  getStatusGroup,
  type ListedServer,
  type listServers,
  type ServerUsage,
  type ServerView,
  type StatusGroup,
} from '@innkeeper/contract/servers/servers'
import { getAddress } from '@innkeeper/contract/text/address'
import { serverNameKey } from '@innkeeper/contract/text/names'
import { type AccessService, getServer, getServerPermissions, readTagKeys, serverColumns } from '../access/access.ts'
import type { Principal, Server } from '../access/principal.ts'
import { fixedLimit, rightsOnServer } from '../database/expressions.ts'
import { PreparedQueries } from '../database/prepared-queries.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { ClientInfo } from '../routing/route-context.ts'
import { readTags } from './read-tags.ts'
import { filteredServers, type ListQuery, serversVisibleTo, tagsOfServers } from './server-filter.ts'
import { sortServers } from './sort.ts'
import type { UsageService } from './usage.ts'

interface Deps {
  readonly db: Database
  readonly access: Pick<AccessService, 'visibleServers'>
  readonly nodes: Pick<NodesService, 'summaries'>
  readonly usage: Pick<UsageService, 'ofServers' | 'readStatuses'>
  readonly now: () => number
}

type ServerListResponse = ResponseOf<typeof listServers>

export type ServerListService = ReturnType<typeof serverListService>

/** Filters, sorts and pages the server list. */
export function serverListService({ db, access, nodes, usage, now }: Deps) {
  const prepared = new PreparedQueries(db)

  async function readViews(servers: readonly Server[], from: ClientInfo): Promise<ServerView[]> {
    const getSummary = await nodes.summaries(from)
    const ids = servers.map(({ id }) => id)
    const tags = await readTags(prepared, ids)
    return servers.map(({ id, name, nodeId, ip, port, type, suspension }) => ({
      id,
      name,
      node: getSummary(nodeId),
      ip,
      port,
      type,
      tags: [...(tags.get(id) ?? [])],
      ...(suspension && { suspension }),
    }))
  }

  /** A page in the order of names, with the total in each row, and the permissions of the user if they are wanted. */
  async function readPage(principal: Principal, query: ListQuery, first: number) {
    const build = (visibleTo: Principal, offset: number, at: number) => {
      const servers = filteredServers(db, visibleTo, query, at)
      const page = orderByName(servers, query).select(selectTotal(servers).as('total'))
      return page
        .$if(query.permissions, (one) => one.select(rightsOnServer(visibleTo.userId, at)))
        .limit(fixedLimit(query.limit))
        .offset(offset)
    }
    const { name, node, template, tag } = query
    if (
      name ||
      node !== undefined ||
      template !== undefined ||
      tag?.length ||
      principal.client ||
      principal.roles.length > 0
    )
      return await build(principal, first, now()).execute()
    return await prepared.execute(
      `page ${query.order} ${query.limit} ${query.permissions} ${canSeeAllServers(principal.scopes)}`,
      (value) => build({ ...principal, userId: value('userId') }, value('first'), value('now')),
      { userId: principal.userId, first, now: now() },
    )
  }

  /** The nodes and tags of all servers that the principal sees. */
  async function choicesFor(
    principal: Principal,
    from: ClientInfo,
  ): Promise<Pick<ServerListResponse, 'nodes' | 'tags'>> {
    const visible = serversVisibleTo(db, principal, now())
    const rows = await visible.select('node_id').distinct().orderBy('node_id').execute()
    const getSummary = await nodes.summaries(from)
    return {
      nodes: rows.map(({ node_id }) => ({ id: node_id, name: getSummary(node_id).name })),
      tags: await tagsOfServers(visible),
    }
  }

  return {
    readViews,

    /** The number of servers that the principal sees, by template. */
    async countByTemplate(principal: Principal): Promise<ReadonlyMap<string, number>> {
      const rows = await serversVisibleTo(db, principal, now())
        .where('template', 'is not', null)
        .select(({ fn }) => ['template', fn.countAll<number | bigint | string>().as('count')])
        .groupBy('template')
        .execute()
      return new Map(rows.flatMap(({ template, count }) => (template === null ? [] : [[template, Number(count)]])))
    },

    /** A page of the servers that the principal sees. */
    async list(principal: Principal, query: ListQuery, from: ClientInfo): Promise<ServerListResponse> {
      const text = serverNameKey(query.query?.trim() ?? '')
      const first = (query.page - 1) * query.limit
      if (query.sort === 'name' && !query.status && !query.counts && text === '') {
        const rows = await readPage(principal, query, first)
        // A page after the last one has no rows, and so no total.
        const total =
          rows[0]?.total ?? (await selectTotal(filteredServers(db, principal, query, now())).executeTakeFirst())?.total
        const at = now()
        const views = await readViews(
          rows.map((row) => getServer(row, at)),
          from,
        )
        const rights = new Map(rows.map(({ id, rights = null }) => [id, rights]))
        const tags = await readTagKeys(db, [...rights.keys()], [principal])
        const getPermissions = ({ id, suspension }: ServerView) => {
          const isSuspended = suspension !== undefined
          const server = { id, tagKeys: tags(id), isSuspended }
          return getNames(getServerPermissions(principal, server, rights.get(id) ?? null))
        }
        const servers = query.permissions
          ? views.map((view) => ({ ...view, permissions: getPermissions(view) }))
          : views
        return { servers, paging: getPaging(query, Number(total ?? 0)) }
      }
      const byName = orderByName(filteredServers(db, principal, query, now()), query)

      // The database has neither addresses and names of nodes nor their reports, so the rest is done here.
      const at = now()
      const all = (await byName.execute()).map((row) => getServer(row, at))
      const needsAllViews = text !== '' || query.sort !== 'name'
      const views = needsAllViews ? await readViews(all, from) : undefined
      const found =
        views && text !== '' ? new Set(views.filter((view) => contains(view, text)).map(({ id }) => id)) : undefined
      const matches = found ? all.filter(({ id }) => found.has(id)) : all
      const reported = await readUsage(usage, principal, query, matches)
      const getGroup = ({ id }: Pick<Server, 'id'>) => getStatusGroup(reported.get(id) ?? {})
      const inGroup = query.status ? matches.filter((server) => getGroup(server) === query.status) : matches
      const page = <T>(rows: readonly T[]) => rows.slice(first, first + query.limit)

      const ids = new Set(inGroup.map(({ id }) => id))
      const filtered =
        views && query.sort !== 'name'
          ? page(
              sortServers(
                views.filter(({ id }) => ids.has(id)),
                reported,
                query.sort,
                query.order,
              ),
            )
          : await readViews(page(inGroup), from)
      return {
        servers: await withPermissions(access, principal, filtered, query.permissions),
        paging: getPaging(query, inGroup.length),
        ...(query.counts ? { counts: getCounts(matches.map(getGroup)), ...(await choicesFor(principal, from)) } : {}),
      }
    },
  }
}

function orderByName(servers: ReturnType<typeof filteredServers>, { order }: ListQuery) {
  return servers.select(serverColumns).orderBy('name_sort', order).orderBy('name_key', order)
}

const selectTotal = (servers: ReturnType<typeof filteredServers>) =>
  servers.select(({ fn }) => fn.countAll<number | bigint | string>().as('total'))

/** Whether the name, address, node or a tag of a server contains a text, which is a `serverNameKey`. */
function contains(server: ServerView, text: string): boolean {
  return [server.name, getAddress(server), server.node.name, ...server.tags].some((part) =>
    serverNameKey(part).includes(text),
  )
}

function getCounts(groups: readonly StatusGroup[]): Record<StatusGroup, number> {
  const counts = { online: 0, notResponding: 0, busy: 0, offline: 0, crashed: 0, suspended: 0, unknown: 0 }
  for (const group of groups) counts[group]++
  return counts
}

/** The usage for sorting and counting. Permissions are read only for values that not every viewer may see. */
async function readUsage(
  usage: Deps['usage'],
  principal: Principal,
  { sort, status, counts }: ListQuery,
  servers: readonly Server[],
): Promise<ReadonlyMap<string, Partial<ServerUsage>>> {
  if (sort === 'players' || sort === 'cpu' || sort === 'memory') {
    const ids = servers.map(({ id }) => id)
    return new Map((await usage.ofServers(principal, ids)).map((serverUsage) => [serverUsage.id, serverUsage]))
  }
  return status !== undefined || counts || sort === 'status' ? await usage.readStatuses(servers) : new Map()
}

async function withPermissions(
  access: Deps['access'],
  principal: Principal,
  servers: readonly ServerView[],
  isWanted: boolean,
): Promise<ListedServer[]> {
  if (!isWanted) return [...servers]
  const allowed = await access.visibleServers(
    principal,
    servers.map(({ id }) => id),
  )
  const permissions = new Map(allowed.map((server) => [server.id, server.permissions]))
  return servers.map((server) => ({ ...server, permissions: getNames(permissions.get(server.id)) }))
}

const getNames = (permissions: ReadonlySet<RequiredPermission> | undefined): ServerPermission[] =>
  serverPermissionNames.filter((permission) => permissions?.has(permission))
