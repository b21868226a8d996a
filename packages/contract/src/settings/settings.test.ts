import { expect, test } from 'vitest'
import { z } from 'zod/mini'
import { validationError } from '../definitions/validate.ts'
import { parseSmtpHost, postSettings, putSetting, type SettingKey, setting, settings } from './settings.ts'

function findRefusal(key: SettingKey, value: unknown) {
  const { error } = settings[key].schema.safeParse(value)
  return error ? validationError(error).code : undefined
}

test.each([
  ['https://panel.example.org/', 'https://panel.example.org'],
  [' http://10.0.0.1:8080 ', 'http://10.0.0.1:8080'],
  ['https://Panel.Example.org:443', 'https://panel.example.org'],
  ['', ''],
])('the master URL %j is stored as %j', (input, stored) => {
  expect(settings['panel.settings.masterUrl'].schema.parse(input)).toBe(stored)
})

test.each(['ftp://x', 'panel.example.org', 'https://a:b@c', 'https://a/b', 'https://a/?b', 'javascript:alert(1)'])(
  '%j is not a master URL',
  (input) => {
    expect(findRefusal('panel.settings.masterUrl', input)).toBe('ErrFieldInvalid')
  },
)

test('no mail setting accepts a second line', () => {
  for (const key of ['companyName', 'masterUrl'] as const)
    expect(findRefusal(`panel.settings.${key}`, 'a\r\nBcc: b@example.org')).toBe('ErrFieldInvalid')
  expect(findRefusal('panel.email.from', 'a@example.org\nBcc: b@example.org')).toBeDefined()
  expect(findRefusal('panel.email.username', 'a\u2028b')).toBe('ErrFieldInvalid')
})

test('the error for an unknown provider has its name', () => {
  const { error } = settings['panel.email.provider'].schema.safeParse('pigeon')

  expect(error && validationError(error)).toMatchObject({
    code: 'ErrServiceInvalidProvider',
    metadata: { service: 'email', provider: 'pigeon' },
  })
  expect(settings['panel.email.provider'].schema.parse('')).toBe('none')
})

test('an unknown key is rejected, alone and among others', () => {
  const [alone, among] = [
    putSetting.params.safeParse({ key: 'panel.web.host' }),
    postSettings.body.safeParse({ 'panel.web.host': '' }),
  ]

  expect(alone.error && validationError(alone.error).code).toBe('ErrNotFound')
  expect(among.error && validationError(among.error)).toMatchObject({
    code: 'ErrFieldInvalid',
    metadata: { field: 'panel.web.host' },
  })
  expect(putSetting.params.safeParse({ key: 'constructor' }).success).toBe(false)
})

test.each([
  ['mail.example.org', { host: 'mail.example.org', port: 587, tls: 'starttls' }],
  ['mail.example.org:465', { host: 'mail.example.org', port: 465, tls: 'implicit' }],
  ['smtps://mail.example.org', { host: 'mail.example.org', port: 465, tls: 'implicit' }],
  ['smtp://10.0.0.5:25', { host: '10.0.0.5', port: 25, tls: 'optional' }],
  ['[::1]:2525', { host: '::1', port: 2525, tls: 'starttls' }],
  ['mail.example.org:0', undefined],
  ['mail.example.org:99999', undefined],
  ['http://mail.example.org', undefined],
  ['a b', undefined],
  ['-mail', undefined],
])('the mail server %j is read as %j', (text, address) => {
  expect(parseSmtpHost(text)).toEqual(address)
})

test('a setting without a rule who may write it does not compile', () => {
  // @ts-expect-error: `write` is missing
  setting({ schema: z.string(), default: '', read: 'nobody' })
})
