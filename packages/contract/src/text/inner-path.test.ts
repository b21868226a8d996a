import { expect, test } from 'vitest'
import { validateVariable } from '../definitions/validate-variable.ts'
import { isConcealed } from '../definitions/variables.ts'
import { isInnerPath } from './inner-path.ts'

test.each(['app.jar', './app.jar', 'a/b c/ü.sav', '.', '..a/b..', 'world-1', '@a'])('%j is inside', (text) => {
  expect(isInnerPath(text)).toBe(true)
})

test.each([
  ...['', '/a', '//a', '..', '../a', 'a/..', 'a/../b', '~', '~root/a', 'a\\b', 'C:\\a', 'c:a'],
  ...['file:///a', 'https://a', 'a\0b', 'a\nb', 'a\x7fb', 'a'.repeat(5000)],
])('%j is not inside', (text) => {
  expect(isInnerPath(text)).toBe(false)
})

test('a path has the limits of a text too', () => {
  const jar = { type: 'path', pattern: '\\.jar$', maxLength: 8, display: 'Jar' }

  expect(validateVariable('jar', jar, 'app.jar')).toBeUndefined()
  expect(validateVariable('jar', jar, '')).toBeUndefined()
  expect(validateVariable('jar', jar, 'app.zip')?.code).toBe('ErrFieldPattern')
  expect(validateVariable('jar', jar, 'long-app.jar')?.code).toBe('ErrFieldTooLong')
  expect(validateVariable('jar', jar, '../a.jar')).toMatchObject({ code: 'ErrFieldNotPath' })
})

test.each([
  ['password', { userEdit: true, value: 'a' }, true],
  ['name', { value: 'a secret' }, true],
  ['name', { userEdit: true, internal: true, value: 'a secret' }, true],
  ['name', { type: 'path', value: 'server.jar' }, true],
  ['name', { userView: true, value: 'a secret' }, false],
  ['name', { type: 'integer', value: 123_456 }, false],
  ['name', { value: '27015' }, false],
  ['name', { value: 'False' }, false],
  ['name', { value: 'abc' }, false],
  ['ip', { value: '192.0.2.1' }, false],
] as const)('whether %s with %j is concealed: %s', (name, variable, expected) => {
  expect(isConcealed(name, variable)).toBe(expected)
})
