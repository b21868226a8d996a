import { screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { toast } from './toast.tsx'

vi.mock('./toast-host.tsx', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

beforeEach(() => void vi.spyOn(console, 'error').mockReturnValue())
afterEach(() => void vi.restoreAllMocks())

test('a toast whose code cannot be loaded stands as a plain message until it is closed', async () => {
  const { user } = await openPart(<p>page</p>)
  const onGone = vi.fn()

  toast.success('Removed', { onGone })
  await screen.findByText('Removed')
  expect(onGone).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: /^Close/ }))

  expect(screen.queryByText('Removed')).toBeNull()
  expect(onGone).toHaveBeenCalledOnce()
})
