import { endOtherSessions, endSession, listSessions, putSelf } from '@innkeeper/contract/accounts/account'
import { login, sessionCookie } from '@innkeeper/contract/accounts/auth'
import { register } from '@innkeeper/contract/accounts/sign-up'
import { putUserPermissions } from '@innkeeper/contract/accounts/users'
import { getSelf, getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { putSetting } from '@innkeeper/contract/settings/settings'
import bcrypt from 'bcryptjs'
import { describe, expect } from 'vitest'
import { maxRegistrations } from '../auth/auth.ts'
import { maxTakenNames } from '../auth/taken-names.ts'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { password, type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

async function anotherSession(testPanel: TestPanel, user: TestUser): Promise<TestUser> {
  const { answer } = await testPanel.send(login, { body: { email: user.email, password } })
  return { ...user, token: answer.session ?? '' }
}

test('returned permissions are current, and those of a client of one server are empty', async ({ testPanel }) => {
  const [admin, user, id] = [await testPanel.admin(), await testPanel.createUser(), await testPanel.server()]
  const scopes = async (who = user) => (await testPanel.send(getSelf, {}, who)).answer.scopes
  expect(await scopes()).toEqual([])

  await testPanel.send(putUserPermissions, { params: { id: user.id }, body: { viewNodes: true } }, admin)
  expect(await scopes()).toEqual(['nodes.view'])

  await testPanel.grant(user.id, id, ['viewServerConsole'])
  expect(await scopes()).toContain('servers.view')
  expect(await scopes((await testPanel.createClient(user, id)).client)).toEqual([])
  expect(await scopes(admin)).toContain('panel.settings')
})

describe('changing the account', () => {
  test('name and address change with the current password', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    const body = { username: 'Mara_1', email: 'Mara@example.org', password }
    expect((await testPanel.send(putSelf, { body }, user)).status).toBe(204)

    const self = await testPanel.send(getSelf, {}, user)
    expect(self.answer).toMatchObject({
      id: user.id,
      username: 'Mara_1',
      email: 'Mara@example.org',
      emailConfirmed: false,
    })
    const response = await testPanel.send(login, { body: { email: 'mara@EXAMPLE.org', password } })
    expect(response.status).toBe(200)
  })

  test('is answered ten times that a name or address is taken, but to those who see all users', async ({
    testPanel,
  }) => {
    const [user, other] = [await testPanel.createUser(), await testPanel.createUser()]
    const viewer = await testPanel.createUser({ scopes: ['users.view'] })
    const change = async (body: { username?: string; email?: string }, as = user) =>
      (await testPanel.send(putSelf, { body: { ...body, password } }, as)).refusal
    const taken = [{ email: other.email }, { username: other.username }]

    for (let at = 0; at < maxTakenNames / 2; at++) {
      expect(await change({ username: `own_${at}` })).toBeUndefined()
      expect(await change(taken[0] ?? {})).toBe('ErrDuplicateEmail')
      expect(await change(taken[1] ?? {})).toBe('ErrDuplicateUsername')
    }

    for (const body of [...taken, { username: 'free' }]) expect(await change(body)).toBe('ErrTooManyRequests')
    for (let at = 0; at <= maxTakenNames; at++) expect(await change(taken[0] ?? {}, viewer)).toBe('ErrDuplicateEmail')
  })

  test('a new password ends all other sessions immediately, and the old password stops working', async ({
    testPanel,
  }) => {
    const user = await testPanel.createUser()
    const other = await anotherSession(testPanel, user)
    expect((await testPanel.send(getSelf, {}, other)).status).toBe(200)

    const body = { password, newPassword: 'another password' }
    expect((await testPanel.send(putSelf, { body }, user)).status).toBe(204)

    expect((await testPanel.send(getSelf, {}, other)).status).toBe(401)
    expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)
    const { email } = user
    expect((await testPanel.send(login, { body: { email, password } })).refusal).toBe('ErrInvalidCredentials')
    expect((await testPanel.send(login, { body: { email, password: 'another password' } })).status).toBe(200)
  })

  test.for([
    [{ username: 'taken' }, 400, 'ErrFieldRequired'],
    [{ username: 'free', password: 'wrong' }, 400, 'ErrInvalidCredentials'],
    [{ password, newPassword: 'short' }, 400, 'ErrPasswordRequirements'],
    [{ password, username: 'a b' }, 400, 'ErrUsernameRequirements'],
    [{ password, email: 'nobody' }, 400, 'ErrFieldNotEmail'],
    [{ password, username: 'PERSON2' }, 409, 'ErrDuplicateUsername'],
    [{ password, email: 'Person2@Example.org' }, 409, 'ErrDuplicateEmail'],
    [{ password, username: 'x_y', id: 1, scopes: ['servers.admin'] }, 400, 'ErrFieldInvalid'],
    [{ password, username: 'x_y', admin: true }, 400, 'ErrFieldInvalid'],
    [{ password: { $ne: '' } }, 400, 'ErrFieldInvalid'],
  ] as const)('%j is rejected and changes nothing', async ([body, status, refusal], { testPanel }) => {
    const user = await testPanel.createUser()
    await testPanel.createUser()
    const before = await testPanel.db.selectFrom('users').selectAll().orderBy('id').execute()

    const reply = await testPanel.request('PUT', '/api/self', body, user)

    expect([reply.status, reply.refusal]).toEqual([status, refusal])
    expect(await testPanel.db.selectFrom('users').selectAll().orderBy('id').execute()).toEqual(before)
    expect(await testPanel.db.selectFrom('user_scopes').selectAll().execute()).toEqual([])
  })

  test('guesses of the password in a stolen session are rate-limited', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    for (let tried = 0; tried < maxLoginAttempts; tried++) {
      await testPanel.send(putSelf, { body: { password: `guess ${tried}` } }, user)
    }

    expect((await testPanel.send(putSelf, { body: { password } }, user)).refusal).toBe('ErrTooManyRequests')
  })
})

