import { expect, test } from 'vitest'
import { createCan } from './permissions.ts'

test('permissions on the server do not make an administrator', () => {
  const can = createCan(['servers.view'], { viewServerStats: true, editServerData: true })

  expect(can('viewServerStats')).toBe(true)
  expect(can('admin')).toBe(false)
  expect(can('startServer')).toBe(false)
})

test.each(['deleteServer', 'deleteServers'] as const)('%s is the permission to delete', (permission) => {
  expect(createCan([], { [permission]: true })('deleteServer')).toBe(true)
})
