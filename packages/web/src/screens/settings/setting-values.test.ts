import type { Setting } from '@innkeeper/contract/settings/settings'
import { expect, test } from 'vitest'
import {
  getMissingFields,
  normalizeValues,
  type SavedSettings,
  type SettingsValues,
  setProvider,
  toDraft,
  toFormValues,
  validateSetting,
} from './setting-values.ts'

const set = (value: string | boolean): Setting => ({ value, isSet: true, isFixed: false })
const secret: Setting = { value: '', isSet: true, isFixed: false }

const mailgun: SavedSettings = {
  'panel.email.provider': set('mailgun'),
  'panel.email.from': set('inn@example.net'),
  'panel.email.domain': set('mg.example.net'),
  'panel.email.key': secret,
}

/** The changes that would be sent. */
const getChanges = (settings: SavedSettings, values: SettingsValues) =>
  toDraft(settings, normalizeValues(settings, values))

test('a value edited back to the saved one is not sent', () => {
  expect(getChanges(mailgun, { 'panel.email.from': 'inn@example.net', 'panel.email.domain': 'x.net' })).toEqual({
    'panel.email.domain': 'x.net',
  })
})

test('a secret is sent only when it is replaced, or removed while one is set', () => {
  expect(getChanges(mailgun, toFormValues(mailgun, ['panel.email.key', 'panel.email.password']))).toEqual({})
  expect(getChanges(mailgun, { 'panel.email.key': 'new' })).toEqual({ 'panel.email.key': 'new' })
  expect(getChanges(mailgun, { 'panel.email.key': '', 'panel.email.password': '' })).toEqual({ 'panel.email.key': '' })
})

test('a fixed setting is never sent', () => {
  const settings: SavedSettings = {
    'panel.settings.masterUrl': { value: 'https://a.example', isSet: true, isFixed: true },
  }

  expect(getChanges(settings, { 'panel.settings.masterUrl': 'https://b.example' })).toEqual({})
})

test('the key of one provider is not used for another one', () => {
  const draft = setProvider(mailgun, {}, 'mailjet')

  expect(draft).toMatchObject({ 'panel.email.provider': 'mailjet', 'panel.email.domain': '' })
  expect(getMissingFields(mailgun, draft)).toEqual(['panel.email.domain', 'panel.email.key'])
  expect(getMissingFields(mailgun, setProvider(mailgun, draft, 'mailgun'))).toEqual([])
})

test('selecting the saved provider again leaves no changes', () => {
  const draft = setProvider(mailgun, setProvider(mailgun, {}, 'mailjet'), 'mailgun')
  const saved = toFormValues(mailgun, ['panel.email.provider', 'panel.email.domain', 'panel.email.key'])

  expect(getChanges(mailgun, { ...saved, ...draft })).toEqual({})
})

test('a validation error has the label of the field', () => {
  expect(validateSetting('panel.email.host', 'a b', 'Host and port')).toMatchObject({
    code: 'ErrFieldIsInvalidHost',
    metadata: { field: 'Host and port' },
  })
  expect(validateSetting('panel.email.host', 'mail.example.net:465', 'Host and port')).toBeUndefined()
})
