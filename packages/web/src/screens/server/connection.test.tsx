import type { ServerPermissions } from '@innkeeper/contract/api/permissions'
import { closeCodes } from '@innkeeper/contract/servers/live'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openServerPage } from './testing/fake-panel.tsx'

const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('revoked access ends the connection without a retry', async () => {
  const { waitUntilLive, socket } = await openServerPage()
  await waitUntilLive()

  socket().falls(closeCodes.revoked)

  expect((await screen.findByRole('alert')).textContent).toContain('You no longer have access to this server')
})

test('a revoked permission removes its controls, and the console reconnects with the others', async () => {
  const permissions = { viewServerConsole: true, sendServerConsole: true, startServer: true }
  const { waitUntilLive, socket } = await openServerPage({ permissions })
  await waitUntilLive()
  await screen.findByRole('textbox', { name: 'Command' })

  permissions.sendServerConsole = false
  const before = socket()
  socket().falls(closeCodes.revoked)
  await waitFor(() => expect(socket()).not.toBe(before))
  await waitUntilLive()

  expect(screen.queryByRole('textbox', { name: 'Command' })).toBeNull()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(screen.getByText('Online')).toBeDefined()
})

test('a permission that is granted while the page is open takes effect without a reload', async () => {
  const permissions: ServerPermissions = { viewServerConsole: true }
  const { waitUntilLive, socket } = await openServerPage({ permissions })
  await waitUntilLive()
  const before = socket()

  permissions.sendServerConsole = true
  act(() => socket().says({ type: 'permissions', data: {} }))

  await screen.findByRole('textbox', { name: 'Command' })
  await waitFor(() => expect(socket()).not.toBe(before))
})

test('a connection that is given up shows an alert, and Reconnect opens another one', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
  const { waitUntilLive, socket, user } = await openServerPage()
  await waitUntilLive()

  for (let attempt = 0; attempt <= 5; attempt++) {
    socket().falls()
    await vi.advanceTimersByTimeAsync(3_000)
  }
  vi.useRealTimers()
  const reconnect = await button('Reconnect')
  const polling = screen.getByText('Live updates delayed')
  const before = socket()
  await user.click(reconnect)

  expect(polling).toBeDefined()
  expect(socket()).not.toBe(before)
})

/** Makes every attempt to open a socket fail. */
async function loseSocket(socket: () => { falls: () => void }) {
  for (let failures = 0; failures <= 5; failures++) {
    await act(async () => {
      socket().falls()
      await vi.advanceTimersByTimeAsync(500 + failures * 500)
    })
  }
}

test('an unreachable panel is reported, and not as an unreachable node', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { waitUntilLive, socket, setPanelReachable } = await openServerPage()
  await waitUntilLive()

  setPanelReachable(false)
  await loseSocket(socket)

  expect(await screen.findByText(/^The panel has not responded since/)).toBeDefined()
  expect(screen.queryByText(/Frankfurt 1 has not responded/)).toBeNull()
})

test('a live connection that is given up shows a warning toast and an alert, both until it is open again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const { waitUntilLive, socket, user } = await openServerPage()
  await waitUntilLive()

  await loseSocket(socket)
  const findMessages = () => screen.queryAllByText(/^The WebSocket connection encountered an error/)
  await waitFor(() => expect(findMessages()).toHaveLength(2))
  const areToasts = findMessages().map((message) => message.closest('.mantine-Notification-root') !== null)
  await user.click(await button('Reconnect'))
  await waitUntilLive()

  expect(areToasts.sort()).toEqual([false, true])
  await waitFor(() => expect(findMessages()).toEqual([]))
})
