import { login, logout, reauth, sessionCookie } from '@innkeeper/contract/accounts/auth'
import { setup } from '@innkeeper/contract/accounts/sign-up'
import { panelScopes } from '@innkeeper/contract/api/permissions'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { limits } from '@innkeeper/contract/text/limits'
import bcrypt from 'bcryptjs'
import { describe, expect } from 'vitest'
import { maxLoginAttempts, maxLoginAttemptsPerAddress, rateLimitWindowMs } from '../security/rate-limiter.ts'
import { TestPanel, test } from '../testing/test-panel.ts'
import { maxLoginAttemptsPerAccount } from './password-verifier.ts'
import { principalCacheMs } from './principal-cache.ts'

const keeper = { username: 'keeper', email: 'Keeper@example.org', password: 'long enough' }

describe('setting up', () => {
  test('the setup code from the terminal creates the first administrator, once', async ({ testPanel }) => {
    const code = testPanel.panel.setupCode ?? ''
    expect(code).toMatch(/^([0-9A-Z]{4}-){3}[0-9A-Z]{4}$/)
    expect((await testPanel.send(getConfig, {})).answer.setupNeeded).toBe(true)

    const made = await testPanel.send(setup, { body: { code, ...keeper } })
    const second = await testPanel.send(setup, { body: { code, ...keeper, email: 'b@example.org', username: 'other' } })

    expect(made.status).toBe(200)
    expect(made.answer.scopes).toEqual(panelScopes)
    expect([second.status, second.refusal]).toEqual([409, 'ErrSetupDone'])
    expect((await testPanel.send(getConfig, {})).answer.setupNeeded).toBe(false)
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  test('of two concurrent setups one creates the administrator', async ({ testPanel }) => {
    const code = testPanel.panel.setupCode ?? ''
    const other = { ...keeper, username: 'other', email: 'other@example.org' }

    const replies = await Promise.all([keeper, other].map((who) => testPanel.send(setup, { body: { code, ...who } })))

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  test('the setup code is accepted in lower case and without hyphens', async ({ testPanel }) => {
    const code = (testPanel.panel.setupCode ?? '').toLowerCase().replaceAll('-', ' ')

    expect((await testPanel.send(setup, { body: { code, ...keeper } })).status).toBe(200)
  })

  test('a wrong setup code creates no account, and guesses are rate-limited', async ({ testPanel }) => {
    const body = { code: 'AAAA-BBBB-CCCC-DDDD', ...keeper }

    const replies = []
    for (let tried = 0; tried <= maxLoginAttempts; tried++) replies.push(await testPanel.send(setup, { body }))

    expect(replies[0]).toMatchObject({ status: 400, refusal: 'ErrSetupCode' })
    expect(replies.at(-1)).toMatchObject({ status: 429, refusal: 'ErrTooManyRequests' })
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toEqual([])
  })

  test.for([
    [{ username: 'ab' }, 'ErrUsernameRequirements'],
    [{ username: 'a b c' }, 'ErrUsernameRequirements'],
    [{ email: 'nobody' }, 'ErrFieldNotEmail'],
    [{ password: 'short' }, 'ErrPasswordRequirements'],
    [{ password: 'ü'.repeat(200) }, 'ErrFieldTooLarge'],
    [{ password: 5 }, 'ErrFieldInvalid'],
    [{ username: undefined }, 'ErrFieldRequired'],
  ] as const)('%j is rejected with %s', async ([wrong, code], { testPanel }) => {
    const body = { code: testPanel.panel.setupCode, ...keeper, ...wrong }

    expect((await testPanel.request('POST', '/auth/setup', body)).refusal).toBe(code)
  })

  test('settings create the first administrator unattended, and later starts change nothing', async () => {
    const testPanel = await TestPanel.start({ admin: keeper })

    const { status } = await testPanel.send(login, { body: { email: 'keeper@example.org', password: keeper.password } })

    expect(status).toBe(200)
    expect(testPanel.panel.setupCode).toBeUndefined()
    await testPanel.stop()
  })
})

describe('logging in', () => {
  async function withKeeper(testPanel: TestPanel): Promise<void> {
    await testPanel.send(setup, { body: { code: testPanel.panel.setupCode ?? '', ...keeper } })
  }

  test('a login opens a session, sets a same-site cookie, and returns a token and scopes', async ({ testPanel }) => {
    await withKeeper(testPanel)

    const { answer, headers } = await testPanel.send(login, { body: { ...keeper, email: 'KEEPER@EXAMPLE.ORG' } })

    const cookie = String(headers['set-cookie'])
    expect(cookie).toBe(`${sessionCookie}=${answer.session}; Max-Age=86400; Path=/; SameSite=Strict`)
    const self = await testPanel.send(getSelf, {}, { ...keeper, id: 1, token: answer.session ?? '' })
    expect(self.answer).toMatchObject({ id: 1, username: 'keeper', email: keeper.email, emailConfirmed: true })
    const stored = await testPanel.db.selectFrom('sessions').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(answer.session)
  })

  test('the cookie alone does not authenticate requests', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const response = await testPanel.panel.app.inject({
      method: 'GET',
      url: '/api/self',
      headers: { cookie: `${sessionCookie}=${admin.token}`, origin: 'http://localhost', host: 'localhost' },
    })

    expect(response.statusCode).toBe(401)
  })

  test('a wrong password and an unknown account get the same response', async ({ testPanel }) => {
    await withKeeper(testPanel)

    const wrong = await testPanel.send(login, { body: { email: keeper.email, password: 'wrong password' } })
    const unknown = await testPanel.send(login, { body: { email: 'nobody@example.org', password: 'wrong password' } })

    expect([wrong.status, wrong.refusal]).toEqual([400, 'ErrInvalidCredentials'])
    expect(unknown.answer).toEqual(wrong.answer)
    expect(wrong.headers).not.toHaveProperty('set-cookie')
  })

  test('an unknown account takes the same CPU time as a known one, also while there are imported hashes', async ({
    testPanel,
  }) => {
    const [passwordUser, importedUser] = [await testPanel.createUser(), await testPanel.createUser()]
    const wrong = async (email: string) => {
      // CPU time is measured, so that the load of the machine does not matter.
      const before = process.cpuUsage()
      const { refusal } = await testPanel.send(login, { body: { email, password: 'a wrong one' } })
      const { user, system } = process.cpuUsage(before)
      expect(refusal).toBe('ErrInvalidCredentials')
      return user + system
    }
    const least = async (email: string) => Math.min(await wrong(email), await wrong(email))
    await least(passwordUser.email)

    const [known, unknown] = [await least(passwordUser.email), await least('nobody@example.org')]
    const password = await bcrypt.hash('an old password', 11)
    await testPanel.db.updateTable('users').set({ password }).where('id', '=', importedUser.id).execute()
    const old = [await least(passwordUser.email), await least(importedUser.email), await least('nobody2@example.org')]

    expect(unknown / known).toBeGreaterThan(0.4)
    expect(Math.min(...old) / Math.max(...old)).toBeGreaterThan(0.4)
  })

  test('guesses are blocked for the guesser, while the owner can still log in from another address', async ({
    testPanel,
  }) => {
    await withKeeper(testPanel)
    const from = async (remoteAddress: string, password: string) => {
      const payload = { email: keeper.email, password }
      const response = await testPanel.panel.app.inject({ method: 'POST', url: '/auth/login', remoteAddress, payload })
      return response
    }

    for (let tried = 0; tried < maxLoginAttempts; tried++) await from('10.6.6.6', 'a wrong one')
    const guesser = await from('10.6.6.6', keeper.password)
    const owner = await from('10.0.0.1', keeper.password)

    expect(guesser.statusCode).toBe(429)
    expect(guesser.json()).toMatchObject({ error: { code: 'ErrTooManyRequests' } })
    expect(Number(guesser.headers['retry-after'])).toBeGreaterThan(0)
    expect(owner.statusCode).toBe(200)
  })

  test('guesses for one account from many addresses are blocked, while its owner can log in from a known address', async ({
    testPanel,
  }) => {
    await withKeeper(testPanel)
    const from = async (remoteAddress: string, password: string) => {
      const payload = { email: keeper.email, password }
      return await testPanel.panel.app.inject({ method: 'POST', url: '/auth/login', remoteAddress, payload })
    }
    expect((await from('10.0.0.1', keeper.password)).statusCode).toBe(200)

    const guesses = []
    for (let at = 0; at <= maxLoginAttemptsPerAccount; at++) guesses.push(await from(`192.0.2.${at}`, 'a wrong one'))

    expect(new Set(guesses.slice(0, -1).map(({ statusCode }) => statusCode))).toEqual(new Set([400]))
    expect(guesses.at(-1)?.statusCode).toBe(429)
    const wait = Number(guesses.at(-1)?.headers['retry-after'])
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(rateLimitWindowMs / 1000)
    expect((await from('198.51.100.7', keeper.password)).statusCode).toBe(429)
    expect((await from('10.0.0.1', keeper.password)).statusCode).toBe(200)
  })

  test('guesses for many accounts from one address are blocked too', async ({ testPanel }) => {
    const replies = []
    for (let at = 0; at <= maxLoginAttemptsPerAddress; at += 10) {
      replies.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, (_, more) =>
            testPanel.send(login, { body: { email: `n${at + more}@example.org`, password: 'x' } }),
          ),
        )),
      )
    }

    expect(replies.filter(({ status }) => status === 400)).toHaveLength(maxLoginAttemptsPerAddress)
    expect(replies.at(-1)?.status).toBe(429)
  })

  test('repeated successful logins are never blocked', async ({ testPanel }) => {
    await withKeeper(testPanel)

    for (let time = 0; time <= maxLoginAttempts; time++) {
      expect((await testPanel.send(login, { body: keeper })).status).toBe(200)
    }
  })
})