describe('sessions', () => {
  test('are listed with their client, and can be ended one by one', async ({ testPanel }) => {
    const user = await testPanel.createUser()
    const payload = { email: user.email, password }
    const headers = { 'user-agent': 'Fire\tfox \u0007 140' }
    const inject = { method: 'POST', url: '/auth/login', payload, headers, remoteAddress: '192.0.2.9' } as const
    const { session: token } = (await testPanel.panel.app.inject(inject)).json<{ session: string }>()
    const other = { ...user, token }

    const listed = (await testPanel.send(listSessions, {}, user)).answer
    expect(listed.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true])
    const found = listed.find(({ isCurrent }) => !isCurrent)
    expect(found).toMatchObject({ address: '192.0.2.9', agent: expect.stringMatching(/^Fire.*140$/) })
    expect(JSON.stringify(listed)).not.toContain(token)

    const ended = await testPanel.send(endSession, { params: { id: found?.id ?? '' } }, user)
    expect(ended.status).toBe(204)
    expect((await testPanel.send(getSelf, {}, other)).status).toBe(401)
    expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)
  })

  test('of other users are not found', async ({ testPanel }) => {
    const [user, victim] = [await testPanel.createUser(), await testPanel.createUser()]
    const [{ id } = { id: '' }] = (await testPanel.send(listSessions, {}, victim)).answer

    const reply = await testPanel.send(endSession, { params: { id } }, user)
    const none = await testPanel.send(endSession, { params: { id: '0'.repeat(64) } }, user)

    expect([reply.status, reply.answer]).toEqual([404, none.answer])
    expect((await testPanel.send(getSelf, {}, victim)).status).toBe(200)
  })

  test('can be ended all at once, except the current one', async ({ testPanel }) => {
    const [user, bystander] = [await testPanel.createUser(), await testPanel.createUser()]
    const others = [await anotherSession(testPanel, user), await anotherSession(testPanel, user)]

    await testPanel.send(endOtherSessions, {}, user)

    for (const other of others) expect((await testPanel.send(getSelf, {}, other)).status).toBe(401)
    for (const one of [user, bystander]) expect((await testPanel.send(getSelf, {}, one)).status).toBe(200)
  })
})

