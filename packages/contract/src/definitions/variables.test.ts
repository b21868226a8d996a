import { expect, test } from 'vitest'
import { validateVariable } from './validate-variable.ts'
import {
  findBoolean,
  getText,
  isUserEditable,
  isUserVisible,
  passedText,
  storedValue,
  type Variable,
} from './variables.ts'

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
  ['a fraction', { type: 'number' }, '0.5', undefined],
  ['a fraction without a whole part', { type: 'number' }, ' -.25 ', undefined],
  ['a power of ten', { type: 'number' }, '1e3', undefined],
  ['words for a number', { type: 'number' }, '1,5', 'ErrFieldNotNumber'],
  ['a number that is none', { type: 'number' }, 'NaN', 'ErrFieldNotNumber'],
  ['a number below a fraction', { type: 'number', min: 0.1, max: 64 }, '0', 'ErrFieldNotBetween'],
  ['a number at a fraction as text', { type: 'number', min: '0.1' }, '0.1', undefined],
  ['on in the form of the variable', { type: 'boolean', trueValue: '1', falseValue: '0' }, '1', undefined],
  ['off in the form of the variable', { type: 'boolean', trueValue: 1, falseValue: 0 }, 0, undefined],
  ['true for a variable with forms', { type: 'boolean', trueValue: 'on', falseValue: 'off' }, true, undefined],
  [
    'another word for one with forms',
    { type: 'boolean', trueValue: '1', falseValue: '0' },
    'yes',
    'ErrFieldNotBoolean',
  ],
  ['off that is empty', { type: 'boolean', required: true, trueValue: '-x', falseValue: '' }, '', undefined],
  ['a text that is too short', { minLength: 3 }, 'ab', 'ErrFieldLength'],
  ['a text of two characters outside the basic plane', { maxLength: '2' }, '😀😀', undefined],
  ['a text that is too long', { maxLength: 2 }, 'abc', 'ErrFieldTooLong'],
  ['lengths of another type', { type: 'integer', maxLength: 1 }, '10', undefined],
  ['a text that matches', { pattern: '^\\w+\\.jar$' }, 'server.jar', undefined],
  ['a text that leaves the folder', { pattern: '^\\w+\\.jar$' }, '../x.jar', 'ErrFieldPattern'],
  ['a text that matches one of two patterns', { pattern: ['^a', 'b$'] }, 'ac', 'ErrFieldPattern'],
  ['a pattern without anchors', { pattern: '\\d' }, 'a1b', undefined],
  ['a pattern that is none', { pattern: '(' }, 'x', undefined],
  ['nothing for an optional one with a pattern', { pattern: 'x', minLength: 1 }, '', undefined],
  ['a long text for a pattern', { pattern: '.' }, 'x'.repeat(5_000), 'ErrFieldTooLong'],
  ['an offered option', { type: 'option', options: [{ value: 1 }, { value: 'b' }] }, '1', undefined],
  ['another option', { type: 'option', options: [{ value: 'a' }] }, 'b', 'ErrFieldNotOffered'],
  ['any text', { type: 'string' }, '${x} "', undefined],
  ['several lines', {}, 'a\nb', 'ErrFieldNotOneLine'],
  ['a line break of another kind', {}, 'a\u2028b', 'ErrFieldNotOneLine'],
  ['a number with a line behind it', { type: 'integer' }, '5\n', 'ErrFieldNotOneLine'],
  ['several lines where the variable says so', { multiline: true }, 'a\nb', undefined],
  ['several lines where there were some', { value: 'a\nb' }, 'c\nd', undefined],
  ['several lines that are offered', { type: 'option', options: [{ value: 'a\nb' }] }, 'a\nb', undefined],
  ['a character that is no text', {}, 'a\0b', 'ErrFieldCharacters'],
  ['a character that the variable forbids', { forbiddenCharacters: '?"' }, 'a?b', 'ErrFieldCharacters'],
  ['no character that the variable forbids', { forbiddenCharacters: '?"' }, 'a b', undefined],
  ['a text as long as may be', {}, 'x'.repeat(16_384), undefined],
  ['a text that is longer', {}, `${'x'.repeat(16_382)}ä!`, 'ErrFieldTooLarge'],
  ['any text for an unknown type', { type: 'colour' }, 'red', undefined],
])('%s', (_, variable, value, code) => {
  expect(validateVariable('field', variable, value)?.code).toBe(code)
})

