import { z } from 'zod'

/** What a person may do on one server, by the names the wire uses. Viewing comes with any of them. */
export const serverFlags = [
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
] as const
export type ServerFlag = (typeof serverFlags)[number]

/**
 * What a call on a server may ask for: a flag, just seeing the server (`viewServer`), or being an administrator
 * (`admin`: raw definitions, automatic starts, reload).
 */
export type ServerRight = ServerFlag | 'viewServer' | 'admin'
export const serverRights: readonly ServerRight[] = [...serverFlags, 'viewServer', 'admin']

/** What a person may do in the panel as a whole. `servers.admin` grants everything. */
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

/** Global flags as the wire names them, and the scope that each gives. */
export const globalFlags = {
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
export type GlobalFlag = keyof typeof globalFlags

/** The scope that published clients of this API family know for each right on a server. */
export const scopeOfRight: Readonly<Record<ServerRight, string>> = {
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
}

export function isAdmin(scopes: Iterable<string>): boolean {
  return [...scopes].includes('servers.admin')
}

/**
 * What a scope in the panel gives on every server. Each of them shows all servers, whose pages open with their status;
 * console, files and the rest still take the permission on the server.
 */
export const rightsOfScope: Readonly<Partial<Record<PanelScope, readonly ServerRight[]>>> = {
  'servers.view': ['viewServer', 'viewServerStats'],
  'servers.delete': ['viewServer', 'deleteServer'],
  'servers.edit.admin': ['viewServer', 'editServerData'],
}

/** Whether the scopes show every server. */
export function seesEveryServer(scopes: readonly PanelScope[]): boolean {
  return isAdmin(scopes) || scopes.some((scope) => rightsOfScope[scope] !== undefined)
}

/** Whether the scopes grant one; an administrator's grant all. */
export function grants(scopes: readonly string[], wanted: PanelScope): boolean {
  return scopes.includes(wanted) || isAdmin(scopes)
}

/** A person's rights on one server as the wire has them: what is not granted is absent or false. */
export const ServerPermissions = z.looseObject({
  username: z.string().optional(),
  email: z.string().optional(),
  serverIdentifier: z.string().optional(),
  viewServers: z.boolean().optional(),
  admin: z.boolean().optional(),
  deleteServers: z.boolean().optional(),
  ...(Object.fromEntries(serverFlags.map((flag) => [flag, z.boolean().optional()])) as Record<
    ServerFlag,
    z.ZodOptional<z.ZodBoolean>
  >),
})
export type ServerPermissions = z.infer<typeof ServerPermissions>

/** A flag that is not named is not granted. */
const Flag = z.boolean().optional()

function flagsSchema<K extends string>(names: readonly K[]): Record<K, typeof Flag> {
  return Object.fromEntries(names.map((name) => [name, Flag])) as Record<K, typeof Flag>
}

/** Whose record it is: shown, and ignored when a client sends a record back as it got it. */
const whose = { username: z.string().optional(), email: z.string().optional() }

const globalFlagNames = Object.keys(globalFlags) as readonly GlobalFlag[]

/** A person's panel permissions as the wire has them: what is not granted is absent. */
export const GlobalPermissions = z.strictObject({ ...whose, ...flagsSchema(globalFlagNames) })
export type GlobalPermissions = z.infer<typeof GlobalPermissions>

/**
 * The flags that a person gets on a server. One of the twelve that every client knows is taken away when it is not there, a
 * later one stays as it is (`flagsAfter`). Viewing always comes along.
 */
export const NewServerPermissions = z.strictObject({
  ...whose,
  serverIdentifier: z.string().optional(),
  version: z.string().optional(),
  viewServers: Flag,
  ...flagsSchema(serverFlags),
})
export type NewServerPermissions = z.infer<typeof NewServerPermissions>

/** The permissions that every client of this API family knows. Later ones stand behind them in `serverFlags`. */
const publishedServerFlags: readonly string[] = serverFlags.slice(0, 12)

/**
 * Returns the permissions of a user after a client has sent its changes. A published permission that was not sent is
 * removed. A later one that was not sent is kept, because a client that does not know it never sends it.
 */
export function flagsAfter<F extends string>(
  flags: readonly F[],
  held: readonly F[],
  sent: Readonly<Partial<Record<F, boolean | undefined>>>,
): F[] {
  return flags.filter((flag) => sent[flag] ?? (held.includes(flag) && !publishedServerFlags.includes(flag)))
}

/** The flags of scopes: only those that are granted. */
export function flagsOf(scopes: readonly PanelScope[]): Partial<Record<GlobalFlag, true>> {
  const granted = globalFlagNames.filter((flag) => scopes.includes(globalFlags[flag]))
  return Object.fromEntries(granted.map((flag) => [flag, true as const]))
}

/** The scopes of flags. */
export function scopesOfFlags(flags: Readonly<Partial<Record<GlobalFlag, boolean | undefined>>>): PanelScope[] {
  return globalFlagNames.filter((flag) => flags[flag] === true).map((flag) => globalFlags[flag])
}
