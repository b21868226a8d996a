import { expect, test } from 'vitest'
import { WaitQuery } from './node-servers.ts'

test.for([
  [undefined, false],
  ['', true],
  ['true', true],
  ['1', true],
  ['false', false],
  ['FALSE', false],
] as const)('wait=%s waits for the action to complete: %s', ([wait, isWaiting]) => {
  expect(WaitQuery.parse({ wait })).toEqual({ wait: isWaiting })
})
