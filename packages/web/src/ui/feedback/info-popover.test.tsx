import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { ReadOnlyBadge } from './read-only-badge.tsx'

test('a badge names the missing permission when it is pressed, and Esc closes only that', async () => {
  const keys: string[] = []
  const { user } = await openPart(
    // biome-ignore lint/a11y/noStaticElementInteractions: stands for a dialog around the badge
    <div onKeyDown={({ key }) => keys.push(key)}>
      <ReadOnlyBadge permission="Ask for the permission “Edit templates”." />
    </div>,
  )
  const badge = screen.getByRole('button', { name: 'View only' })

  badge.focus()
  await user.keyboard('{Enter}')
  const text = (await screen.findByRole('dialog')).textContent
  await user.keyboard('{Escape}')

  expect(text).toBe('Ask for the permission “Edit templates”.')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(keys).toEqual(['Enter'])
})
