import type { Setting } from '@innkeeper/contract/settings'
import { expect, test } from 'vitest'
import {
  draftOf,
  type Held,
  missingIn,
  normalizedValues,
  objectionTo,
  type SettingsValues,
  savedValues,
  withProvider,
} from './draft.ts'

const given = (value: string | boolean): Setting => ({ value, isSet: true, isFixed: false })
const secret: Setting = { value: '', isSet: true, isFixed: false }

const mailgun: Held = {
  'panel.email.provider': given('mailgun'),
  'panel.email.from': given('inn@example.net'),
  'panel.email.domain': given('mg.example.net'),
  'panel.email.key': secret,
}

/** What of some values would be sent. */
const sent = (held: Held, values: SettingsValues) => draftOf(held, normalizedValues(held, values))

test('what was typed and typed back is no change', () => {
  expect(sent(mailgun, { 'panel.email.from': 'inn@example.net', 'panel.email.domain': 'x.net' })).toEqual({
    'panel.email.domain': 'x.net',
  })
})

test('a secret is sent only when it is replaced, or taken away where there is one', () => {
  expect(sent(mailgun, savedValues(mailgun, ['panel.email.key', 'panel.email.password']))).toEqual({})
  expect(sent(mailgun, { 'panel.email.key': 'new' })).toEqual({ 'panel.email.key': 'new' })
  expect(sent(mailgun, { 'panel.email.key': '', 'panel.email.password': '' })).toEqual({ 'panel.email.key': '' })
})

test('what the environment decides is never sent', () => {
  const held: Held = { 'panel.settings.masterUrl': { value: 'https://a.example', isSet: true, isFixed: true } }

  expect(sent(held, { 'panel.settings.masterUrl': 'https://b.example' })).toEqual({})
})

test('the key of one provider is not taken for that of another', () => {
  const draft = withProvider(mailgun, {}, 'mailjet')

  expect(draft).toMatchObject({ 'panel.email.provider': 'mailjet', 'panel.email.domain': '' })
  expect(missingIn(mailgun, draft)).toEqual(['panel.email.domain', 'panel.email.key'])
  expect(missingIn(mailgun, withProvider(mailgun, draft, 'mailgun'))).toEqual([])
})

test('a provider changed back leaves no change behind', () => {
  const draft = withProvider(mailgun, withProvider(mailgun, {}, 'mailjet'), 'mailgun')
  const saved = savedValues(mailgun, ['panel.email.provider', 'panel.email.domain', 'panel.email.key'])

  expect(sent(mailgun, { ...saved, ...draft })).toEqual({})
})

test('an objection names the field as the form does', () => {
  expect(objectionTo('panel.email.host', 'a b', 'Host and port')).toMatchObject({
    code: 'ErrFieldIsInvalidHost',
    metadata: { field: 'Host and port' },
  })
  expect(objectionTo('panel.email.host', 'mail.example.net:465', 'Host and port')).toBeUndefined()
})
