import { screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { TooltipLayer } from './tooltip-layer.tsx'

test.each([
  ['for the focus', undefined, 'below'],
  ['at the end of an entry of the rail', 'end', 'end'],
])('a tooltip is shown %s, and Esc hides it', async (_, side, placed) => {
  const { user } = await openPart(
    <>
      <button type="button" data-tip="Expand" data-tip-side={side}>
        icon
      </button>
      <TooltipLayer />
    </>,
  )
  await screen.findByRole('button')

  await user.tab()

  expect((await screen.findByText('Expand')).dataset.side).toBe(placed)
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByText('Expand')).toBeNull())
})
