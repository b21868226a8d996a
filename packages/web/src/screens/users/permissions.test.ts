import { globalFlags } from '@innkeeper/contract/permissions'
import { expect, test } from 'vitest'
import {
  flagRecord,
  flagsIn,
  globalFlagsOf,
  maySwitch,
  permissionGroups,
  permissionsOf,
  withFlag,
} from './permissions.ts'

test('every permission of the panel has its switch once', () => {
  const shown = permissionGroups.flatMap(({ permissions }) => permissions.map(({ flag }) => flag))

  expect(['admin', ...shown].sort()).toEqual(Object.keys(globalFlags).sort())
})

test('only what is granted goes out', () => {
  const flags = withFlag(globalFlagsOf({ viewNodes: true, editNodes: false }), 'viewUsers', true)

  expect(permissionsOf(flags)).toEqual({ viewNodes: true, viewUsers: true })
  expect(flagsIn(flagRecord(flags))).toEqual(flags)
})

test('people switch what they hold themselves, and take away what is there', () => {
  const saved = globalFlagsOf({ deleteServers: true })
  const scopes = ['users.edit', 'nodes.view']

  expect(maySwitch(scopes, saved, 'viewNodes')).toBe(true)
  expect(maySwitch(scopes, saved, 'deleteServers')).toBe(true)
  expect(maySwitch(scopes, saved, 'editNodes')).toBe(false)
  expect(maySwitch(scopes, saved, 'admin')).toBe(false)
})

test('only administrators change an administrator', () => {
  const saved = globalFlagsOf({ admin: true, viewNodes: true })

  expect(maySwitch(['users.edit', 'nodes.view'], saved, 'viewNodes')).toBe(false)
  expect(maySwitch(['servers.admin'], saved, 'admin')).toBe(true)
})