describe('sessions', () => {
  test('reauth extends the session and returns the current scopes', async ({ testPanel }) => {
    const user = await testPanel.createUser({ scopes: ['nodes.view'] })
    await testPanel.db.insertInto('user_scopes').values({ user_id: user.id, scope: 'templates.view' }).execute()
    const before = await testPanel.db.selectFrom('sessions').select('expires_at').executeTakeFirstOrThrow()

    const { answer, headers } = await testPanel.send(reauth, {}, user)

    expect(answer).toEqual({ session: user.token, scopes: ['nodes.view', 'templates.view'] })
    expect(String(headers['set-cookie'])).toContain(user.token)
    const after = await testPanel.db.selectFrom('sessions').select('expires_at').executeTakeFirstOrThrow()
    expect(after.expires_at).toBeGreaterThanOrEqual(before.expires_at)
  })

  test('logging out ends the session and clears the cookie', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    const { status, headers } = await testPanel.send(logout, {}, user)

    expect(status).toBe(204)
    expect(String(headers['set-cookie'])).toBe(`${sessionCookie}=; Max-Age=0; Path=/; SameSite=Strict`)
    expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
  })

  test('an unused session expires', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const user = await testPanel.createUser()
    expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)

    now += limits.sessionLifeMs + 60_000

    expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
    await testPanel.stop()
  })

  test('a used session does not expire', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const user = await testPanel.createUser()

    for (let hour = 0; hour < 30; hour++) {
      now += 3_600_000
      expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)
    }
    await testPanel.stop()
  })

  test('a scope that was revoked on another panel ends with the cache lifetime', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const admin = await testPanel.admin()
    expect((await testPanel.request('GET', '/api/nodes', undefined, admin)).status).toBe(200)

    await testPanel.db.deleteFrom('user_scopes').where('user_id', '=', admin.id).execute()
    now += principalCacheMs

    expect((await testPanel.request('GET', '/api/nodes', undefined, admin)).refusal).toBe('ErrMissingScope')
    await testPanel.stop()
  })

  test('over https the cookie is secure', async () => {
    const testPanel = await TestPanel.start({ admin: keeper, trustProxy: ['127.0.0.1'] })

    const response = await testPanel.panel.app.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { 'x-forwarded-proto': 'https' },
      payload: { email: keeper.email, password: keeper.password },
    })

    expect(String(response.headers['set-cookie'])).toMatch(/; Secure(;|$)/)
    await testPanel.stop()
  })
})
