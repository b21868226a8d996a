import { expect, test } from 'vitest'
import { validateVariable } from '../definitions/validate-variable.ts'
import { Variable } from '../definitions/variables.ts'
import { Egg } from './egg.ts'
import { getVariable } from './variables.ts'

/** The variable that an egg with these rules becomes, and the rules that are lost. */
function convert(rules: unknown, more: object = {}) {
  const variable = { env_variable: 'X', default_value: '', user_viewable: true, user_editable: true, rules, ...more }
  const lost: string[] = []
  const { variables } = Egg.parse({ name: 'x', variables: [variable] })
  const converted = variables?.map((one) => getVariable(one, (where) => lost.push(where)))[0]
  return { variable: Variable.parse(converted), lost }
}

function accepted(rules: unknown, values: readonly string[], more: object = {}): string[] {
  const { variable, lost } = convert(rules, more)
  expect(lost).toEqual([])
  return values.filter((value) => validateVariable('X', variable, value) === undefined)
}

test.for<[string | string[], object]>([
  ['required|numeric|between:0.1,64', { type: 'number', min: 0.1, max: 64, required: true }],
  ['numeric|min:-1.5', { type: 'number', min: -1.5 }],
  ['integer|min:0.5|max:9.5', { type: 'integer', min: 1, max: 9 }],
  ['int|gt:0|lt:10', { type: 'integer', min: 1, max: 9 }],
  ['integer|gte:1|lte:10', { type: 'integer', min: 1, max: 10 }],
  ['required|string|integer|max:16', { type: 'integer', max: 16 }],
  ['integer|size:5', { type: 'integer', min: 5, max: 5 }],
  ['numeric|digits_between:1,5', { type: 'integer', min: 0, max: 99_999 }],
  ['integer|digits:3', { type: 'integer', min: 100, max: 999 }],
  ['string|between:3,12', { type: 'string', minLength: 3, maxLength: 12 }],
  ['max:20', { type: 'string', maxLength: 20 }],
  ['string|max:40|min:8|max:30', { type: 'string', minLength: 8, maxLength: 30 }],
  ['alpha_num|size:32', { type: 'string', minLength: 32, maxLength: 32, pattern: '^[\\pL\\pM\\pN]+$' }],
  [['regex:/^a|b$/i', 'alpha_dash'], { pattern: ['(?i)^a|b$', '^[\\pL\\pM\\pN_-]+$'] }],
  ['regex:/^(a|b)$/|max:1', { pattern: '^(a|b)$', maxLength: 1 }],
  ['Nullable|string', { type: 'string', required: false }],
  ['nullable|required', { required: true }],
  ['nullable:string', { type: 'string' }],
  ['in:"a,b", c,"say ""hi"""', { type: 'option', options: [{ value: 'a,b' }, { value: 'c' }, { value: 'say "hi"' }] }],
  ['nullable|in:,a', { type: 'option', required: false, options: [{ value: 'a' }] }],
  ['required|in:TRUE,FALSE', { type: 'boolean', trueValue: 'TRUE', falseValue: 'FALSE' }],
  ['required|in:no,yes', { type: 'boolean', trueValue: 'yes', falseValue: 'no' }],
  ['required|in:on,no', { type: 'option' }],
  ['required|in:true,false', { type: 'boolean' }],
  // Neither on nor off is a state of its own.
  ['nullable|in:0,1', { type: 'option', options: [{ value: '0' }, { value: '1' }] }],
  ['boolean|in:1', { type: 'option', options: [{ value: '1' }] }],
  ['required|boolean', { type: 'boolean', trueValue: '1', falseValue: '0' }],
  ['', { type: 'string', required: false }],
])('%s', ([rules, expected]) => {
  const { variable, lost } = convert(rules)

  expect(variable).toMatchObject(expected)
  expect(lost).toEqual([])
})

