import { getOtp, listSessions, renewRecoveryCodes } from '@innkeeper/contract/accounts/account'
import { login, otp, pendingLoginCookie } from '@innkeeper/contract/accounts/auth'
import {
  addPasskey,
  confirmWithPasskey,
  listPasskeys,
  loginWithPasskey,
  otpWithPasskey,
  removePasskey,
  renamePasskey,
  startPasskey,
  startPasskeyConfirmation,
  startPasskeyLogin,
  startPasskeyOtp,
} from '@innkeeper/contract/accounts/passkeys'
import { addSshKey, listSshKeys } from '@innkeeper/contract/accounts/ssh-keys'
import { getUser, resetUserOtp } from '@innkeeper/contract/accounts/users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { type Endpoint, recentSignInMs } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { test as base, describe, expect } from 'vitest'
import { TestAuthenticator } from '../testing/test-authenticator.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { challengeLifetimeMs } from './challenges.ts'

const masterUrl = 'https://panel.example.org'
const sshKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'

class Site {
  readonly testPanel: TestPanel
  readonly clock: { now: number }

  constructor(testPanel: TestPanel, clock: { now: number }) {
    this.testPanel = testPanel
    this.clock = clock
  }

  async add(user: TestUser, authenticator: TestAuthenticator, { name = 'laptop', keepSshKeys = false } = {}) {
    const { answer } = await this.testPanel.send(startPasskey, {}, user)
    const body = { name, passkey: authenticator.create(answer), keepSshKeys }
    const added = await this.testPanel.send(addPasskey, { body }, user)
    expect([added.status, added.refusal]).toEqual([200, undefined])
    return added.answer
  }

  async signIn(authenticator: TestAuthenticator, options: Parameters<TestAuthenticator['get']>[1] = {}) {
    const { answer } = await this.testPanel.send(startPasskeyLogin, {})
    return this.testPanel.send(loginWithPasskey, { body: { passkey: authenticator.get(answer, options) } })
  }

  /** Signs in with the password, and returns the cookie of the pending login. */
  async knock({ email }: TestUser) {
    const reply = await this.post(login, { email, password })
    return { ...reply, cookie: /=(?<value>[^;]+)/.exec(reply.cookie)?.groups?.value ?? '' }
  }

  async post({ path }: Endpoint, payload: object, pendingLogin = '') {
    const headers = { cookie: `${pendingLoginCookie}=${pendingLogin}` }
    const response = await this.testPanel.panel.app.inject({ method: 'POST', url: path, payload, headers })
    const answer = response.json<never>()
    const cookie = String(response.headers['set-cookie'] ?? '')
    return { status: response.statusCode, answer, refusal: refusalFrom(answer)?.code, cookie }
  }
}

const test = base.extend<{ site: Site; user: TestUser }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  site: async ({}, use) => {
    const clock = { now: Date.now() }
    const testPanel = await TestPanel.start({ now: () => clock.now, masterUrl })
    await use(new Site(testPanel, clock))
    await testPanel.stop()
  },
  user: async ({ site }, use) => use(await site.testPanel.createUser()),
})

