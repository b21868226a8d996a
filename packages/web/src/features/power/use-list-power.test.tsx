import { startServer } from '@innkeeper/contract/servers/node-servers'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { FakePanel } from '../../testing/fake-panel.ts'
import { aServer } from '../../testing/samples.ts'
import { useListPower } from './use-list-power.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a second start within a minute restarts the timeout of the optimistic status', async () => {
  vi.useFakeTimers()
  const panel = new FakePanel()
  panel.respond(startServer, undefined)
  vi.stubGlobal('fetch', panel.fetch)
  const server = aServer('0000000a', 'Arena')
  const status = { running: false, installing: false, state: 'offline', since: 'then' } as const
  const reported = new Map([[server.id, { status }]])
  const queryClient = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  )
  const { result } = renderHook(() => useListPower(reported), { wrapper })

  await act(() => result.current.send(server, 'start'))
  await act(() => vi.advanceTimersByTimeAsync(40_000))
  await act(() => result.current.send(server, 'start'))
  await act(() => vi.advanceTimersByTimeAsync(40_000))
  const afterFirstTimeout = result.current.getStatus(server.id)
  await act(() => vi.advanceTimersByTimeAsync(21_000))

  expect(afterFirstTimeout).toBe('starting')
  expect(result.current.getStatus(server.id)).toBe('offline')
})
