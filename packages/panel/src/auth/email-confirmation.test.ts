import { confirmEmail, putSelf, sendEmailConfirmation } from '@innkeeper/contract/accounts/account'
import { login } from '@innkeeper/contract/accounts/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite, createInvite } from '@innkeeper/contract/accounts/invites'
import { forgotPassword, resetPassword } from '@innkeeper/contract/accounts/password-reset'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { register, setup } from '@innkeeper/contract/accounts/sign-up'
import { confirmUserEmail, createUser, editUser, getUser } from '@innkeeper/contract/accounts/users'
import { getServer } from '@innkeeper/contract/servers/servers'
import { getConfig, getSelf } from '@innkeeper/contract/settings/panel'
import { putSetting } from '@innkeeper/contract/settings/settings'
import { describe, expect, vi } from 'vitest'
import { mailsTo, queueMail, tokenFor } from '../testing/mail-queue.ts'
import { test as inHouse, password, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { confirmationLinkLifetimeMs } from './email-confirmation.ts'

const carol = 'carol@example.org'

const test = inHouse.extend<{ admin: TestUser; server: string }>({
  admin: async ({ testPanel }, use) => {
    const admin = await testPanel.admin()
    const key = 'panel.registrationEnabled'
    await testPanel.send(putSetting, { params: { key }, body: { value: true } }, admin)
    await use(admin)
  },
  server: async ({ testPanel }, use) => use(await testPanel.server({ name: 'lobby' })),
})

/** Registers an account with an address that it may not own. */
async function registered(testPanel: TestPanel, email = carol, username = 'mallory'): Promise<TestUser> {
  const { answer } = await testPanel.send(register, { body: { username, email, password } })
  const { id } = (await testPanel.send(getSelf, {}, { id: 0, username, email, token: answer.token })).answer
  return { id, username, email, token: answer.token }
}

const give = (testPanel: TestPanel, id: string, email: string, permissions: object, by: TestUser) =>
  testPanel.send(putServerUser, { params: { id, email }, body: permissions }, by)

async function sees(testPanel: TestPanel, id: string, user: TestUser): Promise<boolean> {
  return (await testPanel.send(getServer, { params: { id }, query: {} }, user)).status === 200
}

async function flagsOn(testPanel: TestPanel, id: string, user: TestUser): Promise<string | undefined> {
  const row = await testPanel.db
    .selectFrom('server_users')
    .select('rights')
    .where('server_id', '=', id)
    .where('user_id', '=', user.id)
    .executeTakeFirst()
  return row?.rights
}

const isConfirmed = async (testPanel: TestPanel, user: TestUser) =>
  (await testPanel.send(getSelf, {}, user)).answer.emailConfirmed

describe('registration', () => {
  test('is disabled on a new panel, and can be enabled during setup', async () => {
    const [closed, open] = [await TestPanel.start(), await TestPanel.start()]
    const who = { username: 'keeper', email: 'keeper@example.org', password }
    const start = (testPanel: TestPanel, more: object) =>
      testPanel.send(setup, { body: { code: testPanel.panel.setupCode ?? '', ...who, ...more } })

    await start(closed, {})
    await start(open, { registrationEnabled: true })

    const isOpen = async (testPanel: TestPanel) => (await testPanel.send(getConfig, {})).answer.registrationEnabled
    expect([await isOpen(closed), await isOpen(open)]).toEqual([false, true])
    const body = { username: 'mallory', email: carol, password }
    expect((await closed.send(register, { body })).status).toBe(404)
    expect((await open.send(register, { body })).status).toBe(200)
    await closed.stop()
    await open.stop()
  })

  test('a registration returns token, session and scopes, and requires a confirmation of the address', async ({
    testPanel,
    admin,
  }) => {
    await queueMail(testPanel, admin)

    const { answer } = await testPanel.send(register, { body: { username: 'mallory', email: carol, password } })

    expect(answer.token).toBe(answer.session)
    expect(answer.scopes).toEqual([])
    expect(await mailsTo(testPanel, carol, 'emailConfirm')).toMatchObject([{ username: 'mallory' }])
  })
})

describe('permissions for an address that its account never confirmed', () => {
  test('wait until the owner of the address opens the link with that account', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    const mallory = await registered(testPanel)

    const { status } = await give(testPanel, server, carol, { startServer: true }, admin)

    expect(status).toBe(204)
    expect(await sees(testPanel, server, mallory)).toBe(false)
    const listed = await testPanel.send(listServerUsers, { params: { id: server }, query: {} }, admin)
    expect(listed.answer).toMatchObject([{ email: carol, username: '', isInvited: true, startServer: true }])

    const body = { token: await tokenFor(testPanel, carol, 'invite') }
    expect((await testPanel.send(acceptInviteAsSelf, { body }, mallory)).status).toBe(204)
    expect(await flagsOn(testPanel, server, mallory)).toBe('startServer')
    expect(await isConfirmed(testPanel, mallory)).toBe(true)
    expect((await testPanel.send(acceptInviteAsSelf, { body }, mallory)).refusal).toBe('ErrInviteLinkInvalid')
  })

  test('are granted with the confirmation of the address, too', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    const user = await registered(testPanel)
    await give(testPanel, server, carol, { startServer: true }, admin)

    await testPanel.send(confirmEmail, { body: { token: await tokenFor(testPanel, carol, 'emailConfirm') } }, user)

    expect(await flagsOn(testPanel, server, user)).toBe('startServer')
  })

  test('are granted to the owner of the address, not to the user who registered it', async ({
    testPanel,
    admin,
    server,
  }) => {
    await queueMail(testPanel, admin)
    const mallory = await registered(testPanel)
    await give(testPanel, server, carol, { startServer: true }, admin)
    const link = { token: await tokenFor(testPanel, carol, 'invite'), email: carol }
    expect((await testPanel.send(checkInvite, { body: link })).answer.hasAccount).toBe(true)

    const { answer } = await testPanel.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    const owner = { ...mallory, token: answer.session }
    expect((await testPanel.send(getSelf, {}, owner)).answer).toMatchObject({
      username: 'carol',
      email: carol,
      emailConfirmed: true,
    })
    expect(await sees(testPanel, server, owner)).toBe(true)
    expect(await sees(testPanel, server, mallory)).toBe(false)
    const squatter = (await testPanel.send(getSelf, {}, mallory)).answer
    expect(squatter.username).toBe('mallory')
    expect(squatter.email).toMatch(/@unconfirmed\.invalid$/)
  })

  test('a pending invite survives that another user registers the address', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    await give(testPanel, server, carol, { startServer: true }, admin)
    const link = { token: await tokenFor(testPanel, carol, 'invite'), email: carol }
    const mallory = await registered(testPanel)

    const { status } = await testPanel.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    expect(status).toBe(200)
    expect(await sees(testPanel, server, mallory)).toBe(false)
  })

  test('without mail they are rejected, and an administrator can confirm the address', async ({
    testPanel,
    admin,
    server,
  }) => {
    const user = await registered(testPanel)

    const refused = await give(testPanel, server, carol, { startServer: true }, admin)
    expect([refused.status, refused.refusal]).toEqual([409, 'ErrEmailNotConfirmed'])
    expect(await sees(testPanel, server, user)).toBe(false)

    await testPanel.send(confirmUserEmail, { params: { id: user.id } }, admin)
    expect((await testPanel.send(getUser, { params: { id: user.id } }, admin)).answer.emailConfirmed).toBe(true)
    expect((await give(testPanel, server, carol, { startServer: true }, admin)).status).toBe(204)
    expect(await flagsOn(testPanel, server, user)).toBe('startServer')
  })

  test('can be revoked before they are accepted', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    const user = await registered(testPanel)
    await give(testPanel, server, carol, { startServer: true }, admin)

    const params = { id: server, email: carol }
    expect((await testPanel.send(deleteServerUser, { params }, admin)).status).toBe(204)

    await testPanel.send(confirmUserEmail, { params: { id: user.id } }, admin)
    expect(await sees(testPanel, server, user)).toBe(false)
  })

  test('an invite to the panel is sent although an unconfirmed account has the address', async ({
    testPanel,
    admin,
  }) => {
    await queueMail(testPanel, admin)
    const user = await registered(testPanel)

    expect((await testPanel.send(createInvite, { body: { email: carol } }, admin)).status).toBe(200)
    await testPanel.send(confirmUserEmail, { params: { id: user.id } }, admin)
    expect((await testPanel.send(createInvite, { body: { email: carol } }, admin)).refusal).toBe('ErrDuplicateEmail')
  })
})

