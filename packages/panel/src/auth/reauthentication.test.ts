import {
  confirmOtp,
  disableOtp,
  endOtherSessions,
  endSession,
  listSessions,
  putSelf,
  renewRecoveryCodes,
  startOtp,
} from '@innkeeper/contract/accounts/account'
import { confirmPassword, login } from '@innkeeper/contract/accounts/auth'
import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  putAccountClient,
  putServerClient,
} from '@innkeeper/contract/accounts/oauth2'
import { addPasskey, removePasskey, startPasskey } from '@innkeeper/contract/accounts/passkeys'
import { deleteServerUser, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { addSshKey, removeSshKey } from '@innkeeper/contract/accounts/ssh-keys'
import { deleteUser, editUser, putUserPermissions, resetUserOtp } from '@innkeeper/contract/accounts/users'
import { type Endpoint, recentSignInMs, requiredUser } from '@innkeeper/contract/api/endpoint'
import { endpoints } from '@innkeeper/contract/endpoints'
import { test as base, describe, expect } from 'vitest'
import { noPassword } from '../database/users.ts'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { databaseSnapshot } from '../testing/database-snapshot.ts'
import { password, TestPanel, type TestUser } from '../testing/test-panel.ts'

/** An administrator whose login is older than what counts as recent, and what the account has. */
interface Owner extends TestUser {
  readonly otherSession: string
  readonly server: string
  readonly key: string
  readonly accountClient: string
  readonly serverClient: string
}

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILz6rkDKeLiCyOZhYyDaRHq7BPGwIzS2/0AgVkYp7m1s mara@desk'

const test = base.extend<{ clock: { now: number }; testPanel: TestPanel; owner: Owner }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  clock: async ({}, use) => use({ now: Date.now() }),
  testPanel: async ({ clock }, use) => {
    const testPanel = await TestPanel.start({ now: () => clock.now })
    await use(testPanel)
    await testPanel.stop()
  },
  owner: async ({ clock, testPanel }, use) => {
    const admin = await testPanel.admin()
    await testPanel.admin()
    const server = await testPanel.server()
    await testPanel.grant(admin.id, server, ['viewServerConsole'])
    const added = await testPanel.send(addSshKey, { body: { key, password } }, admin)
    const accountClient = (await testPanel.createClient(admin)).id
    const serverClient = (await testPanel.createClient(admin, server)).id
    await testPanel.send(login, { body: { email: admin.email, password } })
    const sessions = (await testPanel.send(listSessions, {}, admin)).answer
    const otherSession = sessions.find(({ isCurrent }) => !isCurrent)?.id ?? ''
    clock.now += recentSignInMs + 60_000
    await use({ ...admin, otherSession, server, key: added.answer.id, accountClient, serverClient })
  },
})

const newPasskey = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  response: { attestationObject: 'x', clientDataJSON: 'x' },
}

type Call = readonly [Endpoint, (owner: Owner) => object]
const call = (endpoint: Endpoint, request: (owner: Owner) => object = () => ({})): Call => [endpoint, request]

/** What gives or ends access to the own account. Each needs a recent login, or the password. */
const needsRecentLogin: Readonly<Record<string, Call>> = {
  'start two-factor': call(startOtp),
  'turn on two-factor': call(confirmOtp, () => ({ body: { token: '000000' } })),
  'turn off two-factor': call(disableOtp, () => ({ params: { token: '000000' } })),
  'start a passkey': call(startPasskey),
  'add a passkey': call(addPasskey, () => ({ body: { name: 'x', passkey: newPasskey } })),
  'remove a passkey': call(removePasskey, () => ({ params: { id: '0'.repeat(64) } })),
  'new recovery codes': call(renewRecoveryCodes, () => ({ body: { token: '000000' } })),
  'end a session': call(endSession, ({ otherSession }) => ({ params: { id: otherSession } })),
  'end other sessions': call(endOtherSessions),
  'remove an SSH key': call(removeSshKey, ({ key: id }) => ({ params: { id } })),
  'create a client of the account': call(createAccountClient, () => ({ body: {} })),
  'delete a client of the account': call(deleteAccountClient, ({ accountClient: id }) => ({ params: { id } })),
  'create a client of a server': call(createServerClient, ({ server: id }) => ({ params: { id }, body: {} })),
  'delete a client of a server': call(deleteServerClient, ({ server: id, serverClient: clientId }) => ({
    params: { id, clientId },
  })),
  'change a client of the account': call(putAccountClient, ({ accountClient: id }) => ({
    params: { id },
    body: { name: 'x', description: '' },
  })),
  'change a client of a server': call(putServerClient, ({ server: id, serverClient: clientId }) => ({
    params: { id, clientId },
    body: { name: 'x', description: '' },
  })),
  'delete the own account': call(deleteUser, ({ id }) => ({ params: { id } })),
  'rename the own account as an administrator': call(editUser, ({ id }) => ({
    params: { id },
    body: { username: 'renamed' },
  })),
  'give up own permissions': call(putUserPermissions, ({ id }) => ({ params: { id }, body: {} })),
  'leave a server': call(deleteServerUser, ({ server: id, email }) => ({ params: { id, email } })),
  'give up permissions on a server': call(putServerUser, ({ server: id, email }) => ({
    params: { id, email },
    body: { viewServerConsole: false },
  })),
}

/** What always needs the password in its body. */
const needsPassword: readonly Endpoint[] = [putSelf, addSshKey]

