import type { Setting } from '@innkeeper/contract/settings'
import { expect, test } from 'vitest'
import { changesOf, type Held, missingIn, objectionTo, withProvider } from './draft.ts'

const given = (value: string | boolean): Setting => ({ value, isSet: true, isFixed: false })
const secret: Setting = { value: '', isSet: true, isFixed: false }

const mailgun: Held = {
  'panel.email.provider': given('mailgun'),
  'panel.email.from': given('inn@example.net'),
  'panel.email.domain': given('mg.example.net'),
  'panel.email.key': secret,
}

test('what was typed and typed back is no change', () => {
  const keys = ['panel.email.from', 'panel.email.domain'] as const

  expect(changesOf(mailgun, { 'panel.email.from': 'inn@example.net', 'panel.email.domain': 'x.net' }, keys)).toEqual({
    'panel.email.domain': 'x.net',
  })
})

test('a secret is sent only when it is replaced, or taken away where there is one', () => {
  const keys = ['panel.email.key', 'panel.email.password'] as const

  expect(changesOf(mailgun, {}, keys)).toEqual({})
  expect(changesOf(mailgun, { 'panel.email.key': 'new' }, keys)).toEqual({ 'panel.email.key': 'new' })
  expect(changesOf(mailgun, { 'panel.email.key': '', 'panel.email.password': '' }, keys)).toEqual({
    'panel.email.key': '',
  })
})

test('what the environment decides is never sent', () => {
  const held: Held = { 'panel.settings.masterUrl': { value: 'https://a.example', isSet: true, isFixed: true } }

  expect(changesOf(held, { 'panel.settings.masterUrl': 'https://b.example' }, ['panel.settings.masterUrl'])).toEqual({})
})

test('the key of one provider is not taken for that of another', () => {
  const draft = withProvider(mailgun, {}, 'mailjet')

  expect(draft).toMatchObject({ 'panel.email.provider': 'mailjet', 'panel.email.domain': '' })
  expect(missingIn(mailgun, draft)).toEqual(['panel.email.domain', 'panel.email.key'])
  expect(missingIn(mailgun, withProvider(mailgun, draft, 'mailgun'))).toEqual([])
})

test('a provider changed back leaves no change behind', () => {
  const keys = ['panel.email.provider', 'panel.email.domain', 'panel.email.key'] as const
  const draft = withProvider(mailgun, withProvider(mailgun, {}, 'mailjet'), 'mailgun')

  expect(changesOf(mailgun, draft, keys)).toEqual({})
})

test('an objection names the field as the form does', () => {
  expect(objectionTo('panel.email.host', 'a b', 'Host and port')).toMatchObject({
    code: 'ErrFieldIsInvalidHost',
    metadata: { field: 'Host and port' },
  })
  expect(objectionTo('panel.email.host', 'mail.example.net:465', 'Host and port')).toBeUndefined()
})
