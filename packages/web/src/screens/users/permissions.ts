import {
  type GlobalPermission,
  type GlobalPermissions,
  hasScope,
  scopeOfGlobalPermission,
} from '@innkeeper/contract/api/permissions'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import { scopeNames } from '../../ui/names/scope-name.ts'

export interface PermissionGroup {
  readonly name: TranslationKey
  readonly flags: readonly GlobalPermission[]
}

/** All permissions except Administrator, in the order of the page. */
export const permissionGroups: readonly PermissionGroup[] = [
  { name: 'shell.Servers', flags: ['viewServers', 'createServers', 'deleteServers', 'editServerAdmin'] },
  { name: 'shell.Templates', flags: ['viewTemplates', 'editTemplates'] },
  { name: 'shell.Nodes', flags: ['viewNodes', 'editNodes', 'deployNodes'] },
  { name: 'users.GroupUsersAndPanel', flags: ['viewUsers', 'editUsers', 'panelSettings'] },
]

export const allFlags = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** Text keys of the permissions. */
export const permissionNames = Object.fromEntries(
  allFlags.map((flag) => [flag, scopeNames[scopeOfGlobalPermission[flag]]]),
) as Readonly<Record<GlobalPermission, TranslationKey>>

/** One boolean for each permission: the values of a form. */
export function toFlags(permissions: GlobalPermissions): Readonly<Record<GlobalPermission, boolean>> {
  return Object.fromEntries(allFlags.map((flag) => [flag, permissions[flag] === true])) as Record<
    GlobalPermission,
    boolean
  >
}

/** The granted permissions as a request body. Missing ones are revoked. */
export function toGlobalPermissions(flags: Readonly<Record<GlobalPermission, boolean>>): GlobalPermissions {
  return Object.fromEntries(allFlags.filter((flag) => flags[flag]).map((flag) => [flag, true]))
}

/** Permissions that are useless without another one: granting the first grants the second too. */
const requires: Partial<Record<GlobalPermission, GlobalPermission>> = {
  editTemplates: 'viewTemplates',
  editNodes: 'viewNodes',
  deployNodes: 'viewNodes',
  editUsers: 'viewUsers',
}

/** What changes when a flag is granted or revoked. */
export function getChanges(
  flag: GlobalPermission,
  isOn: boolean,
  canChange: (flag: GlobalPermission) => boolean,
): Partial<Record<GlobalPermission, boolean>> {
  const required = requires[flag]
  return { [flag]: isOn, ...(isOn && required && canChange(required) && { [required]: true }) }
}

/** Whether a user with these scopes can change a flag: one that they have themselves, or that is already granted. */
export function canToggle(scopes: readonly string[], saved: GlobalPermissions, flag: GlobalPermission): boolean {
  if (hasScope(scopes, 'servers.admin')) return true
  if (saved.admin || flag === 'admin') return false
  return saved[flag] === true || hasScope(scopes, scopeOfGlobalPermission[flag])
}
