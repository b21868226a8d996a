import { expect, test } from 'vitest'
import type { z } from 'zod/mini'
import { setup } from './auth.ts'
import { PageQuery } from './paging.ts'
import { Refusal } from './refusals.ts'
import { renameServer } from './servers.ts'
import { validate } from './validate.ts'

function errorOf(schema: z.ZodMiniType, input: unknown): [string, unknown] {
  try {
    validate(schema, input)
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.metadata]
    throw error
  }
  throw new Error('was not refused')
}

test('invalid input throws the error code of the violated rule', () => {
  const person = { code: 'x', username: 'mara', email: 'm@a.co', password: 'long enough' }

  expect(errorOf(setup.body, { ...person, username: 'a b' })[0]).toBe('ErrUsernameRequirements')
  expect(errorOf(setup.body, { ...person, password: 'short' })[0]).toBe('ErrPasswordRequirements')
  expect(errorOf(setup.body, { ...person, password: 'é'.repeat(200) })).toEqual([
    'ErrFieldTooLarge',
    { field: 'password', max: 255 },
  ])
  expect(errorOf(setup.body, { ...person, email: 'no' })).toEqual(['ErrFieldNotEmail', { field: 'email' }])
  expect(errorOf(setup.body, { code: 'x' })).toEqual(['ErrFieldRequired', { field: 'username' }])
  expect(errorOf(setup.body, { ...person, username: 7 })).toEqual(['ErrFieldInvalid', { field: 'username' }])
  expect(errorOf(setup.body, 'text')[0]).toBe('ErrInvalidJson')
})

test.each([
  ['', 'ErrFieldRequired'],
  ['   ', 'ErrFieldRequired'],
  ['x'.repeat(41), 'ErrFieldTooLarge'],
  ['naïve', 'ErrFieldMustBePrintable'],
  ['a/b', 'ErrFieldHasURICharacters'],
  [' a', 'ErrFieldHasURICharacters'],
])('the server name %j is refused', (name, code) => {
  expect(errorOf(renameServer.params, { id: '1a2b3c4d', name })[0]).toBe(code)
})

test.each([
  [{ page: '0' }, 'ErrFieldTooSmall'],
  [{ limit: '101' }, 'ErrFieldTooLarge'],
  [{ limit: '-1' }, 'ErrFieldTooSmall'],
])('the page %j is refused', (query, code) => {
  expect(errorOf(PageQuery, query)[0]).toBe(code)
})
