import { type GlobalFlag, type GlobalPermissions, globalFlags, grants } from '@innkeeper/contract/permissions'

/** A switch of the panel's permissions. */
export interface Permission {
  readonly flag: GlobalFlag
  readonly name: string
}

export interface PermissionGroup {
  readonly name: string
  readonly permissions: readonly Permission[]
}

/** Everything but being an administrator, in the groups of the page. */
export const permissionGroups: readonly PermissionGroup[] = [
  {
    name: 'users.GroupServers',
    permissions: [
      { flag: 'viewServers', name: 'users.ViewServers' },
      { flag: 'createServers', name: 'users.CreateServers' },
      { flag: 'deleteServers', name: 'users.DeleteServers' },
      { flag: 'editServerAdmin', name: 'users.EditServerAdmin' },
    ],
  },
  {
    name: 'users.GroupTemplates',
    permissions: [
      { flag: 'viewTemplates', name: 'users.ViewTemplates' },
      { flag: 'editTemplates', name: 'users.EditTemplates' },
    ],
  },
  {
    name: 'users.GroupNodes',
    permissions: [
      { flag: 'viewNodes', name: 'users.ViewNodes' },
      { flag: 'editNodes', name: 'users.EditNodes' },
      { flag: 'deployNodes', name: 'users.DeployNodes' },
    ],
  },
  {
    name: 'users.GroupUsersAndPanel',
    permissions: [
      { flag: 'viewUsers', name: 'users.ViewUsers' },
      { flag: 'editUsers', name: 'users.EditUsers' },
      { flag: 'panelSettings', name: 'users.PanelSettings' },
    ],
  },
]

export type GlobalFlags = ReadonlySet<GlobalFlag>

export const allFlags = Object.keys(globalFlags) as readonly GlobalFlag[]

/** What each permission is called, as keys of the texts. */
export const permissionNames: Readonly<Partial<Record<GlobalFlag, string>>> = Object.fromEntries(
  permissionGroups.flatMap(({ permissions }) => permissions.map(({ flag, name }) => [flag, name])),
)

export function globalFlagsOf(permissions: GlobalPermissions): GlobalFlags {
  return new Set(allFlags.filter((flag) => permissions[flag] === true))
}

/** A switch for each flag, as a form has them. */
export function flagRecord(flags: GlobalFlags): Readonly<Record<GlobalFlag, boolean>> {
  return Object.fromEntries(allFlags.map((flag) => [flag, flags.has(flag)])) as Record<GlobalFlag, boolean>
}

/** The flags whose switch is on. */
export function flagsIn(switches: Readonly<Record<GlobalFlag, boolean>>): GlobalFlags {
  return new Set(allFlags.filter((flag) => switches[flag]))
}

/** As the wire takes them: what is not there is taken away. */
export function permissionsOf(flags: GlobalFlags): GlobalPermissions {
  return Object.fromEntries(allFlags.filter((flag) => flags.has(flag)).map((flag) => [flag, true]))
}

export function withFlag(flags: GlobalFlags, flag: GlobalFlag, isOn: boolean): GlobalFlags {
  const after = new Set(flags)
  if (isOn) after.add(flag)
  else after.delete(flag)
  return after
}

/** Whether somebody with these scopes may switch a flag that is saved like this: what they hold, or what is there already. */
export function maySwitch(scopes: readonly string[], saved: GlobalFlags, flag: GlobalFlag): boolean {
  if (grants(scopes, 'servers.admin')) return true
  if (saved.has('admin') || flag === 'admin') return false
  return saved.has(flag) || grants(scopes, globalFlags[flag])
}
