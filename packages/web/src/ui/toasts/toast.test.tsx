import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { toast } from './toast.tsx'
// Loaded with the first toast; here it is there already.
import './toast-host.tsx'

afterEach(() => void vi.useRealTimers())

test('a toast with a button stays for ten seconds, so that the button can be reached by keyboard', async () => {
  await openPart(<p>page</p>)
  vi.useFakeTimers({ shouldAdvanceTime: true })

  await act(async () => {
    toast.success('Removed', { action: { label: 'Undo', run: () => undefined } })
    await vi.advanceTimersByTimeAsync(100)
  })
  await screen.findByText('Removed')
  await act(() => vi.advanceTimersByTimeAsync(9_000))
  const afterNine = screen.queryByText('Removed')
  await act(() => vi.advanceTimersByTimeAsync(2_000))

  expect(afterNine).not.toBeNull()
  await waitFor(() => expect(screen.queryByText('Removed')).toBeNull())
})

test('the buttons that close two toasts have different names', async () => {
  const { user } = await openPart(<p>page</p>)

  toast.success('Saved', { detail: 'At noon' })
  toast.success('Port taken')
  await user.click(await screen.findByRole('button', { name: 'Close Port taken' }))

  await waitFor(() => expect(screen.queryByText('Port taken')).toBeNull())
  expect(screen.getByRole('button', { name: 'Close Saved' })).toBeDefined()
})

test('a toast stands below the head of the page and its controls', async () => {
  await openPart(<header data-keep-clear>head</header>)
  const head = await screen.findByText('head')
  head.getBoundingClientRect = () => new DOMRect(0, 52, 800, 120)

  toast.success('Saved')
  await screen.findByText('Saved')

  expect(document.documentElement.style.getPropertyValue('--ik-toast-top')).toBe('180px')
})
