import { expect, test } from 'vitest'
import type { z } from 'zod/mini'
import { setup } from '../accounts/sign-up.ts'
import { PageQuery } from '../api/paging.ts'
import { Refusal } from '../errors/refusals.ts'
import { renameServer } from '../servers/servers.ts'
import { serverNameKey, toServerName } from '../text/names.ts'
import { validate } from './validate.ts'

function getError(schema: z.ZodMiniType, input: unknown): [string, unknown] {
  try {
    validate(schema, input)
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.metadata]
    throw error
  }
  throw new Error('was not refused')
}

test('invalid input throws the error code of the violated rule', () => {
  const user = { code: 'x', username: 'mara', email: 'm@a.co', password: 'long enough' }

  expect(getError(setup.body, { ...user, username: 'a b' })[0]).toBe('ErrUsernameRequirements')
  expect(getError(setup.body, { ...user, password: 'short' })[0]).toBe('ErrPasswordRequirements')
  expect(getError(setup.body, { ...user, password: 'é'.repeat(200) })).toEqual([
    'ErrFieldTooLarge',
    { field: 'password', max: 255 },
  ])
  expect(getError(setup.body, { ...user, email: 'no' })).toEqual(['ErrFieldNotEmail', { field: 'email' }])
  expect(getError(setup.body, { code: 'x' })).toEqual(['ErrFieldRequired', { field: 'username' }])
  expect(getError(setup.body, { ...user, username: 7 })).toEqual(['ErrFieldInvalid', { field: 'username' }])
  expect(getError(setup.body, 'text')[0]).toBe('ErrInvalidJson')
})

test.each([
  ['', 'ErrFieldRequired'],
  ['   ', 'ErrFieldRequired'],
  ['x'.repeat(101), 'ErrFieldTooLarge'],
  ['a\tb', 'ErrFieldMustBePrintable'],
  ['ab\u202edc', 'ErrFieldMustBePrintable'],
  ['\u2066a\u2069', 'ErrFieldMustBePrintable'],
  ['a\u200bb', 'ErrFieldMustBePrintable'],
  ['\u3164', 'ErrFieldMustBePrintable'],
  ['a\ud800', 'ErrFieldMustBePrintable'],
  ['a/b', 'ErrFieldHasURICharacters'],
  ['a%b', 'ErrFieldHasURICharacters'],
  ['<b>', 'ErrFieldHasURICharacters'],
  ['🚀', 'ErrFieldHasURICharacters'],
  ['..', 'ErrFieldHasURICharacters'],
  [' a', 'ErrFieldHasURICharacters'],
])('the server name %j is refused', (name, code) => {
  expect(getError(renameServer.params, { id: '1a2b3c4d', name })[0]).toBe(code)
})

test.each([
  'Serveur été',
  'خادم سكاي بلوك',
  'サバイバル ワールド',
  'Выживание №1'.replace('№', '#'),
  'हिन्दी सर्वर',
  "Tom's (new) R&D+ world #2",
  '字'.repeat(100),
])('the server name %j is accepted', (name) => {
  expect(renameServer.params.parse({ id: '1a2b3c4d', name }).name).toBe(name)
})

test('a name of a server is stored in one form, and compared without case', () => {
  const decomposed = 'Serveur e\u0301te\u0301'

  const { name } = renameServer.params.parse({ id: '1a2b3c4d', name: decomposed })

  expect(name).toBe('Serveur \u00e9t\u00e9')
  expect(serverNameKey('SERVEUR ÉTÉ')).toBe(serverNameKey(decomposed))
})

test.each([
  ['Übung: 1.20/2', 'Übung 1.20 2'],
  ['世界\u200b 🚀', '世界'],
  ['  a   b ', 'a b'],
  ['..', ''],
  ['x'.repeat(300), 'x'.repeat(100)],
])('%j becomes the server name %j', (name, expected) => {
  expect(toServerName(name)).toBe(expected)
})

test.each([
  [{ page: '0' }, 'ErrFieldTooSmall'],
  [{ limit: '101' }, 'ErrFieldTooLarge'],
  [{ limit: '-1' }, 'ErrFieldTooSmall'],
])('the page %j is refused', (query, code) => {
  expect(getError(PageQuery, query)[0]).toBe(code)
})
