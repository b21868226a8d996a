import { mailKinds } from '@innkeeper/contract/mail'
import { expect, test } from 'vitest'
import { type Facts, write } from './messages.ts'

const sender = { company: 'Northwind', masterUrl: 'https://panel.example.org' }
const facts: Facts = {
  email: 'ada+games@example.org',
  token: 'a-token',
  by: 'grace',
  server: 'lobby',
  serverId: '00c0ffee',
  username: 'ada',
  newEmail: 'new@example.org',
  client: 'backup',
}

test.each(mailKinds)('the mail %s is whole: nothing is left to fill in', (kind) => {
  const { subject, text, html } = write(kind, facts, sender)

  expect(subject).not.toBe('')
  for (const part of [subject, text, html]) expect(part).not.toMatch(/[{}]|undefined/)
  expect(text).toContain('Northwind')
})

test('links lead to the master URL, and an address survives them', () => {
  const invite = write('invite', facts, sender).text
  const reset = write('passwordReset', facts, sender).text

  expect(invite).toContain('https://panel.example.org/auth/invite?token=a-token&email=ada%2Bgames%40example.org')
  expect(reset).toContain('https://panel.example.org/auth/reset#token=a-token')
})

test('without a master URL there is no link', () => {
  const { text, html } = write('addedToServer', facts, { ...sender, masterUrl: undefined })

  expect(text + html).not.toMatch(/https?:|href/)
})

test('what is not known is not told', () => {
  const { text } = write('invite', { email: 'a@b.org', token: 't' }, sender)

  expect(text).toContain('Northwind invites you to Northwind.')
  expect(text).not.toContain('access to the server')
})

test('a name is text in HTML, and no second line anywhere', () => {
  const evil = '<img src=x onerror=alert(1)>"\'&\r\nBcc: victim@example.org\u2028'
  const { subject, text, html } = write(
    'addedToServer',
    { ...facts, server: evil, by: evil },
    { ...sender, company: evil },
  )

  expect(html).not.toContain('<img')
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp; Bcc:')
  expect(subject).not.toMatch(/[\r\n\u2028]/)
  expect(text).not.toMatch(/^Bcc:/m)
})

test('a name that looks like a placeholder stays what it is', () => {
  expect(write('removedFromServer', { ...facts, server: '{token}' }, sender).text).toContain('{token}')
})
