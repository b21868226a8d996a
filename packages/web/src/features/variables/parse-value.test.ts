import type { Variable } from '@innkeeper/contract/variables'
import { expect, test } from 'vitest'
import { parseValue } from './parse-value.ts'

test.each<[string, Variable, string, unknown]>([
  ['a number stays a number', { type: 'integer', value: 1 }, ' 25 ', 25],
  ['a number as text stays text', { type: 'integer', value: '1' }, ' 25 ', '25'],
  ['text that is not a number stays text', { type: 'integer', value: 1 }, '-', '-'],
  ['digits beyond the safe integers stay text', { type: 'integer' }, '12345678901234567890', '12345678901234567890'],
  ['a boolean stays a boolean', { type: 'boolean', value: false }, 'true', true],
  ['a boolean as text stays text', { type: 'boolean', value: 'False' }, 'true', 'true'],
  ['an option has the type of its value', { type: 'option', options: [{ value: 2 }] }, '2', 2],
  ['an unknown option stays text', { type: 'option', options: [] }, '2', '2'],
  ['text is text', { value: 1 }, ' 2 ', ' 2 '],
])('%s', (_, variable, text, value) => {
  expect(parseValue(variable, text)).toBe(value)
})
