import { z } from 'zod/mini'

/** Permissions of a user on one server, by their names in the API. Each of them includes viewing the server. */
export const serverPermissionNames = [
  'viewServerConsole',
  'viewServerStats',
  'viewServerFiles',
  'sftpServer',
  'editServerData',
  'editServerUsers',
  'deleteServer',
  'startServer',
  'stopServer',
  'installServer',
  'sendServerConsole',
  'putServerFiles',
  'viewServerBackups',
  'createServerBackups',
  'restoreServerBackups',
  'viewServerPlayers',
  'kickPlayers',
  'banPlayers',
  'unbanPlayers',
  'opPlayers',
  'whitelistPlayers',
  'messagePlayers',
] as const
export type ServerPermission = (typeof serverPermissionNames)[number]

/**
 * The permission that an endpoint of a server requires: one of a user, any of them (`viewServer`), or administrator
 * (`admin`: raw definitions, automatic starts, reload).
 */
export type RequiredPermission = ServerPermission | 'viewServer' | 'admin'
export const requiredPermissions: readonly RequiredPermission[] = [...serverPermissionNames, 'viewServer', 'admin']

/** Scopes of a user in the panel. `servers.admin` includes all of them. */
export const panelScopes = [
  'servers.admin',
  'servers.view',
  'servers.create',
  'servers.delete',
  'servers.edit.admin',
  'nodes.view',
  'nodes.edit',
  'nodes.deploy',
  'templates.view',
  'templates.edit',
  'users.view',
  'users.edit',
  'panel.settings',
] as const
export type PanelScope = (typeof panelScopes)[number]

/** Global permissions by their names in the API, and the scope of each. */
export const scopeOfGlobalPermission = {
  admin: 'servers.admin',
  viewServers: 'servers.view',
  createServers: 'servers.create',
  deleteServers: 'servers.delete',
  editServerAdmin: 'servers.edit.admin',
  viewNodes: 'nodes.view',
  editNodes: 'nodes.edit',
  deployNodes: 'nodes.deploy',
  viewTemplates: 'templates.view',
  editTemplates: 'templates.edit',
  viewUsers: 'users.view',
  editUsers: 'users.edit',
  panelSettings: 'panel.settings',
} as const satisfies Record<string, PanelScope>
export type GlobalPermission = keyof typeof scopeOfGlobalPermission

/** The scope that existing clients of this API know for each server permission. */
export const scopeOfPermission: Readonly<Record<RequiredPermission, string>> = {
  viewServer: 'servers.view',
  admin: 'servers.edit.admin',
  editServerData: 'servers.edit',
  editServerUsers: 'servers.edit.users',
  deleteServer: 'servers.delete',
  installServer: 'servers.install',
  viewServerConsole: 'servers.console',
  sendServerConsole: 'servers.console.send',
  startServer: 'servers.start',
  stopServer: 'servers.stop',
  viewServerStats: 'servers.stats',
  viewServerFiles: 'servers.files.get',
  putServerFiles: 'servers.files.put',
  sftpServer: 'servers.sftp',
  viewServerBackups: 'servers.backup.view',
  createServerBackups: 'servers.backup.create',
  restoreServerBackups: 'servers.backup.restore',
  viewServerPlayers: 'servers.players',
  kickPlayers: 'servers.players.kick',
  banPlayers: 'servers.players.ban',
  unbanPlayers: 'servers.players.unban',
  opPlayers: 'servers.players.op',
  whitelistPlayers: 'servers.players.whitelist',
  messagePlayers: 'servers.players.message',
}

/**
 * What a user with permissions on a suspended server may do there. Administrators may do everything, but nobody can start
 * it.
 */
const permissionsWhileSuspended: ReadonlySet<string> = new Set<RequiredPermission>([
  'viewServer',
  'viewServerStats',
  'viewServerBackups',
])

/** Those of the permissions that apply while the server is suspended. */
export function keepWhileSuspended<P extends string>(permissions: Iterable<P>): ReadonlySet<P> {
  const all = new Set(permissions)
  const isAdministrator = (all as ReadonlySet<string>).has('admin')
  return isAdministrator ? all : new Set([...all].filter((permission) => permissionsWhileSuspended.has(permission)))
}

export function isAdmin(scopes: Iterable<string>): boolean {
  return [...scopes].includes('servers.admin')
}

