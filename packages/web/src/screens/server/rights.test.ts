import { expect, test } from 'vitest'
import { folded, rightsFrom, tabFrom, tabsFor } from './rights.ts'

test('an administrator sees every tab, without a permission of their own', () => {
  expect(tabsFor(rightsFrom(['servers.admin'], null))).toEqual([
    'console',
    'stats',
    'files',
    'tasks',
    'settings',
    'users',
    'admin',
  ])
})

test('others see the tabs they have rights for, and the one with their own clients', () => {
  const can = rightsFrom(['servers.view'], { viewServerStats: true, editServerData: true })

  expect(tabsFor(can)).toEqual(['stats', 'tasks', 'settings', 'admin'])
  expect(can('admin')).toBe(false)
  expect(can('startServer')).toBe(false)
})

test.each(['deleteServer', 'deleteServers'] as const)('%s is the right to delete', (flag) => {
  expect(rightsFrom([], { [flag]: true })('deleteServer')).toBe(true)
})

test('who manages the users of a server sees them', () => {
  expect(tabsFor(rightsFrom([], { editServerUsers: true }))).toEqual(['users', 'admin'])
})

test('the address chooses among permitted tabs, else the first one opens', () => {
  expect(tabFrom('settings', ['stats', 'settings'])).toBe('settings')
  expect(tabFrom('admin', ['stats', 'settings'])).toBe('stats')
  expect(tabFrom(null, ['console', 'stats'])).toBe('console')
  expect(tabFrom('console', [])).toBeUndefined()
})

test.each(['viewServerFiles', 'sftpServer'] as const)('%s opens the files', (flag) => {
  expect(tabsFor(rightsFrom([], { [flag]: true }))).toEqual(['files', 'admin'])
})

test('a phone shows five tabs; of more it shows four, and tasks with the rest behind a button', () => {
  const all = tabsFor(rightsFrom(['servers.admin'], null))

  expect(folded(all)).toEqual({
    shown: ['console', 'stats', 'files', 'settings'],
    more: ['tasks', 'users', 'admin'],
  })
  expect(folded(all.slice(2))).toEqual({ shown: all.slice(2), more: [] })
})