describe('an address changed by its owner', () => {
  test('must be confirmed again, and the account keeps its permissions', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    const user = await testPanel.createUser({ on: { [server]: ['startServer'] } })
    expect(await isConfirmed(testPanel, user)).toBe(true)

    await testPanel.send(putSelf, { body: { email: carol, password } }, user)

    expect(await isConfirmed(testPanel, user)).toBe(false)
    expect(await flagsOn(testPanel, server, user)).toBe('startServer')
    expect(await mailsTo(testPanel, carol, 'emailConfirm')).toHaveLength(1)

    await give(testPanel, server, carol, { stopServer: true }, admin)
    expect(await flagsOn(testPanel, server, user)).toBe('')
    const listed = await testPanel.send(listServerUsers, { params: { id: server }, query: {} }, admin)
    expect(listed.answer).toMatchObject([{ username: user.username, isInvited: true }])

    await testPanel.send(confirmEmail, { body: { token: await tokenFor(testPanel, carol, 'emailConfirm') } }, user)
    expect(await flagsOn(testPanel, server, user)).toBe('stopServer')
  })

  test('that differs only in case stays confirmed', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    await testPanel.send(putSelf, { body: { email: user.email.toUpperCase(), password } }, user)

    expect(await isConfirmed(testPanel, user)).toBe(true)
  })
})

