import {
  hasScope,
  isAdmin,
  keepWhileSuspended,
  type PanelScope,
  permissionsOfScope,
  type RequiredPermission,
  requiredPermissions,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tagKey } from '@innkeeper/contract/text/names'
import { ServerId } from '@innkeeper/contract/text/server-id'
import { hasNotEnded, rightsOnServer } from '../database/expressions.ts'
import { getListNames, getListValues, PreparedQueries } from '../database/prepared-queries.ts'
import type { Database, ServerRow } from '../database/schema.ts'
import { type Grants, readGrants, serverPermissionsRow } from '../database/users.ts'
import { permissionsOfClient } from './client-limits.ts'
import {
  type AuthorizedServer,
  mustSetUpSecondFactor,
  type OAuthClient,
  type Principal,
  type PrincipalWithScope,
  type Server,
  type UserPrincipal,
} from './principal.ts'
import { findSuspension, suspensionColumns } from './suspension.ts'

interface Deps {
  readonly db: Database
  /** Resolves a token to its principal; `undefined` when it is not valid. */
  readonly resolveToken: (token: string, address: string) => Promise<Principal | undefined>
  readonly now: () => number
}

export interface PrincipalOnServer {
  readonly principal: Principal
  readonly server: string
}

export type AccessService = ReturnType<typeof accessService>

/** Authorization: decides which principal may do what. */
export function accessService({ db, resolveToken, now }: Deps) {
  const prepared = new PreparedQueries(db)

  /** The given servers that the principal may see, with permissions and node. */
  async function visibleServers(
    principal: Principal,
    ids: readonly string[],
  ): Promise<readonly AuthorizedServer<'viewServer'>[]> {
    if (ids.length === 0) return []
    const rows = await prepared.execute(
      `${ids.length} servers`,
      (value) =>
        db
          .selectFrom('servers')
          .select(serverColumns)
          .select(rightsOnServer(value('userId'), value('now')))
          .where('id', 'in', getListNames(ids).map(value)),
      { userId: principal.userId, now: now(), ...getListValues(ids) },
    )
    const tags = await readTagKeys(db, ids, [principal])
    return rows.flatMap((row) => findVisible(principal, row, tags, now()) ?? [])
  }

  /** The server with the principal's permissions on it; `undefined` also when the principal may not see it. */
  async function findVisibleServer(
    principal: Principal,
    id: unknown,
  ): Promise<AuthorizedServer<'viewServer'> | undefined> {
    const serverId = ServerId.safeParse(id)
    if (!serverId.success) return undefined
    const [server] = await visibleServers(principal, [serverId.data])
    return server
  }

  return {
    findVisibleServer,

    /**
     * Requires that the user has a second factor if the panel requires one by now. Throws ErrSecondFactorRequired. OAuth2
     * clients need none: nobody can guess their secret.
     */
    requireSecondFactor(principal: Principal): void {
      if (principal.client || !mustSetUpSecondFactor(principal, now())) return
      throw new Refusal('ErrSecondFactorRequired')
    },

    /** Authenticates a token from an address. Throws ErrSessionTimedOut when it is not valid, or not from there. */
    async principal(token: string | undefined, address: string): Promise<Principal> {
      const principal = token === undefined ? undefined : await resolveToken(token, address)
      if (!principal) throw new Refusal('ErrSessionTimedOut')
      return principal
    },

    /** Requires a user: OAuth2 clients may not change the account. Throws ErrNoPermission. */
    requireUser(principal: Principal): UserPrincipal {
      if (principal.client) throw new Refusal('ErrNoPermission')
      return principal
    },

    /** Requires a scope, or the alternative one. Throws ErrMissingScope. */
    requireScope<S extends PanelScope>(principal: Principal, scope: S, orScope?: PanelScope): PrincipalWithScope<S> {
      const hasScopeOrAlternative =
        hasScope(principal.scopes, scope) || (orScope !== undefined && hasScope(principal.scopes, orScope))
      if (!hasScopeOrAlternative) throw new Refusal('ErrMissingScope', { scope })
      return principal as PrincipalWithScope<S>
    },

    /** Requires a permission on a server. Throws ErrServerNotFound, ErrServerSuspended or ErrMissingScope. */
    async authorizeServer<R extends RequiredPermission>(
      principal: Principal,
      id: unknown,
      permission: R,
    ): Promise<AuthorizedServer<R>> {
      const server = await findVisibleServer(principal, id)
      if (!server) throw new Refusal('ErrServerNotFound')
      if (!server.permissions.has(permission)) {
        const { suspension } = server
        if (suspension) throw new Refusal('ErrServerSuspended', { reason: suspension.reason })
        throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[permission] })
      }
      return server as Server as AuthorizedServer<R>
    },

    readPermissions: (all: readonly PrincipalOnServer[]) => readPermissions(db, all, now()),

    visibleServers,
  }
}

/** A server with the principal's permissions on it; `undefined` when the principal may not see it. */
function findVisible(
  principal: Principal,
  row: SelectedServer & { readonly rights: string | null },
  tags: TagKeys,
  now: number,
): AuthorizedServer<'viewServer'> | undefined {
  const server = getServer(row, now)
  const isSuspended = server.suspension !== undefined
  const permissions = getServerPermissions(principal, { id: row.id, tagKeys: tags(row.id), isSuspended }, row.rights)
  return permissions.has('viewServer') ? ({ ...server, permissions } as AuthorizedServer<'viewServer'>) : undefined
}

/**
 * Current permissions of principals on servers, in the order given; empty where a principal may not see the server.
 */
