import {
  type GlobalPermission,
  type GlobalPermissions,
  hasScope,
  scopeOfGlobalPermission,
} from '@innkeeper/contract/permissions'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { scopeNames } from '../../ui/scope-name.ts'

/** A panel permission and the key of its text. */
export interface Permission {
  readonly flag: GlobalPermission
  readonly name: TranslationKey
}

export interface PermissionGroup {
  readonly name: TranslationKey
  readonly permissions: readonly Permission[]
}

const toPermission = (flag: GlobalPermission): Permission => ({ flag, name: scopeNames[scopeOfGlobalPermission[flag]] })

/** All permissions except Administrator, in the order of the page. */
export const permissionGroups: readonly PermissionGroup[] = [
  {
    name: 'shell.Servers',
    permissions: [
      toPermission('viewServers'),
      toPermission('createServers'),
      toPermission('deleteServers'),
      toPermission('editServerAdmin'),
    ],
  },
  {
    name: 'shell.Templates',
    permissions: [toPermission('viewTemplates'), toPermission('editTemplates')],
  },
  {
    name: 'shell.Nodes',
    permissions: [toPermission('viewNodes'), toPermission('editNodes'), toPermission('deployNodes')],
  },
  {
    name: 'users.GroupUsersAndPanel',
    permissions: [toPermission('viewUsers'), toPermission('editUsers'), toPermission('panelSettings')],
  },
]

export type FlagSet = ReadonlySet<GlobalPermission>

export const allFlags = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** Text keys of the permissions. */
export const permissionNames: Readonly<Partial<Record<GlobalPermission, TranslationKey>>> = Object.fromEntries(
  permissionGroups.flatMap(({ permissions }) => permissions.map(({ flag, name }) => [flag, name])),
)

export function toFlagSet(permissions: GlobalPermissions): FlagSet {
  return new Set(allFlags.filter((flag) => permissions[flag] === true))
}

/** Converts a set to one boolean for each flag: the values of a form. */
export function toFlagRecord(flags: FlagSet): Readonly<Record<GlobalPermission, boolean>> {
  return Object.fromEntries(allFlags.map((flag) => [flag, flags.has(flag)])) as Record<GlobalPermission, boolean>
}

/** The reverse of `toFlagRecord`. */
export function fromFlagRecord(switches: Readonly<Record<GlobalPermission, boolean>>): FlagSet {
  return new Set(allFlags.filter((flag) => switches[flag]))
}

/** Converts a set to a request body. Missing flags are revoked. */
export function toGlobalPermissions(flags: FlagSet): GlobalPermissions {
  return Object.fromEntries(allFlags.filter((flag) => flags.has(flag)).map((flag) => [flag, true]))
}

export function setFlag(flags: FlagSet, flag: GlobalPermission, isOn: boolean): FlagSet {
  const after = new Set(flags)
  if (isOn) after.add(flag)
  else after.delete(flag)
  return after
}

/** Whether a user with these scopes can change a flag: one that they have themselves, or that is already granted. */
export function canToggle(scopes: readonly string[], saved: FlagSet, flag: GlobalPermission): boolean {
  if (hasScope(scopes, 'servers.admin')) return true
  if (saved.has('admin') || flag === 'admin') return false
  return saved.has(flag) || hasScope(scopes, scopeOfGlobalPermission[flag])
}
