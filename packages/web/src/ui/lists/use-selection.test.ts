import { expect, test } from 'vitest'
import { noneSelected, selectRange, toggleItem, toggleRange } from './use-selection.ts'

const all = new Map(['a', 'b', 'c', 'd', 'e'].map((key) => [key, key]))
const getKeys = ({ items }: { items: ReadonlyMap<string, string> }) => [...items.keys()].join('')

test('the selection is changed by items, and by ranges in the order of the list', () => {
  const one = toggleItem(noneSelected, all, 'b')
  const range = toggleRange(one, all, 'd')
  const less = toggleRange(toggleItem(range, all, 'c'), all, 'd')
  const alone = toggleRange(noneSelected, all, 'c')

  expect(getKeys(range)).toBe('bcd')
  expect(getKeys(less)).toBe('b')
  expect(getKeys(alone)).toBe('c')
})

test('Shift and an arrow select from the anchor, in both directions', () => {
  const down = selectRange(selectRange(noneSelected, all, 'b', 'c'), all, 'c', 'd')
  const back = selectRange(down, all, 'd', 'c')
  const above = selectRange(back, all, 'b', 'a')

  expect(getKeys(down)).toBe('bcd')
  expect(getKeys(back)).toBe('bc')
  expect(getKeys(above)).toBe('ab')
})

test('an item of another page stays selected when a range of this page is', () => {
  const others = new Map([['z', 'z']])

  const both = toggleRange(toggleItem(toggleItem(noneSelected, others, 'z'), all, 'a'), all, 'b')

  expect(getKeys(both)).toBe('zab')
})