async function readPermissions(
  db: Database,
  all: readonly PrincipalOnServer[],
  now: number,
): Promise<readonly ReadonlySet<RequiredPermission>[]> {
  if (all.length === 0) return []
  const ids = [...new Set(all.map(({ server }) => server))]
  const existing = await db
    .selectFrom('servers')
    .select(['id', ...suspensionColumns])
    .where('id', 'in', ids)
    .execute()
  const rows = await db
    .selectFrom('server_users')
    .selectAll()
    .where((row) =>
      row.or(all.map(({ principal, server }) => row.and({ server_id: server, user_id: principal.userId }))),
    )
    .where(hasNotEnded(now))
    .execute()
  const suspended = new Map(existing.map((row) => [row.id, findSuspension(row, now) !== undefined]))
  const permissions = new Map(rows.map((row) => [`${row.server_id} ${row.user_id}`, row.rights]))
  const tags = await readTagKeys(
    db,
    ids,
    all.map(({ principal }) => principal),
  )
  return all.map(({ principal, server }) => {
    const isSuspended = suspended.get(server)
    if (isSuspended === undefined) return new Set<RequiredPermission>()
    const row = permissions.get(`${server} ${principal.userId}`) ?? null
    return getServerPermissions(principal, { id: server, tagKeys: tags(server), isSuspended }, row)
  })
}

/**
 * Requires the permission to delete all servers.
 * @throws Refusal ErrMissingScope
 */
export function requireDeleteAllServers({ scopes, isAdmin }: Principal): void {
  if (!isAdmin && !scopes.includes('servers.delete')) throw new Refusal('ErrMissingScope', { scope: 'servers.delete' })
}

const allPermissions: ReadonlySet<RequiredPermission> = new Set(requiredPermissions)

/** A server for which permissions are computed. */
export interface ServerForPermissions {
  readonly id: string
  /** See `readTagKeys`. */
  readonly tagKeys: readonly string[]
  readonly isSuspended: boolean
}

/**
 * The permissions of a principal on a server: the only place that computes them, from the user's row there, roles and
 * scopes. Every user with a row or a role there may see the server; an administrator has all permissions. While the
 * server is suspended, users keep few of those in their row and of roles. A client has those of its owner within its limits.
 */
export function getServerPermissions(
  { scopes, roles, client }: PermissionHolder,
  server: ServerForPermissions,
  row: string | null,
): ReadonlySet<RequiredPermission> {
  const ofUser = getUserPermissions({ scopes: client?.ownerScopes ?? scopes, roles }, server, row)
  return client ? permissionsOfClient(client, server, ofUser) : ofUser
}

/** Who has permissions on servers. */
interface PermissionHolder extends Grants {
  readonly client?: OAuthClient | undefined
}

function getUserPermissions(
  { scopes, roles }: Grants,
  { tagKeys, isSuspended }: ServerForPermissions,
  row: string | null,
): ReadonlySet<RequiredPermission> {
  if (isAdmin(scopes)) return allPermissions
  const everywhere = scopes.flatMap((scope) => permissionsOfScope[scope] ?? [])
  const byRole = roles
    .filter(({ tagKey: tag }) => tag === undefined || tagKeys.includes(tag))
    .flatMap(({ permissions }) => permissions)
  const own = row === null ? [] : parsePermissions(row)
  const here: readonly RequiredPermission[] =
    row === null && byRole.length === 0 ? [] : ['viewServer', ...own, ...byRole]
  return new Set([...everywhere, ...(isSuspended ? keepWhileSuspended(here) : here)])
}

/** Keys of the tags of a server. */
export type TagKeys = (server: string) => readonly string[]

/** Reads the tags of servers, if the permissions of one of the principals depend on them. */
export async function readTagKeys(
  db: Database,
  ids: readonly string[],
  principals: readonly PermissionHolder[],
): Promise<TagKeys> {
  const keys = new Set(
    principals.flatMap(({ roles, client }) => [
      ...roles.flatMap((role) => role.tagKey ?? []),
      ...(client?.limits.tags?.map(tagKey) ?? []),
    ]),
  )
  if (keys.size === 0 || ids.length === 0) return () => []
  const rows = await db
    .selectFrom('server_tags')
    .select(['server_id', 'tag_key'])
    .where('server_id', 'in', ids)
    .where('tag_key', 'in', [...keys])
    .execute()
  const byServer = Map.groupBy(rows, ({ server_id }) => server_id)
  return (server) => byServer.get(server)?.map(({ tag_key }) => tag_key) ?? []
}

/** The permissions of a user on a server, read now. Suspensions do not count: this is for what a user may grant. */
export async function readUserPermissions(
  db: Database,
  userId: number,
  server: string,
  now: number,
): Promise<ReadonlySet<RequiredPermission>> {
  const grants = await readGrants(db, userId)
  const tags = await readTagKeys(db, [server], [grants])
  const row = await serverPermissionsRow(db, server, userId, now)
  return getServerPermissions(grants, { id: server, tagKeys: tags(server), isSuspended: false }, row?.rights ?? null)
}

export function parsePermissions(text: string): readonly ServerPermission[] {
  const named = new Set(text.split(' '))
  return serverPermissionNames.filter((permission) => named.has(permission))
}

export function formatPermissions(permissions: readonly ServerPermission[]): string {
  return serverPermissionNames.filter((permission) => permissions.includes(permission)).join(' ')
}

/** What `getServer` needs. */
export const serverColumns = ['servers.id', 'name', 'node_id', 'ip', 'port', 'type', ...suspensionColumns] as const
type SelectedServer = Pick<
  ServerRow,
  'id' | 'name' | 'node_id' | 'ip' | 'port' | 'type' | (typeof suspensionColumns)[number]
>

export function getServer(row: SelectedServer, now: number): Server {
  const suspension = findSuspension(row, now)
  const { id, name, node_id: nodeId, ip, port, type } = row
  return { id, name, nodeId, ip, port, type, ...(suspension && { suspension }) }
}