test('the port of a server is validated as a port', () => {
  const judged = ['0', ' 65535 ', '65536', '-1', '+1', 'many'].map((value) =>
    validateVariable('port', { type: 'integer' }, value, 'Port'),
  )

  expect(judged.map((problem) => problem?.code)).toEqual([
    'ErrFieldNotBetween',
    undefined,
    'ErrFieldNotBetween',
    'ErrFieldNotBetween',
    undefined,
    'ErrFieldNotWhole',
  ])
  expect(judged[2]?.metadata).toEqual({ field: 'Port', min: 1, max: 65_535 })
  expect(validateVariable('queryport', { type: 'integer' }, '-1')).toBeUndefined()
})

test.for<[string, Parameters<typeof validateVariable>[1], string, object | undefined]>([
  ['no players at all', { min: 1 }, '0', { code: 'ErrFieldTooSmall', metadata: { field: 'n', min: 1 } }],
  ['fewer than no players', { min: '0' }, '-5', { code: 'ErrFieldTooSmall', metadata: { field: 'n', min: 0 } }],
  ['as many as may be', { min: 1, max: 64 }, '64', undefined],
  ['too many', { min: 1, max: 64 }, '65', { code: 'ErrFieldNotBetween', metadata: { field: 'n', min: 1, max: 64 } }],
  ['too many where no least number is set', { max: 64 }, '65', { code: 'ErrFieldTooLarge' }],
  ['less than nothing where a template has no range', {}, '-5', undefined],
  ['a range that is none', { min: 'few', max: null }, '-5', undefined],
])('%s', ([, variable, value, refusal]) => {
  const problem = validateVariable('n', { type: 'integer', ...variable }, value)

  if (refusal) expect(problem).toMatchObject(refusal)
  else expect(problem).toBeUndefined()
})

test('a program that does not listen keeps port 0, and a template may narrow its ports', () => {
  expect(validateVariable('port', { type: 'integer', value: 0 }, '0')).toBeUndefined()
  expect(validateVariable('port', { type: 'integer', value: 5000, min: 0 }, '0')).toBeUndefined()
  expect(validateVariable('port', { type: 'integer', min: 1024 }, '80')?.metadata).toMatchObject({
    min: 1024,
    max: 65_535,
  })
})

test('values are converted to plain text', () => {
  expect([undefined, null, 25_000_000, true, ' x '].map(getText)).toEqual(['', '', '25000000', 'true', ' x '])
  expect(['TRUE', false, '', 'x'].map(findBoolean)).toEqual([true, false, undefined, undefined])
})

test('only variables that are user-editable and not internal are editable by all users', () => {
  expect([{ userEdit: true }, { userEdit: true, internal: true }, {}].map(isUserEditable)).toEqual([true, false, false])
})

test('users see what they may change or what the template shows them, unless it is internal', () => {
  const variables = [{ userEdit: true }, { userView: true }, { userView: true, internal: true }, {}]

  expect(variables.map(isUserVisible)).toEqual([true, true, false, false])
  expect(variables.map(isUserEditable)).toEqual([true, false, false, false])
})

test('a boolean with forms of its own is stored and passed on in them', () => {
  const variable = { type: 'boolean', trueValue: '1', falseValue: '0' }

  expect([true, 'False', '1', 'banana', ''].map((value) => storedValue(variable, value))).toEqual([
    '1',
    '0',
    '1',
    'banana',
    '',
  ])
  expect(passedText({ ...variable, value: true })).toBe('1')
  expect(storedValue({ type: 'boolean' }, true)).toBe(true)
  expect(passedText({ type: 'boolean', value: 'True' })).toBe('True')
  expect(storedValue({ ...variable, type: 'string' }, 'true')).toBe('true')
})
