import { expect, test } from 'vitest'
import { defaultLocale, loadCatalog } from '../../i18n/locale.ts'
import { actions, nameOfAction, nameOfTarget, reasonOf, subjects } from './words.ts'

const text = (key: string) => key

test('every action that is written down has its words', async () => {
  const catalogue = await loadCatalog(defaultLocale)
  const keys = [
    ...actions.map((action) => nameOfAction(text, action)),
    ...subjects.map((one) => `activity.Subject_${one}`),
  ]

  expect(keys.filter((key) => !(key in catalogue))).toEqual([])
})

test('an action of another version keeps its own name', () => {
  expect(nameOfAction(text, 'moon.land')).toBe('moon.land')
})

test('a reason whose values are not known is told by its code', () => {
  expect(reasonOf(text, 'ErrNoPermission')).toBe('errors.ErrNoPermission')
  expect(reasonOf(text, 'ErrFieldRequired')).toBe('ErrFieldRequired')
  expect(reasonOf(text, 'ErrOfTomorrow')).toBe('ErrOfTomorrow')
})

test('a client without a name is called so, and anything else by its target', () => {
  const target = '0f9d1c62-5a55-4c0e-9a44-b3c3b0c0a111'
  const filled = (key: string, values = {}) => `${key} ${JSON.stringify(values)}`

  expect(nameOfTarget(filled, { action: 'server.client.delete', target })).toBe(
    'activity.UnnamedClient {"id":"0f9d1c62"}',
  )
  expect(nameOfTarget(filled, { action: 'client.create', target: 'Bot' })).toBe('Bot')
  expect(nameOfTarget(filled, { action: 'server.start', target: undefined })).toBeUndefined()
})