describe('the confirmation link', () => {
  test('works once, for its account only, and expires', async () => {
    let now = Date.now()
    const testPanel = await TestPanel.start({ now: () => now })
    const [admin, other] = [await testPanel.admin(), await testPanel.createUser()]
    await queueMail(testPanel, admin)
    const user = await testPanel.createUser()
    const confirm = async (who: TestUser) =>
      testPanel.send(confirmEmail, { body: { token: await tokenFor(testPanel, carol, 'emailConfirm') } }, who)
    await testPanel.send(putSelf, { body: { email: carol, password } }, user)

    expect((await confirm(other)).refusal).toBe('ErrTokenInvalid')
    expect((await confirm(user)).status).toBe(204)
    expect((await confirm(user)).refusal).toBe('ErrTokenInvalid')

    await testPanel.send(putSelf, { body: { email: `new.${carol}`, password } }, user)
    // A failed mail keeps no link, and this one is due long after that.
    const body = { token: await tokenFor(testPanel, `new.${carol}`, 'emailConfirm') }
    now += confirmationLinkLifetimeMs
    const { answer } = await testPanel.send(login, { body: { email: `new.${carol}`, password } })
    const late = { ...user, token: answer.session ?? '' }
    expect((await testPanel.send(confirmEmail, { body }, late)).refusal).toBe('ErrTokenInvalid')
    await testPanel.stop()
  })

  test('is sent again on request, with a limit', async ({ testPanel, admin }) => {
    const user = await registered(testPanel)
    const ask = () => testPanel.send(sendEmailConfirmation, {}, user)
    expect((await ask()).refusal).toBe('ErrEmailNotConfigured')
    await queueMail(testPanel, admin)

    const replies = [await ask(), await ask(), await ask(), await ask()]

    expect(replies.map(({ status }) => status)).toEqual([204, 204, 204, 429])
    expect(await mailsTo(testPanel, carol, 'emailConfirm')).toHaveLength(3)
  })

  test('no mail is sent to the placeholder address of an account', async ({ testPanel, admin, server }) => {
    await queueMail(testPanel, admin)
    const mallory = await registered(testPanel)
    await give(testPanel, server, carol, {}, admin)
    const link = { token: await tokenFor(testPanel, carol, 'invite'), email: carol }
    await testPanel.send(acceptInvite, { body: { ...link, username: 'carol', password } })

    await testPanel.send(putSelf, { body: { password, newPassword: 'another one' } }, mallory)

    const rows = await testPanel.db.selectFrom('mails').select('recipient').execute()
    expect(rows.filter(({ recipient }) => recipient.endsWith('.invalid'))).toEqual([])
  })
})

