import type { NodeState } from '@innkeeper/contract/nodes/nodes'
import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { openPart } from '../../testing/open-part.tsx'
import { CheckStrip } from './check-strip.tsx'

test.each([
  [['online'], 'Attic (Last check: Online)'],
  [['offline'], 'Attic (Last check: Offline)'],
  [['online', 'offline', 'online'], 'Attic (The last 3 checks: 2 online)'],
] satisfies [NodeState[], string][])('the checks %j are named "%s"', async (checks, name) => {
  await openPart(<CheckStrip name="Attic" checks={checks} />)

  expect(await screen.findByRole('button', { name })).toBeDefined()
})
