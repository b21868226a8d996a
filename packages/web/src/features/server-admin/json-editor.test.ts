import { expect, test } from 'vitest'
import { mistakeIn } from './json-editor.tsx'

test('the line of a mistake is told', () => {
  expect(mistakeIn('{\n  "a": 1,\n  "b": \n}')).toBe(4)
  expect(mistakeIn('{\n  "a": 1\n  "b": 2\n}')).toBe(3)
  expect(mistakeIn('{\n  "a": nope\n}')).toBe(2)
})

test('JSON has no mistake', () => {
  expect(mistakeIn('{"a": [1, "two", null, true]}')).toBeUndefined()
})
