import { putSelf } from '@innkeeper/contract/accounts/account'
import { acceptInvite, createInvite } from '@innkeeper/contract/accounts/invites'
import { forgotPassword } from '@innkeeper/contract/accounts/password-reset'
import { register, setup } from '@innkeeper/contract/accounts/sign-up'
import { createUser, editUser } from '@innkeeper/contract/accounts/users'
import { getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { postSettings, sendTestMail } from '@innkeeper/contract/settings/settings'
import { type Language, languageSetting, languages } from '@innkeeper/contract/text/languages'
import pino from 'pino'
import { expect, vi } from 'vitest'
import { openCliContext } from '../cli-context.ts'
import { MailServer } from '../testing/mail-server.ts'
import { test as inHouse, password, type TestPanel, type TestUser } from '../testing/test-panel.ts'

const test = inHouse.extend<{ admin: TestUser }>({
  admin: async ({ testPanel }, use) => {
    const admin = await testPanel.admin()
    await setUpMail(testPanel, admin)
    await use(admin)
  },
})

/** Configures a mail server that does not exist, so that mails stay in the queue where the test reads them. */
async function setUpMail(testPanel: TestPanel, admin: TestUser, host = 'smtp://127.0.0.1:9'): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': host,
    'panel.email.from': 'panel@example.org',
  } as const
  expect((await testPanel.send(postSettings, { body }, admin)).status).toBe(204)
}

async function choose(testPanel: TestPanel, userId: TestUser, value: string) {
  return testPanel.send(putUserSetting, { params: { key: languageSetting }, body: { value } }, userId)
}

/** The languages of mails to an address, by kind. */
async function mailsTo(testPanel: TestPanel, to: string): Promise<Record<string, string>> {
  const rows = await testPanel.db.selectFrom('mails').select(['kind', 'language']).where('recipient', '=', to).execute()
  return Object.fromEntries(rows.map(({ kind, language }) => [kind, language]))
}

const ada = { username: 'ada', email: 'ada@example.org', password: 'long enough' }
const acceptLanguage = (languages: string) => ({ 'accept-language': languages })

test('a user can select every language of the product, and no other', async ({ testPanel }) => {
  const userId = await testPanel.createUser()

  for (const language of languages) expect((await choose(testPanel, userId, language)).status).toBe(204)
  for (const wrong of ['tlh', 'de-DE', 'DE_DE', '', '__proto__', '../en_US']) {
    const { status, refusal, metadata } = await choose(testPanel, userId, wrong)
    expect([status, refusal, metadata.field]).toEqual([400, 'ErrFieldInvalid', 'value'])
  }

  const { answer } = await testPanel.send(getUserSettings, {}, userId)
  expect(answer).toEqual([{ key: languageSetting, value: languages.at(-1) }])
})

test('a mail is in the language of its recipient, not of the user who caused it', async ({ testPanel, admin }) => {
  const userId = await testPanel.createUser()
  await choose(testPanel, admin, 'cs_CZ')
  await choose(testPanel, userId, 'fi_FI')

  const body = { username: userId.username, password: 'another one', email: 'new@example.org' }
  expect((await testPanel.send(editUser, { params: { id: userId.id }, body }, admin)).status).toBe(204)

  expect(await mailsTo(testPanel, userId.email)).toEqual({ emailChanged: 'fi_FI', passwordChanged: 'fi_FI' })
})

test('a mail to a previous address is in the language of its account', async ({ testPanel, admin }) => {
  const userId = await testPanel.createUser()
  await choose(testPanel, admin, 'cs_CZ')
  await choose(testPanel, userId, 'ja_JP')
  // Another user may have the previous address now.
  const body = { email: 'new@example.org', password }
  expect((await testPanel.send(putSelf, { body }, userId)).status).toBe(204)

  expect(await mailsTo(testPanel, userId.email)).toEqual({ emailChanged: 'ja_JP' })
})

test('a mail caused on the command line is in the language of its recipient', async ({ testPanel, admin }) => {
  const [withLanguage, other] = [await testPanel.createUser(), await testPanel.createUser()]
  await choose(testPanel, admin, 'cs_CZ')
  await choose(testPanel, withLanguage, 'ko_KR')
  const { users, close } = await openCliContext({
    databaseUrl: testPanel.databaseUrl,
    log: pino({ level: 'silent' }),
  })

  await users.edit(withLanguage.username, { email: 'new@example.org' })
  await users.setPassword(other.username, 'another one')
  await close()

  expect(await mailsTo(testPanel, withLanguage.email)).toEqual({ emailChanged: 'ko_KR' })
  expect(await mailsTo(testPanel, other.email)).toEqual({ passwordChanged: 'en_US' })
})

