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

export const allFlags = Object.keys(scopeOfGlobalPermission) as readonly GlobalPermission[]

/** Text keys of the permissions. */
export const permissionNames: Readonly<Partial<Record<GlobalPermission, TranslationKey>>> = Object.fromEntries(
  permissionGroups.flatMap(({ permissions }) => permissions.map(({ flag, name }) => [flag, name])),
)

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

/** Whether a user with these scopes can change a flag: one that they have themselves, or that is already granted. */
export function canToggle(scopes: readonly string[], saved: GlobalPermissions, flag: GlobalPermission): boolean {
  if (hasScope(scopes, 'servers.admin')) return true
  if (saved.admin || flag === 'admin') return false
  return saved[flag] === true || hasScope(scopes, scopeOfGlobalPermission[flag])
}
