import { closeCodes } from '@innkeeper/contract/live'
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

test('a command that is half typed when the right to send it is taken stays to be read and copied', async () => {
  const permissions = { viewServerConsole: true, sendServerConsole: true }
  const { live, socket, user } = await openServerPage({ permissions })
  await live()
  await user.type(await screen.findByRole('textbox', { name: 'Command' }), 'say see you at the sea')
  permissions.sendServerConsole = false
  const before = socket()
  socket().falls(closeCodes.revoked)
  await waitFor(() => expect(socket()).not.toBe(before))
  await live()

  const notice = within(
    await screen
      .findByText(/You cannot send commands any more. This one was not sent: say see you at the sea/)
      .then((words) => words.closest('[role]') as HTMLElement),
  )
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
  await user.click(notice.getByRole('button', { name: 'Close' }))
  expect(screen.queryByText(/This one was not sent/)).toBeNull()
})

test('a console whose access ended says what helps, and cannot be paused or typed into', async () => {
  const { live, socket } = await openServerPage()
  await live()
  await screen.findByRole('button', { name: 'Pause' })

  socket().falls(closeCodes.revoked)

  const banner = await screen.findByText(/Your access to this server ended/)
  expect(banner.textContent).toContain('Ask someone who manages its users')
  expect(banner.textContent).not.toContain('Log in')
  expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
})

test('an install that is refused leaves the notice of a new server, and the person where they are', async () => {
  const { live, user, refuse, router } = await openServerPage({
    path: '/server/deadbeef?created=1&tab=stats',
    state: 'offline',
  })
  await live()
  const created = (await screen.findByText(/^Created/)).closest('[role]') as HTMLElement
  refuse('POST /proxy/daemon/server/deadbeef/install', 'ErrServerBusy', 409)

  await user.click(within(created).getByRole('button', { name: 'Install' }))
  const asking = within(await screen.findByRole('dialog', { name: /Install/ }))
  await user.click(asking.getByRole('button', { name: 'Install' }))

  await screen.findByText(/busy|doing something/i)
  expect(screen.getByText(/^Created/)).toBeTruthy()
  expect(router.state.location.search).toBe('?created=1&tab=stats')
})
