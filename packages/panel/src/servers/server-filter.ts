import type { PageQuery } from '@innkeeper/contract/api/paging'
import { canSeeAllServers } from '@innkeeper/contract/api/permissions'
import type { ServerSort, SortOrder, StatusGroup, TagCount } from '@innkeeper/contract/servers/servers'
import { serverNameKey, tagKey } from '@innkeeper/contract/text/names'
import { hasOnlySomeServers } from '../access/client-limits.ts'
import type { Principal } from '../access/principal.ts'
import { hasNotEnded, matchesWildcard } from '../database/expressions.ts'
import type { Database } from '../database/schema.ts'

/** Tags in the filter of the server list: the most used ones. */
const maxFilterTags = 200

/** The query of a list, see `listServers`. */
export interface ListQuery extends PageQuery {
  /** May contain `*`. */
  readonly name?: string | undefined
  readonly query?: string | undefined
  readonly node?: number | undefined
  readonly tag?: readonly string[] | undefined
  readonly template?: string | undefined
  readonly status?: StatusGroup | undefined
  readonly sort: ServerSort
  readonly order: SortOrder
  readonly counts: boolean
  readonly permissions: boolean
}

/** A query of the servers that a principal sees. */
export function serversVisibleTo(db: Database, principal: Principal, now: number) {
  const { client, roles } = principal
  let visible = db.selectFrom('servers')
  if (client && hasOnlySomeServers(client.limits)) {
    const { servers = [], tags = [] } = client.limits
    visible = visible.where(({ eb, or }) =>
      or([
        ...(servers.length > 0 ? [eb('servers.id', 'in', servers)] : []),
        ...(tags.length > 0 ? [eb('servers.id', 'in', taggedServers(db, tags.map(tagKey)))] : []),
      ]),
    )
  }
  const isOnAll = roles.some((role) => role.tagKey === undefined)
  if (isOnAll || canSeeAllServers(client?.ownerScopes ?? principal.scopes)) return visible
  const granted = db
    .selectFrom('server_users')
    .select('server_id')
    .where('user_id', '=', principal.userId)
    .where(hasNotEnded(now))
  if (roles.length === 0) return visible.where('servers.id', 'in', granted)
  const tags = roles.flatMap((role) => role.tagKey ?? [])
  return visible.where(({ eb, or }) =>
    or([eb('servers.id', 'in', granted), eb('servers.id', 'in', taggedServers(db, tags))]),
  )
}

/** Servers with one of these tags. */
function taggedServers(db: Database, keys: readonly string[]) {
  return db.selectFrom('server_tags').select('server_id').where('tag_key', 'in', keys)
}

/** The same with the filters that the database can apply. */
export function filteredServers(
  db: Database,
  principal: Principal,
  { node, name, template, tag = [] }: Pick<ListQuery, 'node' | 'name' | 'template' | 'tag'>,
  now: number,
) {
  let servers = serversVisibleTo(db, principal, now)
  if (node !== undefined) servers = servers.where('node_id', '=', node)
  if (name) servers = servers.where(matchesWildcard('name_key', serverNameKey(name)))
  if (template !== undefined) servers = servers.where('template', '=', template)
  for (const key of tag.map(tagKey)) {
    servers = servers.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('server_tags')
          .select('server_tags.tag_key')
          .whereRef('server_tags.server_id', '=', 'servers.id')
          .where('server_tags.tag_key', '=', key),
      ),
    )
  }
  return servers
}

/** The tags of servers, the most used ones first. */
export async function tagsOfServers(servers: ReturnType<typeof serversVisibleTo>): Promise<TagCount[]> {
  const tags = await servers
    .innerJoin('server_tags', 'server_tags.server_id', 'servers.id')
    .select(({ fn }) => [
      fn.min<string>('server_tags.tag').as('name'),
      fn.countAll<number | bigint | string>().as('count'),
    ])
    .groupBy('server_tags.tag_key')
    .orderBy('count', 'desc')
    .orderBy('server_tags.tag_key')
    .limit(maxFilterTags)
    .execute()
  return tags.map(({ name, count }) => ({ name, count: Number(count) }))
}
