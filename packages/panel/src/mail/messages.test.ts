import { mailKinds } from '@innkeeper/contract/alerts/mail'
import { languages } from '@innkeeper/contract/text/languages'
import { expect, test } from 'vitest'
import { renderMessage } from './messages.ts'

const sender = { company: 'Northwind', masterUrl: 'https://panel.example.org' }
const facts = {
  email: 'ada+games@example.org',
  token: 'a-token',
  until: '2026-01-14T14:05:00.000Z',
  by: 'grace',
  server: 'lobby',
  serverId: '00c0ffee',
  username: 'ada',
  newEmail: 'new@example.org',
  client: 'backup',
  key: 'laptop',
  keys: 'laptop, desk',
  clients: 'backup, stats',
}

test.each(languages)('every mail in %s has all placeholders filled in and contains all data', (language) => {
  for (const kind of [...mailKinds, 'test'] as const) {
    const english = renderMessage(kind, facts, sender).text
    const { subject, text, html } = renderMessage(kind, facts, sender, language)

    expect(subject).not.toBe('')
    for (const part of [subject, text, html]) expect(part).not.toMatch(/[{}]|undefined|Invalid/)
    expect(html).toContain('<bdi>Northwind</bdi>')
    expect(text.split('\n\n')).toHaveLength(english.split('\n\n').length)
    const mentioned = Object.values({ ...facts, company: 'Northwind' }).filter((fact) => english.includes(fact))
    expect(mentioned.filter((fact) => !text.includes(fact))).toEqual([])
  }
})

test.each(languages)('user input is escaped in the HTML of every mail in %s', (language) => {
  const evil = '<img src=x onerror=alert(1)>"\'&\r\nBcc: victim@example.org\u2028'
  const all = Object.fromEntries(Object.keys(facts).map((name) => [name, evil]))

  for (const kind of [...mailKinds, 'test'] as const) {
    const { subject, text, html } = renderMessage(
      kind,
      { ...all, until: facts.until },
      { ...sender, company: evil },
      language,
    )

    expect(html).not.toMatch(/<img|on\w+=alert\(1\)>/)
    expect(html).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; Bcc: victim@example.org</bdi>')
    expect(subject).not.toMatch(/[\r\n\u2028]/)
    expect(text).not.toMatch(/^Bcc:/m)
  }
})

test('names are isolated in the text of a mail in a right-to-left language', () => {
  const named = { ...facts, server: 'lobby (old)' }

  expect(renderMessage('addedToServer', named, sender, 'he_IL').subject).toContain('\u2068lobby (old)\u2069')
  expect(renderMessage('addedToServer', named, sender, 'he_IL').text).toContain('\u2068lobby (old)\u2069')
  expect(renderMessage('addedToServer', named, sender, 'de_DE').text).not.toMatch(/[\u2068\u2069]/)
})

test('a right-to-left language sets the direction, and links stay left-to-right', () => {
  const arabic = renderMessage('invite', facts, sender, 'ar_SA').html
  const english = renderMessage('invite', facts, sender, 'en_US').html

  expect(arabic).toContain('<html lang="ar-SA" dir="rtl">')
  expect(arabic).toContain('<div lang="ar-SA" dir="rtl"')
  expect(arabic).toContain('<span dir="ltr">https://panel.example.org/auth/invite')
  expect(english).toContain('<div lang="en-US" dir="ltr"')
})

test('times are formatted for the language, with the time zone UTC', () => {
  expect(renderMessage('invite', facts, sender, 'en_US').text).toMatch(/until January 14, 2026 at 2:05\sPM UTC\./)
  expect(renderMessage('passwordReset', facts, sender, 'de_DE').text).toContain('bis 14. Januar 2026 um 14:05 UTC.')
  expect(renderMessage('passwordReset', facts, sender, 'zh_TW').text).toContain('至 2026年1月14日 下午2:05 UTC。')
  expect(renderMessage('passwordReset', facts, sender, 'ar_SA').text).toContain('٢٠٢٦')
  expect(renderMessage('passwordReset', { ...facts, until: 'soon' }, sender, 'de_DE').text).not.toContain(
    'Der Link gilt',
  )
})

test('a mail in an unknown language is in English', () => {
  expect(renderMessage('otpEnabled', facts, sender, 'tlh')).toEqual(renderMessage('otpEnabled', facts, sender, 'en_US'))
})

test('links use the master URL, and addresses are encoded', () => {
  const invite = renderMessage('invite', facts, sender).text
  const reset = renderMessage('passwordReset', facts, sender).text

  expect(invite).toContain('https://panel.example.org/auth/invite?token=a-token&email=ada%2Bgames%40example.org')
  expect(reset).toContain('https://panel.example.org/auth/reset#token=a-token')
})

test('without a master URL there is no link', () => {
  const { text, html } = renderMessage('addedToServer', facts, { ...sender, masterUrl: undefined })

  expect(text + html).not.toMatch(/https?:|href/)
})

test('lines with missing data are omitted', () => {
  const { text } = renderMessage('invite', { email: 'a@b.org', token: 't' }, sender)

  expect(text).toContain('Northwind invited you to Northwind.')
  expect(text).not.toContain('access to the server')
})

test('a name is escaped in HTML, and never adds a line', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&\r\nBcc: victim@example.org\u2028'
  const { subject, text, html } = renderMessage(
    'addedToServer',
    { ...facts, server: evil, by: evil },
    { ...sender, company: evil },
  )

  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; Bcc:')
  expect(subject).not.toMatch(/[\r\n\u2028]/)
  expect(text).not.toMatch(/^Bcc:/m)
})

test('a name that looks like a placeholder is not replaced', () => {
  expect(renderMessage('removedFromServer', { ...facts, server: '{token}' }, sender).text).toContain('{token}')
})
