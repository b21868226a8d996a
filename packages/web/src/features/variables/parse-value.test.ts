import type { Variable } from '@innkeeper/contract/definitions/variables'
import { expect, test } from 'vitest'
import { parseValue } from './parse-value.ts'

test.each<[string, Variable, string, unknown]>([
  ['a number stays a number', { type: 'integer', value: 1 }, ' 25 ', 25],
  ['a number as text stays text', { type: 'integer', value: '1' }, ' 25 ', '25'],
  ['text that is not a number stays text', { type: 'integer', value: 1 }, '-', '-'],
  ['digits beyond the safe integers stay text', { type: 'integer' }, '12345678901234567890', '12345678901234567890'],
  ['a boolean stays a boolean', { type: 'boolean', value: false }, 'true', true],
  ['a boolean as text stays text', { type: 'boolean', value: 'False' }, 'true', 'true'],
  ['a fraction stays a number', { type: 'number', value: 1 }, '0.25', 0.25],
  ['a number keeps its digits as text', { type: 'number', value: 1 }, '0.50', '0.50'],
  ['a boolean has the form of its variable', { type: 'boolean', trueValue: 1, falseValue: 0 }, '1', 1],
  ['a boolean has the form as text', { type: 'boolean', trueValue: 1, falseValue: 0, value: '1' }, '0', '0'],
  ['a boolean turns true into its form', { type: 'boolean', trueValue: 'on', falseValue: 'off' }, 'true', 'on'],
  ['an option has the type of its value', { type: 'option', options: [{ value: 2 }] }, '2', 2],
  ['an unknown option stays text', { type: 'option', options: [] }, '2', '2'],
  ['text is text', { value: 1 }, ' 2 ', ' 2 '],
])('%s', (_, variable, text, value) => {
  expect(parseValue(variable, text)).toBe(value)
})
