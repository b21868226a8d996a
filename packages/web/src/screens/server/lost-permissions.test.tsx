import { closeCodes } from '@innkeeper/contract/servers/live'
import { act, screen, waitFor, within } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

test('an unsent command stays readable when the permission to send commands is revoked', async () => {
  const permissions = { viewServerConsole: true, sendServerConsole: true }
  const { waitUntilLive, socket, user } = await openServerPage({ permissions })
  await waitUntilLive()
  await user.type(await screen.findByRole('textbox', { name: 'Command' }), 'say see you at the sea')
  permissions.sendServerConsole = false
  const before = socket()
  socket().falls(closeCodes.revoked)
  await waitFor(() => expect(socket()).not.toBe(before))
  await waitUntilLive()

  const notice = within(
    await screen
      .findByText(/Commands can no longer be sent. Not sent: say see you at the sea/)
      .then((words) => words.closest('[role]') as HTMLElement),
  )
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
  await user.click(notice.getByRole('button', { name: 'Close' }))
  expect(screen.queryByText(/This one was not sent/)).toBeNull()
})

test('while the socket is open, the permissions are not polled', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { waitUntilLive, requestsTo } = await openServerPage()
  await waitUntilLive()
  const asked = requestsTo('GET /api/servers/deadbeef').length

  await act(() => vi.advanceTimersByTimeAsync(20_000))

  expect(requestsTo('GET /api/servers/deadbeef')).toHaveLength(asked)
})

test('after access was revoked the console has no Pause button and no command field', async () => {
  const { waitUntilLive, socket } = await openServerPage()
  await waitUntilLive()
  await screen.findByRole('button', { name: 'Pause' })

  socket().falls(closeCodes.revoked)

  const banner = await screen.findByText(/You no longer have access to this server/)
  expect(banner.textContent).toContain('Ask someone who manages its users')
  expect(banner.textContent).not.toContain('Sign in')
  expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
})

test('a refused install keeps the alert of a new server and the current tab', async () => {
  const { waitUntilLive, user, refuse, router } = await openServerPage({
    path: '/server/deadbeef?created=1&tab=stats',
    state: 'offline',
  })
  await waitUntilLive()
  const created = (await screen.findByText(/^Server created/)).closest('[role]') as HTMLElement
  refuse('POST /proxy/daemon/server/deadbeef/install', 'ErrServerBusy', 409)

  await user.click(within(created).getByRole('button', { name: 'Install' }))
  const asking = within(await screen.findByRole('dialog', { name: /Install/ }))
  await user.click(asking.getByRole('button', { name: 'Install' }))

  await screen.findByText(/busy|doing something/i)
  expect(screen.getByText(/^Server created/)).toBeTruthy()
  expect(router.state.location.search).toBe('?created=1&tab=stats')
})

test('a tab without permission shows which one is missing and who can give it', async () => {
  const { user, router } = await openServerPage({
    path: '/server/deadbeef?tab=files',
    permissions: { viewServerConsole: true },
  })

  await screen.findByText('You cannot see the files of this server')
  expect(screen.getByText(/^Ask someone who manages its users for the permission/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Console' }))

  await screen.findByRole('button', { name: 'Pause' })
  expect(router.state.location.search).toBe('?tab=console')
})
