import { type PanelScope, type ServerPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import type { ForeignRow } from '@innkeeper/panel/database/foreign-database'
import type { ImportedClient, ImportedServer, ImportedUser } from '@innkeeper/panel/import/import-plan'
import { flagIn, groupBy, textIn } from '../rows.ts'
import { getServerId } from '../source-files.ts'

/** Users of servers, by the ID of the server at the source. */
export type ServerAccess = ReadonlyMap<string, ImportedServer['users']>

interface Rows {
  readonly users: readonly ForeignRow[]
  readonly permissions: readonly ForeignRow[]
  readonly clients: readonly ForeignRow[]
  readonly isV3: boolean
}

interface Access {
  readonly users: readonly ImportedUser[]
  readonly servers: ServerAccess
  readonly clients: readonly ImportedClient[]
}

/** Users, their permissions and their OAuth2 clients. What is not carried over is added to the notes. */
export function getAccess({ users, permissions, clients, isV3 }: Rows, notes: string[]): Access {
  const ofUsers = permissions.filter((row) => textIn(row, 'user_id') !== undefined && !textIn(row, 'client_id'))
  const byUser = groupBy(ofUsers, 'user_id')
  const names = new Map(users.map((row) => [textIn(row, 'id') ?? '', textIn(row, 'username') ?? '']))
  const importedUsers = users.flatMap((row): ImportedUser[] => {
    const key = textIn(row, 'id') ?? ''
    const username = textIn(row, 'username') ?? ''
    const global = (byUser.get(key) ?? []).filter((row) => !textIn(row, 'server_identifier'))
    if (isV3 && global.length > 0 && !global.some(mayLogIn)) {
      notes.push(`user ${username}: is not allowed to sign in there`)
      return []
    }
    for (const lost of new Set(global.flatMap(isV3 ? lostScopesOfV3 : lostColumnsOfV2)))
      notes.push(`permission ${lost} of ${username} in the panel: has no counterpart`)
    const secret = textIn(row, 'otp_secret') ?? ''
    const hasOtp = flagIn(row, 'otp_active') && /^[A-Z2-7]{16,128}=*$/.test(secret)
    if (flagIn(row, 'otp_active') && !hasOtp) notes.push(`user ${username}: the second factor is not readable`)
    return [
      {
        key,
        username,
        email: textIn(row, 'email') ?? '',
        passwordHash: textIn(row, 'password'),
        otpSecret: hasOtp ? secret.replaceAll('=', '') : undefined,
        scopes: [...new Set(global.flatMap((row) => (isV3 ? scopesOfV3(row) : scopesOfV2(row))))],
      },
    ]
  })
  const importedKeys = new Set(importedUsers.map(({ key }) => key))
  const servers = new Map<string, ImportedServer['users'][number][]>()
  for (const row of ofUsers) {
    const [server, key] = [textIn(row, 'server_identifier') ?? '', textIn(row, 'user_id') ?? '']
    if (server === '' || !importedKeys.has(key)) continue
    const granted = isV3 ? permissionsOfV3(row) : permissionsOfV2(row)
    for (const lost of granted.lost)
      notes.push(`permission ${lost} of ${names.get(key)} on server ${server}: has no counterpart`)
    servers.set(server, [...(servers.get(server) ?? []), { key, permissions: granted.permissions }])
  }
  return { users: importedUsers, servers, clients: getClients(clients, { permissions, importedKeys, isV3 }, notes) }
}

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const globalColumns = {
  admin: 'servers.admin',
  create_server: 'servers.create',
  view_nodes: 'nodes.view',
  edit_nodes: 'nodes.edit',
  deploy_nodes: 'nodes.deploy',
  view_templates: 'templates.view',
  edit_templates: 'templates.edit',
  view_users: 'users.view',
  edit_users: 'users.edit',
  panel_settings: 'panel.settings',
} as const satisfies Record<string, PanelScope>

/** Every global row has it. */
const impliedColumns = ['view_server']

/** Permissions for servers in a global row: of an administrator for all, of others without effect there. */
function lostColumnsOfV2(row: ForeignRow): string[] {
  if (flagIn(row, 'admin')) return []
  const columns = [...permissionsOfPufferPanel.map(snakeCase), 'edit_server_admin']
  return columns.filter((name) => flagIn(row, name) && !impliedColumns.includes(name))
}

function scopesOfV2(row: ForeignRow): PanelScope[] {
  return Object.entries(globalColumns).flatMap(([column, scope]) => (flagIn(row, column) ? [scope] : []))
}

const globalScopes: Readonly<Record<string, PanelScope>> = {
  admin: 'servers.admin',
  'server.create': 'servers.create',
  'nodes.view': 'nodes.view',
  'nodes.edit': 'nodes.edit',
  'nodes.deploy': 'nodes.deploy',
  'templates.view': 'templates.view',
  'templates.local.edit': 'templates.edit',
  'users.info.view': 'users.view',
  'users.info.edit': 'users.edit',
  'settings.edit': 'panel.settings',
}

const scopesIn = (row: ForeignRow): string[] => (textIn(row, 'scopes') ?? '').split(',').map((scope) => scope.trim())

const mayLogIn = (row: ForeignRow): boolean => scopesIn(row).some((scope) => scope === 'login' || scope === 'admin')

function scopesOfV3(row: ForeignRow): PanelScope[] {
  return scopesIn(row).flatMap((scope) => (Object.hasOwn(globalScopes, scope) ? (globalScopes[scope] ?? []) : []))
}

/** Those of an administrator are included in ours. */
function lostScopesOfV3(row: ForeignRow): string[] {
  const scopes = scopesIn(row)
  if (scopes.includes('admin')) return []
  return scopes.filter((scope) => !Object.hasOwn(globalScopes, scope) && !isImpliedInPanel(scope))
}

const isImpliedInPanel = (scope: string): boolean => ['', 'login', 'panel'].includes(scope) || scope.startsWith('self.')

interface Granted {
  readonly permissions: readonly ServerPermission[]
  /** Permissions without a counterpart. */
  readonly lost: readonly string[]
}

const permissionsOfPufferPanel = serverPermissionNames.slice(0, 12)

function permissionsOfV2(row: ForeignRow): Granted {
  const permissions = permissionsOfPufferPanel.filter((name) => flagIn(row, snakeCase(name)))
  const lost = [...Object.keys(globalColumns), 'edit_server_admin'].filter((name) => flagIn(row, name))
  return { permissions, lost }
}

const permissionOfScope: Readonly<Record<string, ServerPermission>> = {
  'server.console': 'viewServerConsole',
  'server.stats': 'viewServerStats',
  'server.files.view': 'viewServerFiles',
  'server.sftp': 'sftpServer',
  'server.data.edit': 'editServerData',
  'server.delete': 'deleteServer',
  'server.start': 'startServer',
  'server.stop': 'stopServer',
  'server.install': 'installServer',
  'server.console.send': 'sendServerConsole',
  'server.files.edit': 'putServerFiles',
  'server.backup.view': 'viewServerBackups',
  'server.backup.create': 'createServerBackups',
  'server.backup.restore': 'restoreServerBackups',
}
const userScopes = ['server.users.edit', 'server.users.create', 'server.users.delete']
/** Included in every row, or in a permission of ours. */
const impliedScopes = ['', 'server.view', 'server.status', 'server.kill', 'server.data.view', 'login']

function permissionsOfV3(row: ForeignRow): Granted {
  const scopes = scopesIn(row)
  if (scopes.includes('server.admin')) return { permissions: permissionsOfPufferPanel, lost: [] }
  const mayEditUsers = userScopes.every((scope) => scopes.includes(scope))
  const mapped = scopes.flatMap((scope) =>
    Object.hasOwn(permissionOfScope, scope) ? (permissionOfScope[scope] ?? []) : [],
  )
  const isImplied = (scope: string) =>
    impliedScopes.includes(scope) || scope.startsWith('self.') || (mayEditUsers && userScopes.includes(scope))
  return {
    permissions: [...mapped, ...(mayEditUsers ? (['editServerUsers'] as const) : [])],
    lost: scopes.filter((scope) => !Object.hasOwn(permissionOfScope, scope) && !isImplied(scope)),
  }
}

interface ClientContext {
  readonly permissions: readonly ForeignRow[]
  readonly importedKeys: ReadonlySet<string>
  readonly isV3: boolean
}

/** A client has all permissions of its user here, so one that had fewer is not carried over. */
function getClients(rows: readonly ForeignRow[], { permissions, importedKeys, isV3 }: ClientContext, notes: string[]) {
  return rows.flatMap((row): ImportedClient[] => {
    const [id, user, server] = [textIn(row, 'client_id') ?? '', textIn(row, 'user_id') ?? '', textIn(row, 'server_id')]
    const name = (textIn(row, 'name') ?? '').slice(0, 100)
    const refuse = (reason: string) => {
      notes.push(`OAuth2 client ${name || id}: ${reason}`)
      return []
    }
    if (!/^[\w-]{1,36}$/.test(id)) return refuse('its ID is not valid here')
    if (!importedKeys.has(user)) return refuse('its user was not carried over')
    const isRestricted = isV3 ? !hasAllScopes(row, user, permissions) : (textIn(row, 'scopes') ?? '').trim() !== ''
    if (isRestricted) return refuse('it has fewer permissions than its user, which is not possible here')
    const description = (textIn(row, 'description') ?? '').slice(0, 500)
    const secretHash = textIn(row, 'client_secret') ?? ''
    return [
      { id, user, server: server ? getServerId('pufferpanel', server) : undefined, name, description, secretHash },
    ]
  })
}

/** Whether a client of 3.x has every scope that its user has on the same server, or in the panel. */
function hasAllScopes(client: ForeignRow, user: string, permissions: readonly ForeignRow[]): boolean {
  const server = textIn(client, 'server_id') ?? ''
  const onSame = permissions.filter((row) => (textIn(row, 'server_identifier') ?? '') === server)
  const own = new Set(onSame.filter((row) => textIn(row, 'client_id') === textIn(client, 'id')).flatMap(scopesIn))
  const ofUser = onSame.filter((row) => textIn(row, 'user_id') === user && !textIn(row, 'client_id')).flatMap(scopesIn)
  return ofUser.every((scope) => own.has(scope) || impliedScopes.includes(scope) || scope.startsWith('self.'))
}
