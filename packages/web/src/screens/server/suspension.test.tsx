import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'
// Preloaded: the page loads them when they are first opened.
import '../../features/server-admin/delete-server.tsx'
import '../../features/suspension/suspend-card.tsx'
import './admin-tab.tsx'
import './suspended-alert.tsx'

const reason = 'The invoice of May is not paid.'
const suspension = { reason, since: '2026-05-04T03:02:01.000Z', until: '2026-06-01T00:00:00.000Z' }

const findAlert = async () => (await screen.findByText(reason)).closest('[role=status]') as HTMLElement

test('users of a suspended server read why and since when, and get to the backups; closed tabs say why', async () => {
  const { router, user } = await openServerPage({
    suspension,
    state: 'offline',
    permissions: { viewServerStats: true, viewServerBackups: true },
    path: '/server/deadbeef?tab=console',
  })

  const alert = await findAlert()
  expect(alert.textContent).toMatch(/has been suspended since .*May 4.* ends on .*(May 31|Jun 1)/)
  expect(alert.textContent).toContain('ask an administrator of this panel')
  expect(within(alert).queryByRole('button', { name: 'End suspension' })).toBeNull()
  expect(screen.getAllByText('Suspended').length).toBeGreaterThan(0)
  expect(await screen.findByText(/This tab opens again when the suspension ends/)).toBeDefined()
  expect(screen.queryByRole('button', { name: 'Start' })).toBeNull()
  await user.click(within(alert).getByRole('button', { name: 'Backups' }))
  expect(router.state.location.search).toBe('?tab=backups')
})

test('an administrator cannot start a suspended server, and ends its suspension', async () => {
  const { user, server, requestsTo, waitUntilLive } = await openServerPage({
    suspension,
    state: 'offline',
    scopes: ['servers.admin'],
  })
  await waitUntilLive()
  const start = await screen.findByRole('button', { name: 'Start' })
  expect(start.getAttribute('aria-disabled')).toBe('true')

  server.suspension = undefined
  await user.click(within(await findAlert()).getByRole('button', { name: 'End suspension' }))

  await waitFor(() => expect(requestsTo('DELETE /api/servers/deadbeef/suspension')).toHaveLength(1))
  await waitFor(() => expect(screen.queryByText(reason)).toBeNull())
  expect(start.getAttribute('aria-disabled')).toBeNull()
})

test('who may edit all servers suspends one with a reason, and hears when its node does not respond', async () => {
  const { user, respond, requestsTo, waitUntilLive } = await openServerPage({
    scopes: ['servers.edit.admin'],
    permissions: { editServerData: true },
    path: '/server/deadbeef?tab=admin',
  })
  await waitUntilLive()
  respond('PUT /api/servers/deadbeef/suspension', { suspension: { reason, since: suspension.since }, isOnNode: false })

  // The tab has many cards, which take seconds on a busy machine.
  await user.click(await screen.findByRole('button', { name: 'Suspend' }, { timeout: 30_000 }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Suspend lobby?' }))
  await user.click(dialog.getByRole('button', { name: 'Suspend' }))
  expect(await dialog.findByText('Reason is required')).toBeDefined()
  await user.type(dialog.getByRole('textbox', { name: 'Reason' }), ` ${reason}`)
  await user.click(dialog.getByRole('button', { name: 'Suspend' }))

  await waitFor(() => expect(requestsTo('PUT /api/servers/deadbeef/suspension')).toHaveLength(1))
  expect(requestsTo('PUT /api/servers/deadbeef/suspension')[0]?.body).toEqual({ reason })
  expect(await screen.findByText(/Its node is not responding/)).toBeDefined()
})

test('users who may not edit all servers cannot suspend one', async () => {
  await openServerPage({ path: '/server/deadbeef?tab=admin', permissions: { deleteServer: true } })

  await screen.findByRole('button', { name: 'Delete' }, { timeout: 30_000 })

  expect(screen.queryByRole('button', { name: 'Suspend' })).toBeNull()
})
