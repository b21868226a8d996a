import { screen } from '@testing-library/react'
import { type ComponentType, Suspense } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { lazyView } from './lazy-view.tsx'

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

/** A page with one view on it, and an input beside it with text of the user. */
async function openPage(load: () => Promise<ComponentType<{ name: string }>>, timeoutMs?: number) {
  const View = lazyView(load, timeoutMs === undefined ? {} : { timeoutMs })
  const { user } = await openPart(
    <>
      <input aria-label="Draft" />
      <Suspense fallback={null}>
        <View name="Oak" />
      </Suspense>
    </>,
  )
  return { user }
}
const Files = ({ name }: { name: string }) => <h2>Files of {name}</h2>

test('a view that cannot be loaded shows an error with Try again, and the rest of the page stays', async () => {
  const load = vi.fn<() => Promise<ComponentType<{ name: string }>>>()
  load.mockRejectedValueOnce(new Error('no code')).mockResolvedValue(Files)
  const { user } = await openPage(load)
  await user.type(screen.getByLabelText('Draft'), 'kept')

  expect((await screen.findByRole('alert')).textContent).toContain('This part could not be loaded')
  await user.click(screen.getByRole('button', { name: 'Try again' }))

  expect(await screen.findByRole('heading', { name: 'Files of Oak' })).toBeDefined()
  expect(screen.getByLabelText<HTMLInputElement>('Draft').value).toBe('kept')
})

test('a view that does not load in time names the timeout', async () => {
  await openPage(() => new Promise(() => undefined), 1)

  expect((await screen.findByRole('alert')).textContent).toContain('It did not load within 2 minutes')
  expect(screen.getByRole('button', { name: 'Reload' })).toBeDefined()
})
