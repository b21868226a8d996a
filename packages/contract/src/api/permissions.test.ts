import { expect, test } from 'vitest'
import { permissionsAfterUpdate, serverPermissionNames } from './permissions.ts'

/** All permissions of a version that has one more than published clients know. */
const laterPermissions = [...serverPermissionNames, 'makeBackups'] as const

test.each([
  ['a published permission that is sent is granted', [], { startServer: true }, ['startServer']],
  ['a published flag that is not sent is taken away', ['startServer'], {}, []],
  ['a published flag that is sent as false is taken away', ['startServer'], { startServer: false }, []],
  ['a newer permission is off until it is granted', [], { startServer: true }, ['startServer']],
  [
    'a later flag that is not sent stays',
    ['stopServer', 'makeBackups'],
    { startServer: true },
    ['startServer', 'makeBackups'],
  ],
  ['a newer permission that is sent is granted', [], { makeBackups: true }, ['makeBackups']],
  ['a later flag that is sent as false is taken away', ['makeBackups'], { makeBackups: false }, []],
] as const)('%s', (_, current, sent, expected) => {
  expect(permissionsAfterUpdate<(typeof laterPermissions)[number]>(laterPermissions, current, sent)).toEqual(expected)
})

test('the first twelve permissions are those of existing clients, and are revoked when they are not sent', () => {
  expect(serverPermissionNames.slice(0, 12)).toEqual([
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
  ])
  expect(permissionsAfterUpdate(serverPermissionNames, serverPermissionNames, {})).toEqual(
    serverPermissionNames.slice(12),
  )
})
