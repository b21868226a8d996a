import { act, screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { emulatePhone } from '../../testing/open-part.tsx'
import page from '../../ui/layout/page.module.css'
import { openServerPage } from './testing/fake-panel.tsx'

const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('the header shows name, status, address and node', async () => {
  const { waitUntilLive } = await openServerPage()

  await waitUntilLive()

  expect(screen.getByRole('heading', { name: 'lobby' })).toBeDefined()
  expect(screen.getByText('Online')).toBeDefined()
  expect(screen.getByText(/^up /)).toBeDefined()
  expect(screen.getByText('play.example:25565')).toBeDefined()
  expect(screen.getByText('Frankfurt 1')).toBeDefined()
})

test('while the node is in maintenance the page says why, and everything can be used', async () => {
  const { waitUntilLive } = await openServerPage({ availability: { state: 'maintenance', reason: 'New disks' } })
  await waitUntilLive()

  expect(screen.getByText('The node Frankfurt 1 is in maintenance: New disks')).toBeDefined()
  expect((await button('Stop')).hasAttribute('disabled')).toBe(false)
})

test('the page has one padding around all of its content', async () => {
  const { waitUntilLive } = await openServerPage()

  await waitUntilLive()

  expect(document.getElementsByClassName(page.page ?? '')).toHaveLength(1)
})

test('the second line of the header names the template and shows how long the server is up, or since when it is not', async () => {
  const { waitUntilLive, reportStatus } = await openServerPage()
  await waitUntilLive()
  const template = screen.getByText('Paper 1.21')
  reportStatus('online', { since: new Date(Date.now() - 24.5 * 60_000).toISOString() })
  const up = await screen.findByText('up 24 min')
  const since = up.nextElementSibling?.textContent

  reportStatus('offline', { since: new Date(Date.now() - 1_000).toISOString() })

  expect(template).toBeDefined()
  expect(since).toMatch(/^since /)
  expect(await screen.findByText(/^since /)).toBeDefined()
})

test('the page of a server that does not exist leads to the servers', async () => {
  const { user } = await openServerPage({ path: '/server/00000000' })

  await screen.findByRole('heading', { name: 'Server not found' })
  await user.click(screen.getByRole('link', { name: 'Go to servers' }))

  expect(await screen.findByText('All servers')).toBeDefined()
})

test('a user sees the permitted tabs and controls only', async () => {
  const { waitUntilLive } = await openServerPage({ permissions: { viewServerStats: true, startServer: true } })
  await waitUntilLive()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Stats', 'Admin'])
  expect(screen.queryByRole('button', { name: 'Stop' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Rename server' })).toBeNull()
  expect(await button('Restart')).toBeDefined()
})

test('the shortcut t i opens the statistics and changes the address', async () => {
  const { waitUntilLive, user, router } = await openServerPage()
  await waitUntilLive()

  await user.keyboard('ti')

  await waitFor(() => expect(router.state.location.search).toBe('?tab=stats'))
  expect(await screen.findByRole('img', { name: /^CPU: now/ })).toBeDefined()
})

test('statistics can be shown as a table', async () => {
  const { waitUntilLive, user, socket } = await openServerPage({ path: '/server/deadbeef?tab=stats' })
  await waitUntilLive()
  socket().says({ type: 'stat', data: { cpu: 118.02, memory: 4_219.4 * 1024 ** 2 } })

  await user.click(await button('Show as table'))

  expect(await screen.findByRole('cell', { name: '118.02%' })).toBeDefined()
  expect(screen.getByRole('cell', { name: '4,219.40 MiB' })).toBeDefined()
})

test('a new name is shown at once; a duplicate one is rolled back with an error at the field', async () => {
  const { waitUntilLive, user, refuse, server } = await openServerPage()
  refuse('PUT /api/servers/deadbeef/name/taken', 'ErrDuplicateServerName', 409)
  await waitUntilLive()

  await user.click(await button('Rename server'))
  const field = await screen.findByRole('textbox', { name: 'Name' })
  await user.clear(field)
  await user.type(field, 'taken{Enter}')
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'))
  expect(screen.getByText('A server with this name already exists')).toBeDefined()
  expect(screen.getByRole('heading', { level: 1, hidden: true }).textContent).toBe('lobby')

  server.name = 'tavern'
  await user.clear(field)
  await user.type(field, 'tavern{Enter}')

  await waitFor(() => expect(screen.getByRole('heading', { level: 1, hidden: true }).textContent).toBe('tavern'))
})

test('on a phone four tabs are in the bar and the others in the menu More', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, user, router } = await openServerPage({ scopes: ['servers.admin'] })
  await waitUntilLive()

  expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Console', 'Stats', 'Files', 'Settings'])
  await user.click(await button('More'))
  await user.click(await screen.findByRole('menuitem', { name: 'Users' }))

  await waitFor(() => expect(router.state.location.search).toBe('?tab=users'))
  expect((await button('More')).getAttribute('aria-current')).toBe('true')
})

test('on a phone the menu of the header shows why an action is not possible', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, user } = await openServerPage({ path: '/server/deadbeef?tab=stats', state: 'offline' })
  await waitUntilLive()

  await user.click(await button('More actions'))

  expect((await screen.findByRole('menuitem', { name: /^Stop/ })).textContent).toBe('StopThe server is not running')
})

test('on a phone the menu of the header says since when the server is up', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, user, reportStatus } = await openServerPage()
  await waitUntilLive()
  reportStatus('online', { since: new Date(Date.now() - 24.5 * 60_000).toISOString() })

  await user.click(await button('More actions'))

  expect((await screen.findByRole('menu', { name: 'More actions' })).textContent).toMatch(/^since /)
})

test('on a phone the usage is shown once it is measured', async () => {
  onTestFinished(emulatePhone())
  const { waitUntilLive, socket } = await openServerPage()
  await waitUntilLive()

  const before = [screen.queryByText('Frankfurt 1'), screen.queryByText(/ · 0 B$/)]
  act(() => socket().says({ type: 'stat', data: { cpu: 12, memory: 4 * 1024 ** 2 } }))

  expect(before).toEqual([expect.anything(), null])
  expect(screen.getByText('12% · 4 MiB')).toBeDefined()
})

test('the statistics start with the history of the node', async () => {
  const cpu = [20, 40]
  const statsHistory = {
    fromMs: Date.now() - 6_000,
    stepMs: 3_000,
    cpu,
    cpuPeak: cpu,
    memory: [1, 1],
    memoryPeak: [1, 1],
  }
  const { waitUntilLive } = await openServerPage({ path: '/server/deadbeef?tab=stats', statsHistory })
  await waitUntilLive()

  expect(await screen.findByRole('img', { name: 'CPU: now 40.00%, average 30.00%, peak 40.00%' })).toBeDefined()
  expect(screen.queryByText('Delayed')).toBeNull()
})
