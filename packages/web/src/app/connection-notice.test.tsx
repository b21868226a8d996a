import { getUsage, listServers } from '@innkeeper/contract/servers'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FakePanel } from '../testing/fake-panel.ts'
import { openApp } from '../testing/open-app.tsx'
import { aServer, pageOf } from '../testing/samples.ts'

const offline = 'You are offline. What you see may be out of date.'

test('a browser without a network says that what is shown may be old, until the network is back', async () => {
  await openApp('/account', { as: ['servers.admin'] })
  await screen.findByRole('heading', { name: 'Account' })

  act(() => void window.dispatchEvent(new Event('offline')))
  await screen.findByText(offline)
  act(() => void window.dispatchEvent(new Event('online')))

  await waitFor(() => expect(screen.queryByText(offline)).toBeNull())
})

test('a panel that does not answer is told on every page, and when it is back the page is up to date by itself', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  const panel = new FakePanel()
  panel.answer(listServers, pageOf([aServer('0000000a', 'Arena')]))
  panel.answer(getUsage, [{ id: '0000000a' }])
  await openApp('/server', { as: ['servers.admin'], panel })
  await screen.findByRole('link', { name: 'Arena' })

  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')))
  await act(() => vi.advanceTimersByTimeAsync(11_000))
  await screen.findByText(/^The panel is not responding/)
  panel.answer(listServers, pageOf([aServer('0000000a', 'Arena renamed')]))
  vi.stubGlobal('fetch', panel.fetch)
  await act(() => vi.advanceTimersByTimeAsync(6_000))

  await screen.findByRole('link', { name: 'Arena renamed' })
  expect(screen.queryByText(/^The panel is not responding/)).toBeNull()
})
