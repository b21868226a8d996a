import { expect, test } from 'vitest'
import { rightsFrom, tabFrom, tabsFor } from './rights.ts'

test('an administrator sees every tab, without a permission of their own', () => {
  expect(tabsFor(rightsFrom(['servers.admin'], null))).toEqual(['console', 'stats', 'settings', 'admin'])
})

test('others see the tabs they have rights for', () => {
  const may = rightsFrom(['servers.view'], { viewServerStats: true, editServerData: true })

  expect(tabsFor(may)).toEqual(['stats', 'settings'])
  expect(may('admin')).toBe(false)
  expect(may('startServer')).toBe(false)
})

test.each(['deleteServer', 'deleteServers'] as const)('%s opens the admin tab to delete', (flag) => {
  expect(tabsFor(rightsFrom([], { [flag]: true }))).toEqual(['admin'])
})

test('the address chooses among permitted tabs, else the first one opens', () => {
  expect(tabFrom('settings', ['stats', 'settings'])).toBe('settings')
  expect(tabFrom('admin', ['stats', 'settings'])).toBe('stats')
  expect(tabFrom(null, ['console', 'stats'])).toBe('console')
  expect(tabFrom('console', [])).toBeUndefined()
})
