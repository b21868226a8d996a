import { listActivity } from '@innkeeper/contract/activity/activity'
import { listNotifications, type Notification } from '@innkeeper/contract/alerts/notifications'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { putUserSetting } from '@innkeeper/contract/settings/panel'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { openApp } from '../../testing/open-app.tsx'
import { aServer, getPage } from '../../testing/samples.ts'

const crash: Notification = {
  id: '1',
  type: 'crashed',
  at: '2026-11-30T20:00:00.000Z',
  server: { id: '0a1b2c3d', name: 'Oak Valley' },
}
const ended: Notification = {
  id: '2',
  type: 'nodeOffline',
  at: '2026-11-29T20:00:00.000Z',
  endedAt: '2026-11-29T21:00:00.000Z',
  node: { id: 3, name: 'Frankfurt' },
}
const counts = { online: 1, notResponding: 0, busy: 0, offline: 0, crashed: 1, suspended: 0, unknown: 0 }

function aPanel(servers = [aServer('0a1b2c3d', 'Oak Valley'), aServer('1a1b2c3d', 'Lobby')]) {
  const panel = new FakePanel()
  panel.respond(listServers, { ...getPage(servers), counts })
  panel.respond(getUsage, [])
  panel.respond(listNodes, [])
  panel.respond(listNotifications, [crash, ended])
  panel.respond(listActivity, { activity: [], paging: { page: 1, pageSize: 8, maxSize: 100, total: 0 } })
  return panel
}

test('problems that last lead to their server, states to the filtered list', async () => {
  await openApp('/overview', { as: ['servers.admin'], panel: aPanel() })

  const attention = await screen.findByRole('region', { name: 'Needs attention' })
  const links = await within(attention).findAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Server crashed: Oak Valley', '/server/0a1b2c3d'],
  ])
  const states = within(screen.getByRole('list', { name: 'Servers by state' })).getAllByRole('link')
  expect(states.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['2 Servers', '/server'],
    ['1 Online', '/server?status=online'],
    ['1 Crashed', '/server?status=crashed'],
  ])
})

test('a user with one server gets to its page', async () => {
  const { path } = await openApp('/overview', {
    as: ['servers.view'],
    panel: aPanel([aServer('0a1b2c3d', 'Oak Valley')]),
  })

  await waitFor(() => expect(path()).toBe('/server/0a1b2c3d'))
})

test('the page can be the first one after sign-in', async () => {
  const { panel, user } = await openApp('/overview', { as: ['servers.admin'], panel: aPanel() })

  await user.click(await screen.findByRole('switch', { name: 'Open this page after sign-in' }))

  await waitFor(() =>
    expect(panel.requests(putUserSetting)).toContainEqual(expect.objectContaining({ body: { value: 'overview' } })),
  )
})

test('the bell counts unseen problems until its list was open', async () => {
  const { user } = await openApp('/overview', { as: ['servers.admin'], panel: aPanel() })

  await user.click(await screen.findByRole('button', { name: 'Notifications: 2 unread' }))
  const list = await screen.findByRole('dialog', { name: 'Notifications' })
  const links = within(list).getAllByRole('link')
  expect(links.map((link) => [link.textContent, link.getAttribute('href')])).toEqual([
    ['Server crashed: Oak Valley', '/server/0a1b2c3d'],
    ['Node offline: Frankfurt', '/node/3'],
  ])
  await user.keyboard('{Escape}')

  await screen.findByRole('button', { name: 'Notifications' })
})
