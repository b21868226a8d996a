import { login } from '@innkeeper/contract/auth'
import { limits } from '@innkeeper/contract/limits'
import { getConfig, getSelf } from '@innkeeper/contract/panel'
import { forgotPassword, resetPassword } from '@innkeeper/contract/password-reset'
import { postSettings } from '@innkeeper/contract/settings'
import { expect, vi } from 'vitest'
import { House, type Person, test } from '../testing/house.ts'

const password = 'a new password'

async function setUpMail(house: House): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
  } as const
  await house.send(postSettings, { body }, await house.admin())
}

async function mailsOf(house: House, kind = 'passwordReset') {
  const rows = await house.db.selectFrom('mails').select(['recipient', 'facts']).where('kind', '=', kind).execute()
  return rows.map(({ recipient, facts }) => ({ to: recipient, token: (JSON.parse(facts) as { token: string }).token }))
}

async function tokenFor(house: House, person: Person): Promise<string> {
  await house.send(forgotPassword, { body: { email: person.email } })
  return vi.waitFor(async () => {
    const token = (await mailsOf(house)).find(({ to }) => to === person.email)?.token
    if (!token) throw new Error('There is no mail yet.')
    return token
  })
}

test('a forgotten password is set anew with the link, once, and every session ends', async ({ house }) => {
  await setUpMail(house)
  const person = await house.person()
  const token = await tokenFor(house, person)

  const answers = await Promise.all([1, 2].map(() => house.send(resetPassword, { body: { token, password } })))

  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400])
  expect(answers.find(({ status }) => status === 400)?.refusal).toBe('ErrTokenInvalid')
  expect((await house.send(getSelf, {}, person)).status).toBe(401)
  expect((await house.send(login, { body: { email: person.email, password } })).status).toBe(200)
  expect((await mailsOf(house, 'passwordChanged')).map(({ to }) => to)).toEqual([person.email])
})

test('asking answers the same for an address that nobody has', async ({ house }) => {
  await setUpMail(house)
  const person = await house.person()

  const known = await house.send(forgotPassword, { body: { email: person.email.toUpperCase() } })
  const unknown = await house.send(forgotPassword, { body: { email: 'nobody@example.org' } })
  await vi.waitFor(async () => expect(await mailsOf(house)).toHaveLength(1))

  const plain = ({ status, answer }: { status: number; answer: unknown }) => ({ status, answer })
  expect(plain(known)).toEqual(plain(unknown))
  expect(known.status).toBe(204)
  expect((await mailsOf(house)).map(({ to }) => to)).toEqual([person.email])
})

test('a link is good for an hour, and its token is not in the table', async () => {
  let time = Date.now()
  const house = await House.build({ now: () => time })
  await setUpMail(house)
  const person = await house.person()
  const token = await tokenFor(house, person)

  expect(JSON.stringify(await house.db.selectFrom('password_resets').selectAll().execute())).not.toContain(token)
  time += limits.passwordResetLifeMs
  expect((await house.send(resetPassword, { body: { token, password } })).refusal).toBe('ErrTokenInvalid')
  await house.pullDown()
})

test('without mail nobody is promised one', async ({ house }) => {
  const before = (await house.send(getConfig, {})).answer.passwordResetEnabled
  const refused = await house.send(forgotPassword, { body: { email: 'ada@example.org' } })
  await setUpMail(house)

  expect([before, refused.refusal]).toEqual([false, 'ErrEmailNotConfigured'])
  expect((await house.send(getConfig, {})).answer.passwordResetEnabled).toBe(true)
})

test('asking and guessing again and again has an end', async ({ house }) => {
  await setUpMail(house)
  const person = await house.person()
  const ask = () => house.send(forgotPassword, { body: { email: person.email } })
  const guess = () => house.send(resetPassword, { body: { token: 'guess', password } })

  for (let tries = 0; tries < limits.loginAttempts; tries++) await Promise.all([ask(), guess()])

  expect((await ask()).refusal).toBe('ErrTooManyRequests')
  expect((await guess()).refusal).toBe('ErrTooManyRequests')
  await vi.waitFor(async () => expect(await mailsOf(house)).toHaveLength(3))
})

test('a new password is held to the rules of passwords', async ({ house }) => {
  await setUpMail(house)
  const token = await tokenFor(house, await house.person())

  expect((await house.send(resetPassword, { body: { token, password: 'short' } })).refusal).toBe(
    'ErrPasswordRequirements',
  )
  expect((await house.send(resetPassword, { body: { token, password } })).status).toBe(204)
})
