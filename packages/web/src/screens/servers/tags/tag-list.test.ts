import { expect, test } from 'vitest'
import { countThatFit } from './tag-list.tsx'

test('tags are shown as far as there is space for all of their characters, the first one always', () => {
  expect(countThatFit(['EU', 'lobby'], 20)).toBe(2)
  expect(countThatFit(['EU', 'lobby', 'modded'], 20)).toBe(2)
  expect(countThatFit(['a-tag-of-24-characters-x', 'EU'], 20)).toBe(1)
  expect(countThatFit([], 20)).toBe(0)
})