test.for<[string, unknown, object]>([
  ['boolean', 1, { type: 'boolean', value: '1', trueValue: '1', falseValue: '0' }],
  ['boolean', false, { type: 'boolean', value: 'false' }],
  ['boolean', 'True', { type: 'boolean', trueValue: 'True', falseValue: 'False' }],
  ['numeric', 0.5, { type: 'number', value: '0.5' }],
  ['integer|between:1024,65535', '0', { type: 'integer', value: '0', min: 1024 }],
  ['string', 'a\r\nb', { value: 'a\nb' }],
])('%s with the default %s', ([rules, value, expected]) => {
  expect(convert(rules, { default_value: value }).variable).toMatchObject(expected)
})

test('true and false need no form of their own', () => {
  expect(Object.keys(convert('required|in:true,false').variable)).not.toContain('trueValue')
  expect(Object.keys(convert('boolean', { default_value: false }).variable)).not.toContain('trueValue')
})

test('texts are checked as the other panel checks them', () => {
  expect(accepted('regex:/^([\\w\\d._-]+)(\\.jar)$/', ['server.jar', '../../etc/passwd', 'a.jar.txt'])).toEqual([
    'server.jar',
  ])
  expect(accepted('regex:{^https?://}', ['http://x', 'ftp://x'])).toEqual(['http://x'])
  expect(accepted('regex:#^[A-Z]+\\Z#i', ['abc', 'a1'])).toEqual(['abc'])
  expect(accepted('regex:/^[a-z ]{1,1000}$/', ['a b', 'A', 'x'.repeat(1_001)])).toEqual(['a b'])
  expect(accepted('not_regex:/^\\d+$/', ['123', 'a1'])).toEqual(['a1'])
  expect(accepted('digits_between:3,4', ['007', '12', '12a', '12345'])).toEqual(['007'])
  expect(accepted('numeric|digits:17', ['12345678901234567', '1234567890123456'])).toEqual(['12345678901234567'])
  expect(accepted('ends_with:==,=', ['ab=', 'ab'])).toEqual(['ab='])
  expect(accepted('starts_with:a.,b', ['a.x', 'ax', 'bx'])).toEqual(['a.x', 'bx'])
  expect(accepted('url', ['https://example.com/a?b', 'example.com', 'http:// x'])).toEqual(['https://example.com/a?b'])
  expect(accepted('ip', ['10.0.0.1', '::1', '10.0.0.256', 'host'])).toEqual(['10.0.0.1', '::1'])
  expect(accepted('alpha_dash:ascii', ['a-b_1', 'ä'])).toEqual(['a-b_1'])
  expect(accepted('alpha', ['äß', 'a1'])).toEqual(['äß'])
})

test.for([
  ['required|not_in:a,b', ['not_in:a,b']],
  ['regex:/^(?!a)b/|string', ['regex:/^(?!a)b/']],
  // The end of the expression is missing: nothing is made of the pieces.
  ['regex:/^(a|b|max:5', ['regex:/^(a', 'b']],
  ['numeric|gt:0', ['gt:0']],
  ['integer|min:other', ['min:other']],
  ['required_if:a,b|date', ['required_if:a,b', 'date']],
] as const)('%s loses rules', ([rules, expected]) => {
  expect(convert(rules).lost).toEqual(expected.map((rule) => `variables.X.rules.${rule}`))
})

test('rules of an empty object in YAML are no rules', () => {
  expect(convert({}).variable).toMatchObject({ type: 'string', required: false })
})

test.for([
  [true, true, { userEdit: true, internal: false }],
  [true, false, { userEdit: false, userView: true, internal: false }],
  [false, true, { userEdit: false, internal: true }],
  [false, false, { userEdit: false, internal: true }],
] as const)('viewable %s and editable %s', ([user_viewable, user_editable, expected]) => {
  expect(convert('string', { user_viewable, user_editable }).variable).toMatchObject(expected)
})

test.each([
  ['SERVER_JARFILE', 'server.jar', 'path'],
  ['PY_FILE', 'app.py', 'path'],
  ['SERVER_JARFILE', '/opt/server.jar', 'string'],
  ['MAP', 'de_dust2', 'string'],
])('%s with %s becomes a %s', (env_variable, default_value, type) => {
  expect(convert('required|string|max:20', { env_variable, default_value }).variable).toMatchObject({
    type,
    maxLength: 20,
  })
})
