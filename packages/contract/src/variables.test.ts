import { expect, test } from 'vitest'
import { booleanOf, isUserEditable, objectionTo, textOf, type Variable } from './variables.ts'

test.each<[string, Variable, string | number | boolean | null | undefined, string | undefined]>([
  ['a whole number as text', { type: 'integer' }, '25565', undefined],
  ['a whole number', { type: 'integer' }, -3, undefined],
  ['a fraction for a whole number', { type: 'integer' }, '1.5', 'ErrFieldNotWhole'],
  ['words for a whole number', { type: 'integer' }, 'many', 'ErrFieldNotWhole'],
  ['nothing for an optional one', { type: 'integer' }, '', undefined],
  ['nothing for a required one', { type: 'integer', required: true }, '', 'ErrFieldRequired'],
  ['null for a required one', { required: true }, null, 'ErrFieldRequired'],
  ['a capitalised boolean', { type: 'boolean' }, 'False', undefined],
  ['words for a boolean', { type: 'boolean' }, 'yes', 'ErrFieldNotBoolean'],
  ['an offered option', { type: 'option', options: [{ value: 1 }, { value: 'b' }] }, '1', undefined],
  ['another option', { type: 'option', options: [{ value: 'a' }] }, 'b', 'ErrFieldNotOffered'],
  ['any text', { type: 'string' }, '${x} "', undefined],
  ['any text for an unknown type', { type: 'colour' }, 'red', undefined],
])('%s', (_, variable, value, code) => {
  expect(objectionTo('field', variable, value)?.code).toBe(code)
})

test('where a server listens is a port', () => {
  const judged = ['0', ' 65535 ', '65536', '-1', '+1', 'many'].map((value) =>
    objectionTo('port', { type: 'integer' }, value, 'Port'),
  )

  expect(judged.map((objection) => objection?.code)).toEqual([
    undefined,
    undefined,
    'ErrFieldNotBetween',
    'ErrFieldNotBetween',
    'ErrFieldNotBetween',
    'ErrFieldNotWhole',
  ])
  expect(judged[2]?.metadata).toEqual({ field: 'Port', min: 0, max: 65_535 })
  expect(objectionTo('queryport', { type: 'integer' }, '-1')).toBeUndefined()
})

test('values print plainly', () => {
  expect([undefined, null, 25_000_000, true, ' x '].map(textOf)).toEqual(['', '', '25000000', 'true', ' x '])
  expect(['TRUE', false, '', 'x'].map(booleanOf)).toEqual([true, false, undefined, undefined])
})

test('only variables that say so, and are not internal, are for everybody', () => {
  expect([{ userEdit: true }, { userEdit: true, internal: true }, {}].map(isUserEditable)).toEqual([true, false, false])
})