test('an address without account gets mails in the language of the inviting user', async ({ testPanel, admin }) => {
  await choose(testPanel, admin, 'cs_CZ')

  await testPanel.send(createInvite, { body: { email: ada.email } }, admin)
  await testPanel.send(createUser, { body: { ...ada, username: 'eve', email: 'eve@example.org' } }, admin)

  expect(await mailsTo(testPanel, ada.email)).toEqual({ invite: 'cs_CZ' })
  expect(await mailsTo(testPanel, 'eve@example.org')).toEqual({ accountCreation: 'cs_CZ' })
})

test('new accounts get the language of the browser', async ({ testPanel }) => {
  const code = testPanel.panel.setupCode ?? ''
  const keeper = { username: 'keeper', email: 'keeper@example.org', password: 'long enough' }
  const made = await testPanel.send(
    setup,
    { body: { code, ...keeper, registrationEnabled: true } },
    undefined,
    acceptLanguage('uk,en;q=0.5'),
  )
  const admin: TestUser = { id: 1, username: keeper.username, email: keeper.email, token: made.answer.session }
  await setUpMail(testPanel, admin)
  await testPanel.send(createInvite, { body: { email: ada.email } }, admin)
  const { facts } = await testPanel.db
    .selectFrom('mails')
    .select('facts')
    .where('kind', '=', 'invite')
    .executeTakeFirstOrThrow()
  const { token } = JSON.parse(facts) as { token: string }

  const { email, ...who } = ada
  await testPanel.send(acceptInvite, { body: { token, email, ...who } }, undefined, acceptLanguage('pt-PT'))
  const eve = { ...ada, username: 'eve', email: 'eve@example.org' }
  await testPanel.send(register, { body: eve }, undefined, acceptLanguage('tlh, nb-NO;q=0.9, en;q=0.1'))
  await testPanel.send(register, { body: { ...ada, username: 'bob', email: 'bob@example.org' } })

  expect(await mailsTo(testPanel, email)).toEqual({ invite: 'uk_UA', accountCreation: 'pt_PT' })
  expect(await mailsTo(testPanel, eve.email)).toEqual({ emailConfirm: 'no_NO' })
  expect(await mailsTo(testPanel, 'bob@example.org')).toEqual({ emailConfirm: 'en_US' })
})

test('a password reset mail is in the language of the account, else in that of the browser', async ({
  testPanel,
  admin,
}) => {
  const [withLanguage, other] = [await testPanel.createUser(), await testPanel.createUser()]
  await choose(testPanel, admin, 'cs_CZ')
  await choose(testPanel, withLanguage, 'vi_VN')

  for (const { email } of [withLanguage, other]) {
    await testPanel.send(forgotPassword, { body: { email } }, undefined, acceptLanguage('zh-Hant-HK'))
  }

  await vi.waitFor(async () => expect(await mailsTo(testPanel, other.email)).toEqual({ passwordReset: 'zh_HK' }))
  await vi.waitFor(async () => expect(await mailsTo(testPanel, withLanguage.email)).toEqual({ passwordReset: 'vi_VN' }))
})

test('a stored language that is not supported counts as not selected', async ({ testPanel, admin }) => {
  const userId = await testPanel.createUser()
  const row = { user_id: userId.id, key: languageSetting, value: 'tlh' }
  await testPanel.db.insertInto('user_settings').values(row).execute()

  await testPanel.send(editUser, { params: { id: userId.id }, body: { password: 'another one' } }, admin)

  expect(await mailsTo(testPanel, userId.email)).toEqual({ passwordChanged: 'en_US' })
})

test.for<[Language, string, string]>([
  ['ar_SA', 'dir="rtl"', 'رسالة تجريبية من \u2068Nørthwind\u2069'],
  ['de_DE', 'dir="ltr"', 'Test-E-Mail von Nørthwind'],
])('a test mail in %s arrives unchanged', async ([language, direction, subject], { testPanel, admin }) => {
  const smtp = await MailServer.start()
  await setUpMail(testPanel, admin, `smtp://127.0.0.1:${smtp.port}`)
  await testPanel.send(postSettings, { body: { 'panel.settings.companyName': 'Nørthwind' } }, admin)
  await choose(testPanel, admin, language)

  const { answer } = await testPanel.send(sendTestMail, { body: {} }, admin)

  expect(answer.delivered).toBe(true)
  expect(smtp.received[0]?.html).toContain(direction)
  expect(smtp.received[0]?.subject).toBe(subject)
  await smtp.stop()
})
