import { confirmOtp, getCredentialCounts, putSelf, startOtp } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { createAccountClient, createServerClient, listAccountClients } from '@innkeeper/contract/accounts/oauth2'
import { forgotPassword, resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { addSshKey, listSshKeys, removeSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { editUser, resetUserOtp } from '@innkeeper/contract/accounts/users'
import { recentSignInMs } from '@innkeeper/contract/api/endpoint'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Secret, TOTP } from 'otpauth'
import pino from 'pino'
import { describe, expect, vi } from 'vitest'
import { sessionsService } from '../auth/sessions.ts'
import { openCliContext } from '../cli-context.ts'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { mailsTo, queueMail, tokenFor } from '../testing/mail-queue.ts'
import { test as inHouse, password, TestPanel, type TestUser } from '../testing/test-panel.ts'

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'
const newPassword = 'another one'

/** A user with an SSH key and an OAuth2 client, and the client's token. */
interface Owner {
  readonly user: TestUser
  readonly client: TestUser
}

const test = inHouse.extend<{ admin: TestUser; owner: Owner }>({
  admin: async ({ testPanel }, use) => {
    const admin = await testPanel.admin()
    await queueMail(testPanel, admin)
    await use(admin)
  },
  owner: async ({ testPanel, admin: _ }, use) => {
    const user = await testPanel.createUser()
    await testPanel.send(addSshKey, { body: { key, password } }, user)
    await use({ user, client: (await testPanel.createClient(user)).client })
  },
})

/** The sessions of the test may have ended, and the password may be another. */
const newSession = async ({ db }: TestPanel, user: TestUser): Promise<TestUser> => ({
  ...user,
  token: await sessionsService({ db, now: Date.now }).open(user.id),
})

/** Remaining credentials of the account: keys, and clients whose tokens work. */
async function countRemaining(
  testPanel: TestPanel,
  { user, client }: Owner,
): Promise<{ keys: number; clients: number }> {
  const count = async (table: 'ssh_keys' | 'oauth2_clients') =>
    (await testPanel.db.selectFrom(table).select('id').where('user_id', '=', user.id).execute()).length
  const [keys, clients] = [await count('ssh_keys'), await count('oauth2_clients')]
  const counted = await testPanel.send(getCredentialCounts, {}, await newSession(testPanel, user))
  expect(counted.answer).toMatchObject({ sshKeys: keys, clients })
  expect((await testPanel.send(getSelf, {}, client)).status).toBe(clients > 0 ? 200 : 401)
  return { keys, clients }
}

const none = { keys: 0, clients: 0 }
const all = { keys: 1, clients: 1 }

describe('SSH keys and OAuth2 clients', () => {
  test('are removed by a password reset, and the owner is mailed', async ({ testPanel, owner }) => {
    const { email } = owner.user
    await testPanel.send(forgotPassword, { body: { email } })
    const token = await vi.waitFor(async () => {
      const found = await tokenFor(testPanel, email, 'passwordReset')
      expect(found).not.toBe('')
      return found
    })

    await testPanel.send(resetPassword, { body: { token, password: newPassword } })

    expect(await countRemaining(testPanel, owner)).toEqual(none)
    expect(await mailsTo(testPanel, email, 'accessRemoved')).toMatchObject([{ keys: 'mara@desk' }])
  })

  test('are removed when another user sets the password', async ({ testPanel, admin, owner }) => {
    await testPanel.send(editUser, { params: { id: owner.user.id }, body: { password: newPassword } }, admin)

    expect(await countRemaining(testPanel, owner)).toEqual(none)
  })

  test('are removed when two-factor is reset', async ({ testPanel, admin, owner }) => {
    await testPanel.send(resetUserOtp, { params: { id: owner.user.id } }, admin)

    expect(await countRemaining(testPanel, owner)).toEqual(none)
  })

  test("are removed by one's own new password on request, and kept otherwise", async ({ testPanel, owner }) => {
    await testPanel.send(putSelf, { body: { password, newPassword } }, owner.user)
    expect(await countRemaining(testPanel, owner)).toEqual(all)

    const back = { password: newPassword, newPassword: password }
    await testPanel.send(putSelf, { body: { ...back, removeSshKeys: true } }, owner.user)
    expect(await countRemaining(testPanel, owner)).toEqual({ keys: 0, clients: 1 })

    await testPanel.send(putSelf, { body: { password, newPassword, removeClients: true } }, owner.user)
    expect(await countRemaining(testPanel, owner)).toEqual(none)
  })

  test('are removed by a password set on the command line, unless it keeps them', async ({ testPanel, owner }) => {
    const caretaking = await openCliContext({ databaseUrl: testPanel.databaseUrl, log: pino({ level: 'silent' }) })

    await caretaking.users.setPassword(owner.user.username, newPassword, { keepAccess: true })
    expect(await countRemaining(testPanel, owner)).toEqual(all)

    await caretaking.users.setPassword(owner.user.username, newPassword)
    // The panel polls for revocations every two seconds.
    await vi.waitFor(async () => expect(await countRemaining(testPanel, owner)).toEqual(none), { timeout: 5_000 })
    await caretaking.close()
  })
})

describe('enabling two-factor', () => {
  async function switchOn(testPanel: TestPanel, user: TestUser, more: object = {}): Promise<void> {
    const { secret } = (await testPanel.send(startOtp, {}, user)).answer
    const token = TOTP.generate({ secret: Secret.fromBase32(secret) })
    expect((await testPanel.send(confirmOtp, { body: { token, ...more } }, user)).status).toBe(200)
  }

  test('removes existing SSH keys, which need no code', async ({ testPanel, owner }) => {
    await switchOn(testPanel, owner.user)

    expect(await countRemaining(testPanel, owner)).toEqual({ keys: 0, clients: 1 })
  })

  test('keeps them on request', async ({ testPanel, owner }) => {
    await switchOn(testPanel, owner.user, { keepSshKeys: true })

    expect(await countRemaining(testPanel, owner)).toEqual(all)
  })
})

describe('an SSH key', () => {
  test('is mailed about when it is added and removed', async ({ testPanel, owner: { user } }) => {
    const [added] = (await testPanel.send(listSshKeys, {}, user)).answer
    await testPanel.send(removeSshKey, { params: { id: added?.id ?? '' } }, user)

    expect(await mailsTo(testPanel, user.email, 'sshKeyAdded')).toEqual([{ key: `mara@desk (${added?.fingerprint})` }])
    expect(await mailsTo(testPanel, user.email, 'accessRemoved')).toEqual([{ keys: 'mara@desk' }])
  })
})

describe('a new OAuth2 client', () => {
  test('requires the password when the login is older than ten minutes', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const user = await testPanel.createUser()
    const server = await testPanel.server()
    await testPanel.grant(user.id, server, [])
    const { answer } = await testPanel.send(login, { body: { email: user.email, password } })
    const session = { ...user, token: answer.session ?? '' }
    const forAccount = (body: object) => testPanel.send(createAccountClient, { body }, session)
    const forServer = (body: object) => testPanel.send(createServerClient, { params: { id: server }, body }, session)

    expect((await forAccount({})).status).toBe(200)
    now += recentSignInMs + 1
    for (const create of [forAccount, forServer]) {
      const refused = await create({})
      expect([refused.status, refused.refusal]).toEqual([403, 'ErrPasswordRequired'])
      expect((await create({ password: 'wrong' })).refusal).toBe('ErrInvalidCredentials')
      expect((await create({ password })).status).toBe(200)
    }

    expect((await testPanel.send(listAccountClients, {}, session)).answer).toHaveLength(2)
    await testPanel.stop()
  })

  test('cannot be created by guessing the password in a stolen session', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const user = await testPanel.createUser()
    now += recentSignInMs + 60_000

    const refusals = []
    for (let at = 0; at <= maxLoginAttempts; at++) {
      refusals.push((await testPanel.send(createAccountClient, { body: { password: 'wrong' } }, user)).refusal)
    }

    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    await testPanel.stop()
  })
})