describe('with a login that is not recent', () => {
  test.for(Object.entries(needsRecentLogin))(
    'an attempt to %s is refused without the password, and works with it',
    async ([, [endpoint, request]], { testPanel, owner }) => {
      const before = await databaseSnapshot(testPanel)
      const send = () => testPanel.send(endpoint, request(owner) as never, owner)

      const refused = await send()
      expect([refused.status, refused.refusal]).toEqual([403, 'ErrPasswordRequired'])
      expect(await databaseSnapshot(testPanel)).toEqual(before)

      await testPanel.send(confirmPassword, { body: { password } }, owner)
      expect((await send()).refusal).not.toBe('ErrPasswordRequired')
    },
  )

  test('what is changed by a body with the password is refused without it', async ({ testPanel, owner }) => {
    for (const endpoint of needsPassword) {
      const body = { username: 'renamed', key }
      expect((await testPanel.send(endpoint, { body } as never, owner)).status, endpoint.path).toBe(400)
    }
  })

  test('the confirmation counts for ten minutes, for its session only', async ({ clock, testPanel, owner }) => {
    await testPanel.send(confirmPassword, { body: { password } }, owner)
    const other = await testPanel.send(login, { body: { email: owner.email, password } })
    clock.now += recentSignInMs

    expect((await testPanel.send(startOtp, {}, owner)).status).toBe(200)
    clock.now += 1
    expect((await testPanel.send(startOtp, {}, owner)).refusal).toBe('ErrPasswordRequired')
    const session = { ...owner, token: other.answer.session ?? '' }
    await testPanel.send(confirmPassword, { body: { password } }, session)
    expect((await testPanel.send(startOtp, {}, owner)).refusal).toBe('ErrPasswordRequired')
  })

  test('the password cannot be guessed by confirming it', async ({ testPanel, owner }) => {
    const refusals = []
    for (let at = 0; at <= maxLoginAttempts; at++) {
      refusals.push((await testPanel.send(confirmPassword, { body: { password: 'wrong' } }, owner)).refusal)
    }

    expect(refusals.slice(0, -1)).toEqual(Array(maxLoginAttempts).fill('ErrInvalidCredentials'))
    expect(refusals.at(-1)).toBe('ErrTooManyRequests')
    expect((await testPanel.send(startOtp, {}, owner)).refusal).toBe('ErrPasswordRequired')
  })
})

test('a login of the last ten minutes needs no password', async ({ testPanel, owner }) => {
  const { answer } = await testPanel.send(login, { body: { email: owner.email, password } })
  const session = { ...owner, token: answer.session ?? '' }

  expect((await testPanel.send(deleteAccountClient, { params: { id: owner.accountClient } }, session)).status).toBe(204)
  expect((await testPanel.send(listAccountClients, {}, session)).answer).toEqual([])
})

test('an OAuth2 client of an administrator does not end the access of its owner', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const { client } = await testPanel.createClient(admin)
  const server = await testPanel.server()
  await testPanel.grant(admin.id, server, ['viewServerConsole'])

  const refusals = [
    await testPanel.send(deleteUser, { params: { id: admin.id } }, client),
    await testPanel.send(editUser, { params: { id: admin.id }, body: { username: 'renamed' } }, client),
    await testPanel.send(putUserPermissions, { params: { id: admin.id }, body: {} }, client),
    await testPanel.send(deleteServerUser, { params: { id: server, email: admin.email } }, client),
  ]
  expect(refusals.map(({ refusal }) => refusal)).toEqual(Array(4).fill('ErrOwnAccount'))
})

test('an account without a password needs a recent sign-in instead, and can set one', async ({ clock, testPanel }) => {
  const user = await testPanel.createUser()
  await testPanel.db.updateTable('users').set({ password: noPassword }).where('id', '=', user.id).execute()
  const rename = (body: object) => testPanel.send(putSelf, { body: { username: 'renamed', ...body } }, user)

  for (const guess of [password, noPassword]) {
    expect((await testPanel.send(login, { body: { email: user.email, password: guess } })).refusal).toBe(
      'ErrInvalidCredentials',
    )
  }
  expect((await rename({ password })).refusal).toBe('ErrInvalidCredentials')
  expect((await testPanel.send(addSshKey, { body: { key } }, user)).status).toBe(200)
  clock.now += recentSignInMs + 60_000
  expect((await rename({})).refusal).toBe('ErrPasswordRequired')
  await testPanel.db.updateTable('sessions').set({ confirmed_at: clock.now }).execute()
  expect((await rename({ newPassword: password })).status).toBe(204)
  expect((await testPanel.send(login, { body: { email: user.email, password } })).status).toBe(200)
  expect((await rename({})).refusal).toBe('ErrFieldRequired')
})

/** Changes of the own account or with a session of a user that neither give nor end access to it. */
const harmless = new Set([
  // Ends the session that it is sent with.
  'logout',
  'reauth',
  'confirmPassword',
  'confirmWithPasskey',
  'startPasskeyConfirmation',
  'renamePasskey',
  // Need the token of a mail to the address of the account.
  'confirmEmail',
  'sendEmailConfirmation',
  'acceptInviteAsSelf',
  'putUserSetting',
])
/** Of other accounts, of the panel and of servers. */
const notOfAccount = /^(?:PUT|POST|DELETE) \/api\/(?:themes|alerts|servers\/:id\/alerts)\b/

test('every change that needs a session of a user is in one of the tables', () => {
  const tested = new Set([...needsPassword, ...Object.values(needsRecentLogin).map(([endpoint]) => endpoint)])
  const others = endpoints
    .filter(({ call: { access, method } }) => requiredUser(access) !== undefined && method !== 'GET')
    .filter(({ name, call }) => !tested.has(call) && !harmless.has(name))
    .filter(({ call: { method, path } }) => !notOfAccount.test(`${method} ${path}`))

  // Only of other accounts: the own one is refused.
  expect(others.map(({ call }) => call)).toEqual([resetUserOtp])
})