describe('a passkey', () => {
  test('signs in without a user name, and is listed with its last use', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator, { name: 'laptop' })
    site.clock.now += 1_000

    const { status, answer } = await site.signIn(authenticator)

    expect(status).toBe(200)
    const self = await site.testPanel.send(getSelf, {}, { ...user, token: answer.session })
    expect(self.answer.username).toBe(user.username)
    const [listed] = (await site.testPanel.send(listPasskeys, {}, user)).answer
    expect(listed).toMatchObject({ name: 'laptop', usedAt: new Date(site.clock.now).toISOString() })
  })

  test('is a second factor after the password, in place of a code', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)

    const { answer, cookie } = await site.knock(user)
    const options = await site.post(startPasskeyOtp, {}, cookie)
    const done = await site.post(otpWithPasskey, { passkey: authenticator.get(options.answer) }, cookie)

    expect(answer).toEqual({ otpNeeded: true, secondFactors: ['passkey'] })
    expect(options.answer).toMatchObject({ allowCredentials: [{ transports: ['usb'] }], userVerification: 'required' })
    expect([done.status, done.refusal]).toEqual([200, undefined])
  })

  test('of another user is not a second factor', async ({ site, user }) => {
    const [own, others] = [new TestAuthenticator(), new TestAuthenticator()]
    await site.add(user, own)
    await site.add(await site.testPanel.createUser(), others)

    const { cookie } = await site.knock(user)
    const options = await site.post(startPasskeyOtp, {}, cookie)
    const refused = await site.post(otpWithPasskey, { passkey: others.get(options.answer) }, cookie)

    expect([refused.status, refused.refusal]).toEqual([400, 'ErrInvalidCredentials'])
  })

  test('confirms a session in place of the password', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)
    site.clock.now += recentSignInMs + 60_000
    expect((await site.testPanel.send(startPasskey, {}, user)).refusal).toBe('ErrPasswordRequired')

    const { answer } = await site.testPanel.send(startPasskeyConfirmation, {}, user)
    const confirmed = await site.testPanel.send(
      confirmWithPasskey,
      { body: { passkey: authenticator.get(answer) } },
      user,
    )

    expect(confirmed.status).toBe(204)
    expect((await site.testPanel.send(startPasskey, {}, user)).status).toBe(200)
  })

  test('comes with recovery codes when it is the first second factor, and removes SSH keys', async ({ site, user }) => {
    await site.testPanel.send(addSshKey, { body: { key: sshKey, password } }, user)

    const first = await site.add(user, new TestAuthenticator())
    const second = await site.add(user, new TestAuthenticator(), { name: 'phone' })

    expect(first.recoveryCodes).toHaveLength(10)
    expect(second.recoveryCodes).toBeUndefined()
    expect((await site.testPanel.send(listSshKeys, {}, user)).answer).toEqual([])
    const { cookie } = await site.knock(user)
    expect((await site.post(otp, { token: first.recoveryCodes?.[0] }, cookie)).status).toBe(200)
    expect((await site.testPanel.send(getOtp, {}, user)).answer).toEqual({ otpEnabled: false, recoveryCodesLeft: 9 })
    const renewed = await site.testPanel.send(renewRecoveryCodes, { body: {} }, user)
    expect(renewed.answer.recoveryCodes).toHaveLength(10)
  })

  test('can be renamed and removed, and then signs nobody in', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    const { passkey } = await site.add(user, authenticator)
    const other = await site.testPanel.createUser()
    const params = { id: passkey.id }
    await site.testPanel.send(login, { body: { email: user.email, password } })

    expect((await site.testPanel.send(renamePasskey, { params, body: { name: 'desk' } }, other)).status).toBe(404)
    expect((await site.testPanel.send(removePasskey, { params }, other)).status).toBe(404)
    expect((await site.testPanel.send(renamePasskey, { params, body: { name: 'desk' } }, user)).status).toBe(204)
    expect((await site.testPanel.send(listPasskeys, {}, user)).answer[0]?.name).toBe('desk')
    expect((await site.testPanel.send(removePasskey, { params }, user)).status).toBe(204)

    expect((await site.signIn(authenticator)).refusal).toBe('ErrPasskeyUnknown')
    expect((await site.knock(user)).answer).toHaveProperty('session')
    expect((await site.testPanel.send(getOtp, {}, user)).answer).toEqual({ otpEnabled: false })
  })

  test('ends other sessions when it is added, and is in the activity', async ({ site, user }) => {
    await site.testPanel.send(login, { body: { email: user.email, password } })

    await site.add(user, new TestAuthenticator())

    expect((await site.testPanel.send(listSessions, {}, user)).answer).toHaveLength(1)
    const admin = await site.testPanel.admin()
    const { activity } = (await site.testPanel.send(listActivity, { query: { action: 'passkey.add' } }, admin)).answer
    expect(activity).toMatchObject([{ target: 'laptop', result: 'done' }])
  })

  test('is removed with the other second factors by an administrator', async ({ site, user }) => {
    const admin = await site.testPanel.admin()
    await site.add(user, new TestAuthenticator())
    expect((await site.testPanel.send(getUser, { params: { id: user.id } }, admin)).answer.otpEnabled).toBe(true)

    await site.testPanel.send(resetUserOtp, { params: { id: user.id } }, admin)

    expect((await site.knock(user)).answer).toHaveProperty('session')
    expect(await site.testPanel.db.selectFrom('passkeys').selectAll().execute()).toEqual([])
    expect(await site.testPanel.db.selectFrom('recovery_codes').selectAll().execute()).toEqual([])
  })
})