/**
 * Server permissions that a scope grants on every server. Each of these scopes also lists all servers and opens their
 * pages with the status; console, files and the rest still require the permission on the server.
 */
export const permissionsOfScope: Readonly<Partial<Record<PanelScope, readonly RequiredPermission[]>>> = {
  'servers.view': ['viewServer', 'viewServerStats'],
  'servers.delete': ['viewServer', 'deleteServer'],
  'servers.edit.admin': ['viewServer', 'editServerData'],
}

/** Whether the scopes allow seeing every server. */
export function canSeeAllServers(scopes: readonly PanelScope[]): boolean {
  return isAdmin(scopes) || scopes.some((scope) => permissionsOfScope[scope] !== undefined)
}

/** Whether the scopes include one; an administrator has all. */
export function hasScope(scopes: readonly string[], scope: PanelScope): boolean {
  return scopes.includes(scope) || isAdmin(scopes)
}

/** Permissions of a user on one server in the API format: what is not granted is absent or false. */
export const ServerPermissions = z.looseObject({
  username: z.optional(z.string()),
  email: z.optional(z.string()),
  serverIdentifier: z.optional(z.string()),
  /** When the access ends by itself, ISO 8601. */
  until: z.optional(z.nullable(z.string())),
  viewServers: z.optional(z.boolean()),
  admin: z.optional(z.boolean()),
  deleteServers: z.optional(z.boolean()),
  ...(Object.fromEntries(serverPermissionNames.map((permission) => [permission, z.optional(z.boolean())])) as Record<
    ServerPermission,
    z.ZodMiniOptional<z.ZodMiniBoolean>
  >),
})
export type ServerPermissions = z.infer<typeof ServerPermissions>

/** A missing permission is not granted. */
const Granted = z.optional(z.boolean())

function permissionsSchema<K extends string>(names: readonly K[]): Record<K, typeof Granted> {
  return Object.fromEntries(names.map((name) => [name, Granted])) as Record<K, typeof Granted>
}

/** The user of the record; ignored when a client sends the record back unchanged. */
const recordOwner = { username: z.optional(z.string()), email: z.optional(z.string()) }

const globalPermissionNames = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** Global permissions of a user in the API format: what is not granted is absent. */
export const GlobalPermissions = z.strictObject({ ...recordOwner, ...permissionsSchema(globalPermissionNames) })
export type GlobalPermissions = z.infer<typeof GlobalPermissions>

/**
 * Permissions to grant on a server. A missing one of the twelve that existing clients know is revoked; a missing newer
 * one stays unchanged (`permissionsAfterUpdate`). Viewing is always included.
 */
export const NewServerPermissions = z.strictObject({
  ...recordOwner,
  serverIdentifier: z.optional(z.string()),
  version: z.optional(z.string()),
  /** When the access ends by itself, ISO 8601; null for never. A missing one stays unchanged. */
  until: z.optional(z.nullable(z.iso.datetime({ offset: true }))),
  viewServers: Granted,
  ...permissionsSchema(serverPermissionNames),
})
export type NewServerPermissions = z.infer<typeof NewServerPermissions>

/** Permissions that existing clients of this API know. Newer ones come after them in the list. */
const publishedPermissions: readonly string[] = serverPermissionNames.slice(0, 12)

/**
 * Returns the permissions of a user after an update by a client. A published permission that was not sent is removed. A
 * newer one that was not sent is kept, because a client that does not know it never sends it.
 */
export function permissionsAfterUpdate<F extends string>(
  permissions: readonly F[],
  current: readonly F[],
  sent: Readonly<Partial<Record<F, boolean | undefined>>>,
): F[] {
  return permissions.filter(
    (permission) => sent[permission] ?? (current.includes(permission) && !publishedPermissions.includes(permission)),
  )
}

/** The global permissions of scopes; only granted ones. */
export function getGlobalPermissions(scopes: readonly PanelScope[]): Partial<Record<GlobalPermission, true>> {
  const granted = globalPermissionNames.filter((permission) => scopes.includes(scopeOfGlobalPermission[permission]))
  return Object.fromEntries(granted.map((permission) => [permission, true as const]))
}

/** The scopes of global permissions. */
export function scopesOfPermissions(
  permissions: Readonly<Partial<Record<GlobalPermission, boolean | undefined>>>,
): PanelScope[] {
  return globalPermissionNames
    .filter((permission) => permissions[permission] === true)
    .map((permission) => scopeOfGlobalPermission[permission])
}
