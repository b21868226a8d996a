import { expect, test } from 'vitest'
import { trimEnd } from './trim-end.ts'

test.each([
  ['', '/', ''],
  ['///', '/', ''],
  ['/a//b', '/', '/a//b'],
  ['/a/b///', '/', '/a/b'],
  ['a\ufffd', '\ufffd', 'a'],
])('%j without %j at its end is %j', (text, character, expected) => {
  expect(trimEnd(text, character)).toBe(expected)
})

test('a long run of the character in the middle takes linear time', () => {
  const text = `${'\r'.repeat(1_000_000)}x`

  expect(trimEnd(text, '\r')).toBe(text)
})
