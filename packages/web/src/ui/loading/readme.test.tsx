import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { Readme } from './readme.tsx'

test('code and tables, which may scroll, are reached by keyboard', async () => {
  const { user } = await openPart(<Readme markdown={'```\napt install java\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |'} />)
  await screen.findByText('apt install java')
  const focused: (string | undefined)[] = []

  for (let presses = 0; presses < 2; presses++) {
    await user.tab()
    focused.push(document.activeElement?.tagName)
  }

  expect(focused).toEqual(['PRE', 'TABLE'])
})