describe('registering', () => {
  const params = { key: 'panel.registrationEnabled' } as const
  const openTest = test.extend<{ admin: TestUser }>({
    admin: [
      async ({ testPanel }, use) => {
        const admin = await testPanel.admin()
        await testPanel.send(putSetting, { params, body: { value: true } }, admin)
        await use(admin)
      },
      { auto: true },
    ],
  })
  const newcomer = { username: 'newcomer', email: 'new@example.org', password: 'long enough' }

  openTest('opens a session without permissions', async ({ testPanel }) => {
    const { status, answer, headers } = await testPanel.send(register, { body: newcomer })

    expect(status).toBe(200)
    expect(answer).toEqual({ success: true, token: answer.session, session: answer.session, scopes: [] })
    expect(String(headers['set-cookie'])).toContain(`${sessionCookie}=${answer.session}`)
    const user = { ...newcomer, id: 0, token: answer.session }
    expect((await testPanel.request('GET', '/api/servers', undefined, user)).answer).toMatchObject({ servers: [] })
    expect((await testPanel.request('GET', '/api/users', undefined, user)).refusal).toBe('ErrMissingScope')
    expect(await testPanel.db.selectFrom('user_scopes').selectAll().execute()).toHaveLength(1)
  })

  openTest('is not found while disabled', async ({ testPanel, admin }) => {
    await testPanel.send(putSetting, { params, body: { value: false } }, admin)

    const { status, refusal } = await testPanel.send(register, { body: newcomer })

    expect([status, refusal]).toEqual([404, 'ErrNotFound'])
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  openTest.for([
    [{ username: 'PERSON1' }, 'ErrDuplicateUsername', 'username'],
    [{ email: 'Person1@example.org' }, 'ErrDuplicateEmail', 'email'],
    [{ username: 'ab' }, 'ErrUsernameRequirements', 'username'],
    [{ username: 'mara@x' }, 'ErrUsernameRequirements', 'username'],
    [{ email: 'mara' }, 'ErrFieldNotEmail', 'email'],
    [{ email: 'a@b.co\nBcc: c@d.co' }, 'ErrFieldNotEmail', 'email'],
    [{ password: 'short' }, 'ErrPasswordRequirements', 'password'],
    [{ password: undefined }, 'ErrFieldRequired', 'password'],
    [{ username: ['mara'] }, 'ErrFieldInvalid', 'username'],
  ] as const)('%j is rejected with %s', async ([wrong, code, field], { testPanel }) => {
    const reply = await testPanel.request('POST', '/auth/register', { ...newcomer, ...wrong })

    expect([reply.refusal, reply.metadata.field]).toEqual([code, field])
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  openTest('ignores additional fields', async ({ testPanel }) => {
    await testPanel.request('POST', '/auth/register', { ...newcomer, admin: true, scopes: ['servers.admin'], id: 1 })

    expect(await testPanel.db.selectFrom('user_scopes').selectAll().execute()).toHaveLength(1)
  })

  openTest('is rate-limited per address', async ({ testPanel }) => {
    const replies = []
    for (let at = 0; at <= maxRegistrations; at++) {
      const body = { ...newcomer, username: `new_${at}`, email: `new${at}@example.org` }
      replies.push(await testPanel.send(register, { body }))
    }

    expect(replies.map(({ status }) => status)).toEqual([...Array(maxRegistrations).fill(200), 429])
  })

  openTest('of two concurrent requests for a name one succeeds', async ({ testPanel }) => {
    const bodies = ['a@example.org', 'b@example.org'].map((email) => ({ ...newcomer, email }))

    const replies = await Promise.all(bodies.map((body) => testPanel.send(register, { body })))

    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(2)
  })
})

describe('users with imported password hashes', () => {
  test('log in with their old password, which is rehashed', async ({ testPanel }) => {
    const user = await testPanel.createUser()
    const old = (await bcrypt.hash('an old password', 4)).replace(/^\$2b/, '$2a')
    await testPanel.db.updateTable('users').set({ password: old }).where('id', '=', user.id).execute()
    const { email } = user

    const wrong = await testPanel.send(login, { body: { email, password: 'a wrong one' } })
    const right = await testPanel.send(login, { body: { email, password: 'an old password' } })
    const response = await testPanel.send(login, { body: { email, password: 'an old password' } })

    expect([wrong.refusal, right.status, response.status]).toEqual(['ErrInvalidCredentials', 200, 200])
    const { password: now } = await testPanel.db.selectFrom('users').select('password').executeTakeFirstOrThrow()
    expect(now).toMatch(/^\$argon2id\$/)
  })

  test('cannot log in with a password that bcrypt would truncate', async ({ testPanel }) => {
    const user = await testPanel.createUser()
    const hash = await bcrypt.hash('x'.repeat(72), 4)
    await testPanel.db.updateTable('users').set({ password: hash }).where('id', '=', user.id).execute()

    const longer = await testPanel.send(login, { body: { email: user.email, password: `${'x'.repeat(72)}yz` } })

    expect(longer.refusal).toBe('ErrInvalidCredentials')
  })
})

test('user settings are stored by key, with any key', async ({ testPanel }) => {
  const [user, other] = [await testPanel.createUser(), await testPanel.createUser()]
  for (const key of ['dark', '__proto__', 'constructor']) {
    expect((await testPanel.send(putUserSetting, { params: { key }, body: { value: key } }, user)).status).toBe(204)
  }

  const { answer } = await testPanel.send(getUserSettings, {}, user)

  expect(answer.map(({ key }) => key).sort()).toEqual(['__proto__', 'constructor', 'dark'])
  expect((await testPanel.send(getUserSettings, {}, other)).answer).toEqual([])
})
