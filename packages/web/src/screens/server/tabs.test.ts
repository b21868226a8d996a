import { expect, test } from 'vitest'
import { createCan } from './permissions.ts'
import { getCurrentTab, getPermittedTabs, splitTabs } from './tabs.tsx'

test('an administrator sees every tab without permissions on the server', () => {
  expect(getPermittedTabs(createCan(['servers.admin'], null))).toEqual([
    'console',
    'stats',
    'players',
    'files',
    'backups',
    'tasks',
    'settings',
    'users',
    'admin',
  ])
})

test('other users see the tabs they have permission for, and Admin with their own clients', () => {
  const can = createCan(['servers.view'], { viewServerStats: true, editServerData: true })

  expect(getPermittedTabs(can)).toEqual(['stats', 'tasks', 'settings', 'admin'])
})

test('permission to edit users opens the users', () => {
  expect(getPermittedTabs(createCan([], { editServerUsers: true }))).toEqual(['users', 'admin'])
})

test.each(['viewServerFiles', 'sftpServer'] as const)('%s opens the files', (permission) => {
  expect(getPermittedTabs(createCan([], { [permission]: true }))).toEqual(['files', 'admin'])
})

test.each(['viewServerPlayers', 'kickPlayers'] as const)('%s opens the players', (permission) => {
  expect(getPermittedTabs(createCan([], { [permission]: true }))).toEqual(['players', 'admin'])
})

test('the current tab is the one in the address when it is permitted, else the first one', () => {
  expect(getCurrentTab('settings', ['stats', 'settings'])).toBe('settings')
  expect(getCurrentTab('admin', ['stats', 'settings'])).toBe('stats')
  expect(getCurrentTab(null, ['console', 'stats'])).toBe('console')
  expect(getCurrentTab('console', [])).toBeUndefined()
})

test('the bar of a phone has up to five tabs; of more it has four, and players, backups, tasks and the rest are in the menu', () => {
  const all = getPermittedTabs(createCan(['servers.admin'], null))

  expect(splitTabs(all)).toEqual({
    bar: ['console', 'stats', 'files', 'settings'],
    overflow: ['players', 'backups', 'tasks', 'users', 'admin'],
  })
  expect(splitTabs(all.slice(4))).toEqual({ bar: all.slice(4), overflow: [] })
})