describe('who confirms an address', () => {
  test('a password reset link confirms it', async ({ testPanel, admin }) => {
    await queueMail(testPanel, admin)
    const user = await registered(testPanel)
    await testPanel.send(forgotPassword, { body: { email: carol } })
    const token = await vi.waitFor(async () => {
      const found = await tokenFor(testPanel, carol, 'passwordReset')
      expect(found).not.toBe('')
      return found
    })

    await testPanel.send(resetPassword, { body: { token, password: 'another one' } })

    const { answer } = await testPanel.send(login, { body: { email: carol, password: 'another one' } })
    expect(await isConfirmed(testPanel, { ...user, token: answer.session ?? '' })).toBe(true)
  })

  test('an administrator who creates the account does, other users do not', async ({ testPanel, admin }) => {
    await queueMail(testPanel, admin)
    const editor = await testPanel.createUser({ scopes: ['users.edit', 'users.view'] })
    const make = async (username: string, by: TestUser) => {
      const body = { username, email: `${username}@example.org`, password }
      const { id } = (await testPanel.send(createUser, { body }, by)).answer
      return (await testPanel.send(getUser, { params: { id } }, editor)).answer
    }

    const [vouched, open] = [await make('vouched', admin), await make('open', editor)]

    expect([vouched.emailConfirmed, open.emailConfirmed]).toEqual([true, false])
    expect(await mailsTo(testPanel, 'open@example.org', 'emailConfirm')).toHaveLength(1)
    const change = (id: number, email: string, by: TestUser) =>
      testPanel.send(editUser, { params: { id }, body: { email } }, by)
    const now = async (id: number) => (await testPanel.send(getUser, { params: { id } }, editor)).answer.emailConfirmed
    await change(vouched.id, 'moved@example.org', editor)
    expect(await now(vouched.id)).toBe(false)
    await change(vouched.id, 'moved-again@example.org', admin)
    expect(await now(vouched.id)).toBe(true)
  })

  test('an account created by an administrator for an invited address gets the permissions of the invite', async ({
    testPanel,
    admin,
    server,
  }) => {
    await queueMail(testPanel, admin)
    await give(testPanel, server, carol, { startServer: true }, admin)

    const { id } = (await testPanel.send(createUser, { body: { username: 'carol', email: carol, password } }, admin))
      .answer

    expect(await flagsOn(testPanel, server, { ...admin, id })).toBe('startServer')
  })

  test('only an administrator can confirm the address of another user', async ({ testPanel }) => {
    const [editor, user] = [await testPanel.createUser({ scopes: ['users.edit'] }), await testPanel.createUser()]

    const { refusal, metadata } = await testPanel.send(confirmUserEmail, { params: { id: user.id } }, editor)

    expect([refusal, metadata]).toEqual(['ErrMissingScope', { scope: 'servers.admin' }])
  })
})
