import {
  type GlobalPermission,
  type GlobalPermissions,
  hasScope,
  scopeOfGlobalPermission,
} from '@innkeeper/contract/api/permissions'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import { scopeNames } from '../../ui/names/scope-name.ts'

export interface PermissionGroup {
  readonly name: TranslationKey
  readonly permissions: readonly GlobalPermission[]
}

/** All permissions except Administrator, in the order of the page. */
export const permissionGroups: readonly PermissionGroup[] = [
  { name: 'shell.Servers', permissions: ['viewServers', 'createServers', 'deleteServers', 'editServerAdmin'] },
  { name: 'shell.Templates', permissions: ['viewTemplates', 'editTemplates'] },
  { name: 'shell.Nodes', permissions: ['viewNodes', 'editNodes', 'deployNodes'] },
  { name: 'users.GroupUsersAndPanel', permissions: ['viewUsers', 'editUsers', 'panelSettings'] },
]

export const allPermissions = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** Text keys of the permissions. */
export const permissionNames = Object.fromEntries(
  allPermissions.map((permission) => [permission, scopeNames[scopeOfGlobalPermission[permission]]]),
) as Readonly<Record<GlobalPermission, TranslationKey>>

/** One boolean for each permission: the values of a form. */
export function toPermissionValues(permissions: GlobalPermissions): Readonly<Record<GlobalPermission, boolean>> {
  return Object.fromEntries(
    allPermissions.map((permission) => [permission, permissions[permission] === true]),
  ) as Record<GlobalPermission, boolean>
}

/** The granted permissions as a request body. Missing ones are revoked. */
export function toGlobalPermissions(permissions: Readonly<Record<GlobalPermission, boolean>>): GlobalPermissions {
  return Object.fromEntries(
    allPermissions.filter((permission) => permissions[permission]).map((permission) => [permission, true]),
  )
}

/** Permissions that are useless without another one: granting the first grants the second too. */
const requires: Partial<Record<GlobalPermission, GlobalPermission>> = {
  editTemplates: 'viewTemplates',
  editNodes: 'viewNodes',
  deployNodes: 'viewNodes',
  editUsers: 'viewUsers',
}

/** What changes when a permission is granted or revoked. */
export function getChanges(
  permission: GlobalPermission,
  isOn: boolean,
  canChange: (permission: GlobalPermission) => boolean,
): Partial<Record<GlobalPermission, boolean>> {
  const required = requires[permission]
  return { [permission]: isOn, ...(isOn && required && canChange(required) && { [required]: true }) }
}

/** Whether a user with these scopes can change a permission: one that they have themselves, or that is already granted. */
export function canToggle(scopes: readonly string[], saved: GlobalPermissions, permission: GlobalPermission): boolean {
  if (hasScope(scopes, 'servers.admin')) return true
  if (saved.admin || permission === 'admin') return false
  return saved[permission] === true || hasScope(scopes, scopeOfGlobalPermission[permission])
}
