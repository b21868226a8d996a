import { screen, waitFor } from '@testing-library/react'
import { type ComponentType, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { captureKeysForDialog } from '../../hotkeys/key-capture.ts'
import { openPart } from '../../testing/open-part.tsx'
import { lazyOverlay } from './lazy-overlay.tsx'

interface SheetProps {
  readonly opened: boolean
  readonly onClose: () => void
}

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

const Sheet = ({ opened }: SheetProps) => (opened ? <div role="dialog">The sheet</div> : null)
const failure = () => new TypeError('Failed to fetch dynamically imported module')

/** A page with a field, and a button that opens the overlay and captures keys for it. */
async function openPage(load: () => Promise<ComponentType<SheetProps>>, timeoutMs?: number) {
  const Overlay = lazyOverlay(load, timeoutMs === undefined ? {} : { timeoutMs })
  function Page() {
    const [isOpen, setIsOpen] = useState(false)
    const open = () => {
      captureKeysForDialog()
      setIsOpen(true)
    }
    return (
      <>
        <button type="button" aria-expanded={isOpen} onClick={open}>
          Open
        </button>
        <input aria-label="Draft" />
        <Overlay opened={isOpen} onClose={() => setIsOpen(false)} />
      </>
    )
  }
  const { user } = await openPart(<Page />)
  const openOverlay = async () => user.click(await screen.findByRole('button', { name: 'Open' }))
  return { user, openOverlay }
}

test('an overlay is loaded when it is first opened', async () => {
  const load = vi.fn(() => Promise.resolve(Sheet))
  const { openOverlay } = await openPage(load)
  expect(load).not.toHaveBeenCalled()

  await openOverlay()

  expect(await screen.findByRole('dialog')).toBeDefined()
})

test('an overlay that cannot be loaded says so, closes, releases the keys, and opens at the next try', async () => {
  const load = vi.fn(() => Promise.resolve(Sheet))
  load.mockRejectedValue(failure())
  const { user, openOverlay } = await openPage(load)

  await openOverlay()
  expect((await screen.findByRole('alert')).textContent).toContain('This could not be opened')
  screen.getByLabelText('Draft').focus()
  await user.keyboard('typed')

  expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('typed')
  expect(screen.getByRole('button', { name: 'Open' }).getAttribute('aria-expanded')).toBe('false')
  load.mockResolvedValue(Sheet)
  await openOverlay()
  expect(await screen.findByRole('dialog')).toBeDefined()
})

test('an overlay that does not load in time names the timeout', async () => {
  const { openOverlay } = await openPage(() => new Promise(() => undefined), 1)

  await openOverlay()

  expect((await screen.findByRole('alert')).textContent).toContain('It did not load within 2 minutes')
})

test('an overlay that is open as long as it is mounted offers another try', async () => {
  const load = vi.fn<() => Promise<ComponentType<object>>>()
  load.mockRejectedValue(failure())
  const Queue = lazyOverlay(load)
  const { user } = await openPart(<Queue />)
  const retry = await screen.findByRole('button', { name: 'Try again' })
  load.mockResolvedValue(() => <p>The queue</p>)

  await user.click(retry)

  await waitFor(() => expect(screen.getByText('The queue')).toBeDefined())
})
