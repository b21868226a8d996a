import { ServerId } from '@innkeeper/contract/names'
import {
  hasScope,
  isAdmin,
  type PanelScope,
  permissionsOfScope,
  type RequiredPermission,
  requiredPermissions,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Database, ServerRow } from '../database/schema.ts'
import type { Allowed, Caller, CallerWith, Server } from './caller.ts'

interface Needs {
  readonly db: Database
  /** Who a token speaks for; `undefined` for one that is not live. */
  readonly callerOf: (token: string) => Promise<Caller | undefined>
}

export type AccessService = ReturnType<typeof accessService>

/** The one place that judges who may do what. */
export function accessService({ db, callerOf }: Needs) {
  /** The server with the caller's rights on it; one that they may not see is as absent as one that does not exist. */
  async function serverFor(caller: Caller, id: unknown): Promise<Allowed<'viewServer'> | undefined> {
    const wanted = ServerId.safeParse(id)
    if (!wanted.success) return undefined
    const row = await db
      .selectFrom('servers')
      .leftJoin('server_users', (join) =>
        join.onRef('server_users.server_id', '=', 'servers.id').on('server_users.user_id', '=', caller.userId),
      )
      .selectAll('servers')
      .select('server_users.rights')
      .where('servers.id', '=', wanted.data)
      .executeTakeFirst()
    if (!row) return undefined
    const rights = rightsOf(caller, row.id, row.rights)
    if (!rights.has('viewServer')) return undefined
    return { ...serverOf(row), rights } as Allowed<'viewServer'>
  }

  return {
    serverFor,

    /** Who the token speaks for. */
    async caller(token: string | undefined): Promise<Caller> {
      const caller = token === undefined ? undefined : await callerOf(token)
      if (!caller) throw new Refusal('ErrSessionTimedOut')
      return caller
    },

    /** The caller, proven to be the person themselves: an account is nothing for its OAuth2 clients to change. */
    inPerson(caller: Caller): Caller {
      if (caller.client) throw new Refusal('ErrNoPermission')
      return caller
    },

    /** The caller, proven to hold the scope, or the other one that is enough. */
    holding<S extends PanelScope>(caller: Caller, scope: S, orScope?: PanelScope): CallerWith<S> {
      const isHeld = hasScope(caller.scopes, scope) || (orScope !== undefined && hasScope(caller.scopes, orScope))
      if (!isHeld) throw new Refusal('ErrMissingScope', { scope })
      return caller as CallerWith<S>
    },

    /** The server, proven to be one on which the caller holds the right. */
    async allow<R extends RequiredPermission>(caller: Caller, id: unknown, right: R): Promise<Allowed<R>> {
      const server = await serverFor(caller, id)
      if (!server) throw new Refusal('ErrServerNotFound')
      if (!server.rights.has(right)) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[right] })
      return server as Server as Allowed<R>
    },

    /** The rights of each caller on their server at this moment, in the order given; none where they may not see it. */
    async rightsOn(
      all: readonly { readonly caller: Caller; readonly server: string }[],
    ): Promise<readonly ReadonlySet<RequiredPermission>[]> {
      if (all.length === 0) return []
      const ids = [...new Set(all.map(({ server }) => server))]
      const existing = await db.selectFrom('servers').select('id').where('id', 'in', ids).execute()
      const rows = await db
        .selectFrom('server_users')
        .selectAll()
        .where((row) => row.or(all.map(({ caller, server }) => row.and({ server_id: server, user_id: caller.userId }))))
        .execute()
      const servers = new Set(existing.map(({ id }) => id))
      const rights = new Map(rows.map((row) => [`${row.server_id} ${row.user_id}`, row.rights]))
      return all.map(({ caller, server }) =>
        servers.has(server)
          ? rightsOf(caller, server, rights.get(`${server} ${caller.userId}`) ?? null)
          : new Set<RequiredPermission>(),
      )
    },

    /** The caller's rights on each of the servers that they may see, and where these run. */
    async serversFor(caller: Caller, ids: readonly string[]): Promise<readonly Allowed<'viewServer'>[]> {
      if (ids.length === 0) return []
      const rows = await db
        .selectFrom('servers')
        .leftJoin('server_users', (join) =>
          join.onRef('server_users.server_id', '=', 'servers.id').on('server_users.user_id', '=', caller.userId),
        )
        .selectAll('servers')
        .select('server_users.rights')
        .where('servers.id', 'in', ids)
        .execute()
      return rows
        .map((row) => ({ ...serverOf(row), rights: rightsOf(caller, row.id, row.rights) }) as Allowed<'viewServer'>)
        .filter((server) => server.rights.has('viewServer'))
    },
  }
}

/** @throws Refusal ErrMissingScope unless the caller may delete every server there is. */
export function expectDeletesEveryServer({ scopes, isAdmin }: Caller): void {
  if (!isAdmin && !scopes.includes('servers.delete')) throw new Refusal('ErrMissingScope', { scope: 'servers.delete' })
}

/**
 * What a caller may do on a server, from the person's row there and their scopes. Everyone with a row may see it; an
 * administrator may do all.
 */
export function rightsOf(
  caller: Pick<Caller, 'scopes' | 'client'>,
  serverId: string,
  row: string | null,
): ReadonlySet<RequiredPermission> {
  const only = caller.client?.only
  if (only && only.server !== serverId) return new Set()
  const scopes = only?.scopes ?? caller.scopes
  if (isAdmin(scopes)) return new Set(requiredPermissions)
  const everywhere = scopes.flatMap((scope) => permissionsOfScope[scope] ?? [])
  const here: readonly RequiredPermission[] = row === null ? [] : ['viewServer', ...parseRights(row)]
  return new Set([...everywhere, ...here])
}

export function parseRights(text: string): readonly ServerPermission[] {
  const named = new Set(text.split(' '))
  return serverPermissionNames.filter((flag) => named.has(flag))
}

export function formatRights(flags: readonly ServerPermission[]): string {
  return serverPermissionNames.filter((flag) => flags.includes(flag)).join(' ')
}

export function serverOf(row: ServerRow): Server {
  return { id: row.id, name: row.name, nodeId: row.node_id, ip: row.ip, port: row.port, type: row.type }
}
