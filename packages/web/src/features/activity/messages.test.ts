import { auditActions } from '@innkeeper/contract/api/audit-actions'
import { expect, test } from 'vitest'
import { createFormatters } from '../../i18n/formatters.ts'
import { defaultLocale, loadCatalog } from '../../i18n/locale.ts'
import { getActionLabel, getErrorText, getTargetName, subjects } from './messages.ts'

const text = (key: string) => key
const formatters = createFormatters('en-US', text)

test('every logged action has a label', async () => {
  const catalog = await loadCatalog(defaultLocale)
  const english = (key: string) => catalog[key] ?? key

  expect(auditActions.filter((action) => getActionLabel(english, action) === action)).toEqual([])
  expect(subjects.filter((subject) => !(`activity.Subject_${subject}` in catalog))).toEqual([])
})

test('an unknown action keeps its name', () => {
  expect(getActionLabel(text, 'moon.land')).toBe('moon.land')
})

test('an error message that needs values is shown as its code', () => {
  expect(getErrorText(text, 'ErrNoPermission')).toBe('errors.ErrNoPermission')
  expect(getErrorText(text, 'ErrFieldRequired')).toBe('ErrFieldRequired')
  expect(getErrorText(text, 'ErrOfTomorrow')).toBe('ErrOfTomorrow')
})

test('a client without a name is shown as unnamed, and anything else by its target', () => {
  const target = '0f9d1c62-5a55-4c0e-9a44-b3c3b0c0a111'
  const filled = (key: string, values = {}) => `${key} ${JSON.stringify(values)}`

  expect(getTargetName(filled, formatters, { action: 'server.client.delete', target })).toBe(
    'activity.UnnamedClient {"id":"0f9d1c62"}',
  )
  expect(getTargetName(filled, formatters, { action: 'client.create', target: 'Bot' })).toBe('Bot')
  expect(getTargetName(filled, formatters, { action: 'server.start', target: undefined })).toBeUndefined()
})

test('changed settings are shown by their labels, and unknown ones by their names', () => {
  const target = 'panel.settings.masterUrl, panel.email.host, panel.moon'

  const withCard = (key: string, { card = '', setting = '' } = {}) =>
    key === 'activity.SettingIn' ? `${card}: ${setting}` : key

  expect(getTargetName(withCard, formatters, { action: 'settings.edit', target })).toBe(
    'settings.MasterUrl, common.Email: settings.Host, and panel.moon',
  )
})
