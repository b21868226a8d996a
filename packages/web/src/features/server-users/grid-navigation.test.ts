import { expect, test } from 'vitest'
import { getNextCell } from './grid-navigation.ts'

const lengths = [13, 11, 13]

test.each([
  ['ArrowRight', { x: 3, y: 0 }, { x: 4, y: 0 }],
  ['ArrowLeft', { x: 0, y: 0 }, { x: 0, y: 0 }],
  ['ArrowDown', { x: 2, y: 0 }, { x: 2, y: 1 }],
  ['ArrowDown', { x: 12, y: 0 }, { x: 10, y: 1 }],
  ['ArrowUp', { x: 2, y: 0 }, { x: 2, y: 0 }],
  ['Home', { x: 5, y: 2 }, { x: 0, y: 2 }],
  ['End', { x: 5, y: 1 }, { x: 10, y: 1 }],
])('%s moves within the rows', (key, from, to) => {
  expect(getNextCell(key, false, false, from, lengths)).toEqual(to)
})

test('Ctrl+Home and Ctrl+End move to the corners of the grid', () => {
  expect(getNextCell('Home', true, false, { x: 5, y: 1 }, lengths)).toEqual({ x: 0, y: 0 })
  expect(getNextCell('End', true, false, { x: 5, y: 1 }, lengths)).toEqual({ x: 12, y: 2 })
})

test('in right-to-left languages the arrows are mirrored', () => {
  expect(getNextCell('ArrowLeft', false, true, { x: 3, y: 0 }, lengths)).toEqual({ x: 4, y: 0 })
})

test('other keys are not handled', () => {
  expect(getNextCell(' ', false, false, { x: 3, y: 0 }, lengths)).toBeUndefined()
})
