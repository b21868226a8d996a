import { getUsage, listServers } from '@innkeeper/contract/servers/servers'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { openApp } from '../testing/open-app.tsx'
import { aServer, getPage } from '../testing/samples.ts'

const offline = 'You are offline. What you see may be out of date.'

test('an offline browser shows a warning that the page may be out of date', async () => {
  await openApp('/account', { as: ['servers.admin'] })
  await screen.findByRole('heading', { name: 'Account' })

  act(() => void window.dispatchEvent(new Event('offline')))
  await screen.findByText(offline)
  act(() => void window.dispatchEvent(new Event('online')))

  await waitFor(() => expect(screen.queryByText(offline)).toBeNull())
})

test('every page shows that the panel is unreachable, and refreshes when it responds again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const panel = new FakePanel()
  panel.respond(listServers, getPage([aServer('0000000a', 'Arena')]))
  panel.respond(getUsage, [{ id: '0000000a' }])
  await openApp('/server', { as: ['servers.admin'], panel })
  await screen.findByRole('link', { name: 'Arena' })

  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await act(() => vi.advanceTimersByTimeAsync(11_000))
  await screen.findByText(/^The panel has not responded since \d/)
  panel.respond(listServers, getPage([aServer('0000000a', 'Arena renamed')]))
  vi.stubGlobal('fetch', panel.fetch)
  await act(() => vi.advanceTimersByTimeAsync(6_000))

  await screen.findByRole('link', { name: 'Arena renamed' })
  expect(screen.queryByText(/^The panel has not responded/)).toBeNull()
})
