import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import type { TranslationKey } from '../../i18n/i18n.tsx'

/** A server permission with the keys of its texts: for its column in the grid, and for a list. */
export interface Permission {
  readonly permission: ServerPermission
  readonly short: TranslationKey
  readonly name: TranslationKey
}

export interface PermissionGroup {
  readonly name: TranslationKey
  readonly permissions: readonly Permission[]
}

/** All server permissions, in the order of the page. */
export const permissionGroups: readonly PermissionGroup[] = [
  {
    name: 'server.TabConsole',
    permissions: [
      { permission: 'viewServerConsole', short: 'server-users.View', name: 'server-users.ViewConsole' },
      { permission: 'sendServerConsole', short: 'server-users.Send', name: 'server-users.SendCommands' },
    ],
  },
  {
    name: 'server.PowerGroup',
    permissions: [
      { permission: 'startServer', short: 'server-users.Start', name: 'server-users.StartAndRestart' },
      { permission: 'stopServer', short: 'server-users.Stop', name: 'server-users.StopAndKill' },
      { permission: 'installServer', short: 'server-users.Install', name: 'server-users.InstallServer' },
    ],
  },
  {
    name: 'server.TabStats',
    permissions: [{ permission: 'viewServerStats', short: 'server-users.View', name: 'server-users.ViewUsage' }],
  },
  {
    name: 'common.Players',
    permissions: [
      { permission: 'viewServerPlayers', short: 'server-users.View', name: 'server-users.ViewPlayers' },
      { permission: 'kickPlayers', short: 'server-users.Kick', name: 'server-users.KickPlayers' },
      { permission: 'banPlayers', short: 'server-users.Ban', name: 'server-users.BanPlayers' },
      { permission: 'unbanPlayers', short: 'server-users.Unban', name: 'server-users.UnbanPlayers' },
      { permission: 'opPlayers', short: 'server-users.Operator', name: 'server-users.OpPlayers' },
      { permission: 'whitelistPlayers', short: 'server-users.Whitelist', name: 'server-users.WhitelistPlayers' },
      { permission: 'messagePlayers', short: 'server-users.Message', name: 'server-users.MessagePlayers' },
    ],
  },
  {
    name: 'server.TabFiles',
    permissions: [
      { permission: 'sftpServer', short: 'server-users.Sftp', name: 'server-users.SftpAccess' },
      { permission: 'viewServerFiles', short: 'server-users.View', name: 'server-users.ViewFiles' },
      { permission: 'putServerFiles', short: 'common.Edit', name: 'server-users.EditFiles' },
    ],
  },
  {
    name: 'server.TabBackups',
    permissions: [
      { permission: 'viewServerBackups', short: 'server-users.View', name: 'server-users.ViewBackups' },
      { permission: 'createServerBackups', short: 'files.Create', name: 'server-users.CreateBackups' },
      { permission: 'restoreServerBackups', short: 'forms.Restore', name: 'server-users.RestoreBackups' },
    ],
  },
  {
    name: 'server-users.Manage',
    permissions: [
      { permission: 'editServerData', short: 'server.TabSettings', name: 'server-users.ChangeSettings' },
      { permission: 'editServerUsers', short: 'server.TabUsers', name: 'server-users.ManageUsers' },
      { permission: 'deleteServer', short: 'common.Delete', name: 'server-users.DeleteServer' },
    ],
  },
]

export const allPermissions: readonly Permission[] = permissionGroups.flatMap(({ permissions }) => permissions)
export const shownPermissions: readonly ServerPermission[] = allPermissions.map(({ permission }) => permission)
