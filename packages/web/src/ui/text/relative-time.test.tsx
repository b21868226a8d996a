import { act, screen } from '@testing-library/react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { RelativeTime } from './relative-time.tsx'

test('a relative time is updated while it is shown', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  onTestFinished(() => void vi.useRealTimers())
  await openPart(<RelativeTime time={new Date(Date.now() - 10_000).toISOString()} />)
  const time = await screen.findByText(/s ago$/)
  const first = time.textContent

  await act(() => vi.advanceTimersByTimeAsync(3 * 60_000))

  expect(first).toMatch(/^1\ds ago$/)
  expect(time.textContent).toBe('3m ago')
})

test('a time more than a day ago is shown as date and time', async () => {
  await openPart(<RelativeTime time="2025-03-02T12:00:00Z" />)

  expect(await screen.findByText(/Mar 2, 2025, \d{1,2}:\d{2}:\d{2}\s[AP]M/)).toBeDefined()
})
