import { scopeOfGlobalPermission } from '@innkeeper/contract/api/permissions'
import { expect, test } from 'vitest'
import { canToggle, getChanges, permissionGroups, toGlobalPermissions, toPermissionValues } from './permissions.ts'

test('every panel permission has one switch', () => {
  const shown = permissionGroups.flatMap(({ permissions }) => permissions)

  expect(['admin', ...shown].sort()).toEqual(Object.keys(scopeOfGlobalPermission).sort())
})

test('only granted permissions are sent', () => {
  const permissions = { ...toPermissionValues({ viewNodes: true, editNodes: false }), viewUsers: true }

  expect(permissions).toMatchObject({ viewNodes: true, editNodes: false, viewUsers: true, admin: false })
  expect(toGlobalPermissions(permissions)).toEqual({ viewNodes: true, viewUsers: true })
})

test.each([
  ['editTemplates', 'viewTemplates'],
  ['editNodes', 'viewNodes'],
  ['deployNodes', 'viewNodes'],
  ['editUsers', 'viewUsers'],
] as const)('%s is granted with %s, which it is useless without', (permission, required) => {
  expect(getChanges(permission, true, () => true)).toEqual({ [permission]: true, [required]: true })
  expect(getChanges(permission, true, (other) => other !== required)).toEqual({ [permission]: true })
  expect(getChanges(permission, false, () => true)).toEqual({ [permission]: false })
})

test('users change permissions that they have themselves, and revoke granted ones', () => {
  const saved = { deleteServers: true }
  const scopes = ['users.edit', 'nodes.view']

  expect(canToggle(scopes, saved, 'viewNodes')).toBe(true)
  expect(canToggle(scopes, saved, 'deleteServers')).toBe(true)
  expect(canToggle(scopes, saved, 'editNodes')).toBe(false)
  expect(canToggle(scopes, saved, 'admin')).toBe(false)
})

test('only administrators change an administrator', () => {
  const saved = { admin: true, viewNodes: true }

  expect(canToggle(['users.edit', 'nodes.view'], saved, 'viewNodes')).toBe(false)
  expect(canToggle(['servers.admin'], saved, 'admin')).toBe(true)
})
