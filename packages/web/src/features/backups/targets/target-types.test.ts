import { expect, test } from 'vitest'
import { toggleTarget } from './target-types.ts'

test.each([
  [['local'], 'a', ['local', 'a']],
  [['local', 'a'], 'local', ['a']],
  [['local', 'a', 'b'], 'local', ['b']],
  [['a'], 'b', ['local', 'a', 'b']],
  [['local'], 'local', ['local']],
  [['a'], 'a', ['local']],
])('of %j, %s changes the selection to %j', (selected, id, expected) => {
  expect(toggleTarget(selected, id)).toEqual(expected)
})