describe('refused is', () => {
  test('an answer that was used before, also by concurrent requests', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)
    const { answer } = await site.testPanel.send(startPasskeyLogin, {})
    const body = { passkey: authenticator.get(answer) }

    const replies = await Promise.all([1, 2].map(() => site.testPanel.send(loginWithPasskey, { body })))
    const late = await site.testPanel.send(loginWithPasskey, { body })

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(late.refusal).toBe('ErrSessionExpired')
  })

  test('an answer after five minutes, and one for another purpose', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)
    const { answer } = await site.testPanel.send(startPasskeyLogin, {})
    const { answer: confirming } = await site.testPanel.send(startPasskeyConfirmation, {}, user)
    const send = (options: typeof answer) =>
      site.testPanel.send(loginWithPasskey, { body: { passkey: authenticator.get(options) } })

    expect((await send(confirming)).refusal).toBe('ErrSessionExpired')
    site.clock.now += challengeLifetimeMs
    expect((await send(answer)).refusal).toBe('ErrSessionExpired')
  })

  test('a counter that does not rise, unless there is none', async ({ site, user }) => {
    const [authenticator, synced] = [new TestAuthenticator(), new TestAuthenticator()]
    await site.add(user, authenticator)
    await site.add(user, synced, { name: 'phone' })
    await site.testPanel.db.updateTable('passkeys').set({ counter: 0 }).execute()

    const statuses = []
    for (const counter of [100, 100, 4, 0, 101])
      statuses.push((await site.signIn(authenticator, { counter })).refusal ?? 'done')
    for (const counter of [0, 0]) statuses.push((await site.signIn(synced, { counter })).refusal ?? 'done')

    const copied = 'ErrPasskeyCounter'
    expect(statuses).toEqual(['done', copied, copied, copied, 'done', 'done', 'done'])
  })

  test('a page with another address, which the error names', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)

    const { refusal, metadata } = await site.signIn(authenticator, { origin: 'http://panel.example.org:8080' })

    expect(refusal).toBe('ErrPasskeyAddress')
    expect(metadata).toEqual({ address: 'http://panel.example.org:8080', expected: masterUrl })
  })

  test('an authenticator that did not verify its user, and a wrong signature', async ({ site, user }) => {
    const [authenticator, thief] = [new TestAuthenticator(), new TestAuthenticator()]
    await site.add(user, authenticator)
    const { answer } = await site.testPanel.send(startPasskeyLogin, {})
    const { id, rawId } = authenticator.get(answer)
    const forged = { ...thief.get(answer), id, rawId }
    const { userHandle: _, ...response } = forged.response

    expect((await site.signIn(authenticator, { isVerified: false })).refusal).toBe('ErrInvalidCredentials')
    const body = { passkey: { ...forged, response } }
    expect((await site.testPanel.send(loginWithPasskey, { body })).refusal).toBe('ErrInvalidCredentials')
  })

  test('a passkey that somebody has', async ({ site, user }) => {
    const authenticator = new TestAuthenticator()
    await site.add(user, authenticator)
    const other = await site.testPanel.createUser()
    const { answer } = await site.testPanel.send(startPasskey, {}, other)

    const body = { name: 'mine', passkey: authenticator.create(answer) }
    expect((await site.testPanel.send(addPasskey, { body }, other)).refusal).toBe('ErrPasskeyKnown')
  })

  test.for([undefined, 'https://203.0.113.10', 'http://[2001:db8::1]:8080'])('a master URL of %s', async (url) => {
    const testPanel = await TestPanel.start(url === undefined ? {} : { masterUrl: url })
    const user = await testPanel.createUser()

    expect((await testPanel.send(startPasskey, {}, user)).refusal).toBe('ErrPasskeyMasterUrl')
    expect((await testPanel.send(startPasskeyLogin, {})).refusal).toBe('ErrPasskeyMasterUrl')
    await testPanel.stop()
  })
})
