import { login } from '@innkeeper/contract/accounts/auth'
import { forgotPassword, resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { expect, vi } from 'vitest'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { TestPanel, type TestUser, test } from '../testing/test-panel.ts'
import { resetLinkLifetimeMs } from './password-reset.ts'

const password = 'a new password'

async function setUpMail(testPanel: TestPanel): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
  } as const
  await testPanel.send(postSettings, { body }, await testPanel.admin())
}

async function readMails(testPanel: TestPanel, kind = 'passwordReset') {
  const rows = await testPanel.db.selectFrom('mails').select(['recipient', 'facts']).where('kind', '=', kind).execute()
  return rows.map(({ recipient, facts }) => ({ to: recipient, token: (JSON.parse(facts) as { token: string }).token }))
}

async function tokenFor(testPanel: TestPanel, user: TestUser): Promise<string> {
  await testPanel.send(forgotPassword, { body: { email: user.email } })
  return vi.waitFor(async () => {
    const token = (await readMails(testPanel)).find(({ to }) => to === user.email)?.token
    if (!token) throw new Error('There is no mail yet.')
    return token
  })
}

test('a link resets the password once, and ends all sessions', async ({ testPanel }) => {
  await setUpMail(testPanel)
  const user = await testPanel.createUser()
  const token = await tokenFor(testPanel, user)

  const answers = await Promise.all([1, 2].map(() => testPanel.send(resetPassword, { body: { token, password } })))

  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400])
  expect(answers.find(({ status }) => status === 400)?.refusal).toBe('ErrTokenInvalid')
  expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
  expect((await testPanel.send(login, { body: { email: user.email, password } })).status).toBe(200)
  expect((await readMails(testPanel, 'passwordChanged')).map(({ to }) => to)).toEqual([user.email])
})

test('the response for an unknown address is the same', async ({ testPanel }) => {
  await setUpMail(testPanel)
  const user = await testPanel.createUser()

  const known = await testPanel.send(forgotPassword, { body: { email: user.email.toUpperCase() } })
  const unknown = await testPanel.send(forgotPassword, { body: { email: 'nobody@example.org' } })
  await vi.waitFor(async () => expect(await readMails(testPanel)).toHaveLength(1))

  const plain = ({ status, answer }: { status: number; answer: unknown }) => ({ status, answer })
  expect(plain(known)).toEqual(plain(unknown))
  expect(known.status).toBe(204)
  expect((await readMails(testPanel)).map(({ to }) => to)).toEqual([user.email])
})

test('a link expires after an hour, and its token is not stored', async () => {
  let time = Date.now()
  const testPanel = await TestPanel.start({ now: () => time })
  await setUpMail(testPanel)
  const user = await testPanel.createUser()
  const token = await tokenFor(testPanel, user)

  expect(JSON.stringify(await testPanel.db.selectFrom('password_resets').selectAll().execute())).not.toContain(token)
  time += resetLinkLifetimeMs
  expect((await testPanel.send(resetPassword, { body: { token, password } })).refusal).toBe('ErrTokenInvalid')
  await testPanel.stop()
})

test('without mail the request fails', async ({ testPanel }) => {
  const before = (await testPanel.send(getConfig, {})).answer.passwordResetEnabled
  const refused = await testPanel.send(forgotPassword, { body: { email: 'ada@example.org' } })
  await setUpMail(testPanel)

  expect([before, refused.refusal]).toEqual([false, 'ErrEmailNotConfigured'])
  expect((await testPanel.send(getConfig, {})).answer.passwordResetEnabled).toBe(true)
})

test('requests and guesses are rate-limited', async ({ testPanel }) => {
  await setUpMail(testPanel)
  const user = await testPanel.createUser()
  const ask = () => testPanel.send(forgotPassword, { body: { email: user.email } })
  const guess = () => testPanel.send(resetPassword, { body: { token: 'guess', password } })

  for (let attempts = 0; attempts < maxLoginAttempts; attempts++) await Promise.all([ask(), guess()])

  expect((await ask()).refusal).toBe('ErrTooManyRequests')
  expect((await guess()).refusal).toBe('ErrTooManyRequests')
  await vi.waitFor(async () => expect(await readMails(testPanel)).toHaveLength(3))
})

test('the new password must satisfy the password rules', async ({ testPanel }) => {
  await setUpMail(testPanel)
  const token = await tokenFor(testPanel, await testPanel.createUser())

  expect((await testPanel.send(resetPassword, { body: { token, password: 'short' } })).refusal).toBe(
    'ErrPasswordRequirements',
  )
  expect((await testPanel.send(resetPassword, { body: { token, password } })).status).toBe(204)
})
