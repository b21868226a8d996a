import { confirmOtp, getOtp, startOtp } from '@innkeeper/contract/accounts/account'
import { login, logout, reauth } from '@innkeeper/contract/accounts/auth'
import { startPasskey } from '@innkeeper/contract/accounts/passkeys'
import { requiredUser } from '@innkeeper/contract/api/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import { listServers } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { listSettings, postSettings, type SecondFactorGroup } from '@innkeeper/contract/settings/settings'
import { Secret, TOTP } from 'otpauth'
import { test as base, expect } from 'vitest'
import { addTestPasskey } from '../testing/test-authenticator.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { sessionsService } from './sessions.ts'

const day = '2027-03-01'

interface Clock {
  now: number
}

const test = base.extend<{ clock: Clock; testPanel: TestPanel }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  clock: async ({}, use) => use({ now: Date.now() }),
  testPanel: async ({ clock }, use) => {
    const testPanel = await TestPanel.start({ now: () => clock.now, masterUrl: 'https://panel.example.org' })
    await use(testPanel)
    await testPanel.stop()
  },
})

async function require(testPanel: TestPanel, clock: Clock, by: TestUser, group: SecondFactorGroup, from = '') {
  const body = { 'panel.secondFactor.required': group, 'panel.secondFactor.from': from }
  expect((await testPanel.send(postSettings, { body }, by)).status).toBe(204)
  // Panels read the settings again after a second.
  clock.now += 2_000
}

const secondFactorOf = async (testPanel: TestPanel, user: TestUser) =>
  (await testPanel.send(getSelf, {}, user)).answer.secondFactor

test('administrators without a second factor can only set one up, and others are not concerned', async ({
  clock,
  testPanel,
}) => {
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
  await require(testPanel, clock, admin, 'administrators')

  expect((await testPanel.send(listSettings, {}, admin)).refusal).toBe('ErrSecondFactorRequired')
  expect((await testPanel.send(listServers, { query: {} }, user)).status).toBe(200)
  expect(await secondFactorOf(testPanel, user)).toBeUndefined()
  expect(await secondFactorOf(testPanel, admin)).toEqual({ from: new Date(0).toISOString(), isRequired: true })
  expect((await testPanel.send(login, { body: { email: admin.email, password } })).status).toBe(200)
  const { secret } = (await testPanel.send(startOtp, {}, admin)).answer
  const token = TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: clock.now })
  expect((await testPanel.send(confirmOtp, { body: { token } }, admin)).status).toBe(200)

  clock.now += 2_000
  expect((await testPanel.send(listSettings, {}, admin)).status).toBe(200)
  expect(await secondFactorOf(testPanel, admin)).toBeUndefined()
})

test('before the day users are only told, and a passkey is enough', async ({ clock, testPanel }) => {
  clock.now = Date.parse('2027-02-27T12:00:00Z')
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
  await testPanel.db
    .updateTable('sessions')
    .set({ expires_at: clock.now * 2, created_at: clock.now })
    .execute()
  await addTestPasskey(testPanel, admin)
  await require(testPanel, clock, admin, 'everyone', day)

  expect(await secondFactorOf(testPanel, user)).toEqual({ from: `${day}T00:00:00.000Z`, isRequired: false })
  expect((await testPanel.send(listServers, { query: {} }, user)).status).toBe(200)
  clock.now = Date.parse(`${day}T00:00:00Z`)
  await testPanel.db
    .updateTable('sessions')
    .set({ expires_at: clock.now * 2, created_at: clock.now })
    .execute()
  expect((await testPanel.send(listServers, { query: {} }, user)).refusal).toBe('ErrSecondFactorRequired')
  expect((await testPanel.send(listSettings, {}, admin)).status).toBe(200)
  await addTestPasskey(testPanel, user)
  clock.now += 2_000
  expect((await testPanel.send(listServers, { query: {} }, user)).status).toBe(200)
})

test('clients of the API and commands on the machine keep working', async ({ clock, testPanel }) => {
  const admin = await testPanel.admin()
  const { client } = await testPanel.createClient(admin)
  const sessions = sessionsService({ db: testPanel.db, now: () => clock.now })
  const token = await sessions.open(admin.id, { address: '' }, testPanel.db, 'commandLine')
  await require(testPanel, clock, admin, 'everyone')

  expect((await testPanel.send(listSettings, {}, client)).status).toBe(200)
  expect((await testPanel.send(listSettings, {}, { ...admin, token })).status).toBe(200)
  expect((await testPanel.send(listSettings, {}, admin)).refusal).toBe('ErrSecondFactorRequired')
})

test('what the set-up needs is for the own account only', () => {
  const forSetUp = endpoints.filter(({ call }) => call.isForSetUp)

  expect(forSetUp.map(({ call }) => call)).toEqual(
    expect.arrayContaining([getSelf, getOtp, startPasskey, reauth, logout]),
  )
  const others = forSetUp.filter(({ call }) => call !== getSelf && requiredUser(call.access) === undefined)
  expect(others).toEqual([])
})
