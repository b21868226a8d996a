import type { Variable } from '@innkeeper/contract/variables'
import { expect, test } from 'vitest'
import { valueFrom } from './values.ts'

test.each<[string, Variable, string, unknown]>([
  ['a number stays a number', { type: 'integer', value: 1 }, ' 25 ', 25],
  ['a number as text stays text', { type: 'integer', value: '1' }, ' 25 ', '25'],
  ['what is no number yet stays as it is typed', { type: 'integer', value: 1 }, '-', '-'],
  ['digits that no number holds stay text', { type: 'integer' }, '12345678901234567890', '12345678901234567890'],
  ['a boolean stays a boolean', { type: 'boolean', value: false }, 'true', true],
  ['a boolean as text stays text', { type: 'boolean', value: 'False' }, 'true', 'true'],
  ['a choice is what the option holds', { type: 'option', options: [{ value: 2 }] }, '2', 2],
  ['what is no choice stays text', { type: 'option', options: [] }, '2', '2'],
  ['text is text', { value: 1 }, ' 2 ', ' 2 '],
])('%s', (_, variable, text, value) => {
  expect(valueFrom(variable, text)).toBe(value)
})
