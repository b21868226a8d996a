import {
  acceptInvite,
  checkInvite,
  createInvite,
  deleteInvite,
  listInvites,
} from '@innkeeper/contract/accounts/invites'
import { createServerInvite, listServerUsers, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { register } from '@innkeeper/contract/accounts/sign-up'
import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { deleteServer, getServer } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { describe, expect } from 'vitest'
import { maxLoginAttempts } from '../security/rate-limiter.ts'
import { test as inHouse, TestPanel, type TestUser } from '../testing/test-panel.ts'
import { inviteLifetimeMs } from './invites.ts'

const email = 'ada@example.org'
const ada = { username: 'ada', password: 'long enough' }

const test = inHouse.extend<{ admin: TestUser }>({
  admin: async ({ testPanel }, use) => {
    const admin = await testPanel.admin()
    await setUpMail(testPanel, admin)
    await use(admin)
  },
})

/** Configures a mail server that does not exist, so that mails stay in the queue where the test reads them. */
async function setUpMail(testPanel: TestPanel, admin: TestUser): Promise<void> {
  const body = {
    'panel.settings.masterUrl': 'https://panel.example.org',
    'panel.email.provider': 'smtp',
    'panel.email.host': 'smtp://127.0.0.1:9',
    'panel.email.from': 'panel@example.org',
    'panel.registrationEnabled': false,
  } as const
  expect((await testPanel.send(postSettings, { body }, admin)).status).toBe(204)
}

/** The token of the link in the newest mail to an address. */
async function tokenFor(testPanel: TestPanel, to = email): Promise<string> {
  const rows = await testPanel.db
    .selectFrom('mails')
    .select('facts')
    .where('recipient', '=', to)
    .where('kind', '=', 'invite')
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map(({ facts }) => (JSON.parse(facts) as { token: string }).token)[0] ?? ''
}

async function invited(
  testPanel: TestPanel,
  by: TestUser,
  id: string,
  permissions: readonly ServerPermission[],
): Promise<string> {
  const body = Object.fromEntries(permissions.map((permission) => [permission, true]))
  const { status } = await testPanel.send(putServerUser, { params: { id, email }, body }, by)
  expect(status).toBe(204)
  return tokenFor(testPanel)
}

test('an invited user gets an account with the permissions of the invite, although registration is disabled', async ({
  testPanel,
  admin,
}) => {
  const id = await testPanel.server({ name: 'lobby' })
  const token = await invited(testPanel, admin, id, ['viewServerConsole', 'startServer'])

  const invite = await testPanel.send(checkInvite, { body: { token, email } })
  const { answer } = await testPanel.send(acceptInvite, { body: { token, email: 'ADA@example.org', ...ada } })

  expect((await testPanel.send(register, { body: { ...ada, email: 'x@example.org' } })).status).toBe(404)
  expect(invite.answer).toMatchObject({ email, invitedBy: admin.username, server: 'lobby' })
  const user = { ...admin, token: answer.session }
  expect((await testPanel.send(getSelf, {}, user)).answer).toMatchObject({ username: 'ada', email })
  const { permissions } = (await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, user)).answer
  expect(permissions).toMatchObject({ viewServerConsole: true, startServer: true })
  expect(permissions?.stopServer ?? false).toBe(false)
  expect(answer.scopes).toEqual(['servers.view'])
})

test('an invite can be accepted once, also by concurrent requests', async ({ testPanel, admin }) => {
  const token = await invited(testPanel, admin, await testPanel.server(), [])
  const accept = (username: string) =>
    testPanel.send(acceptInvite, { body: { token, email, username, password: ada.password } })

  const answers = await Promise.all([accept('ada'), accept('eve')])
  const late = await accept('mallory')

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(late.refusal).toBe('ErrInviteLinkInvalid')
  const users = await testPanel.db.selectFrom('users').select('username').where('email', '=', email).execute()
  expect(users).toHaveLength(1)
})

test('a wrong address, token or day makes the link invalid, and guessing ends', async () => {
  let time = Date.now()
  const testPanel = await TestPanel.start({ now: () => time })
  const admin = await testPanel.admin()
  await setUpMail(testPanel, admin)
  await testPanel.send(createInvite, { body: { email } }, admin)
  const token = await tokenFor(testPanel)
  const check = (body: { token: string; email: string }) => testPanel.send(checkInvite, { body })

  expect((await check({ token, email: 'eve@example.org' })).refusal).toBe('ErrInviteLinkInvalid')
  expect((await check({ token: `${token}x`, email })).refusal).toBe('ErrInviteLinkInvalid')
  expect((await check({ token, email })).status).toBe(200)
  time += inviteLifetimeMs
  expect((await check({ token, email })).refusal).toBe('ErrInviteLinkInvalid')
  for (let attempts = 0; attempts < maxLoginAttempts; attempts++) await check({ token: 'guess', email })
  expect((await check({ token: 'guess', email })).refusal).toBe('ErrTooManyRequests')
  await testPanel.stop()
})

test('the token is stored in the queued mail only', async ({ testPanel, admin }) => {
  const token = await invited(testPanel, admin, await testPanel.server(), [])

  const rows = await testPanel.db.selectFrom('invites').selectAll().execute()

  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(token)
  expect(await testPanel.db.selectFrom('users').select('id').where('email', '=', email).execute()).toEqual([])
})

describe('the granted permissions', () => {
  test('are those that the inviting user still has', async ({ testPanel, admin: _ }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer', 'stopServer'] } })
    const token = await invited(testPanel, owner, id, ['startServer', 'stopServer'])
    await testPanel.grant(owner.id, id, ['editServerUsers', 'startServer'])

    await testPanel.send(acceptInvite, { body: { token, email, ...ada } })

    expect(await permissionsOn(testPanel, id)).toEqual(['startServer'])
  })

  test('are none when the inviting user may not grant access any more', async ({ testPanel, admin: _ }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer'] } })
    const token = await invited(testPanel, owner, id, ['startServer'])
    await testPanel.grant(owner.id, id, ['startServer'])

    expect((await testPanel.send(acceptInvite, { body: { token, email, ...ada } })).status).toBe(200)

    expect(await permissionsOn(testPanel, id)).toBeUndefined()
  })

  test('include every server of all invites of the address', async ({ testPanel, admin }) => {
    const [one, other] = [await testPanel.server({ name: 'one' }), await testPanel.server({ name: 'two' })]
    const first = await invited(testPanel, admin, one, ['startServer'])
    const second = await invited(testPanel, admin, other, ['stopServer'])

    expect((await testPanel.send(checkInvite, { body: { token: first, email } })).refusal).toBe('ErrInviteLinkInvalid')
    await testPanel.send(acceptInvite, { body: { token: second, email, ...ada } })

    expect([await permissionsOn(testPanel, one), await permissionsOn(testPanel, other)]).toEqual([
      ['startServer'],
      ['stopServer'],
    ])
  })

  test('omit a deleted server', async ({ testPanel, admin }) => {
    const id = await testPanel.server()
    const token = await invited(testPanel, admin, id, ['startServer'])
    await testPanel.send(deleteServer, { params: { id }, query: {} }, admin)

    expect((await testPanel.send(acceptInvite, { body: { token, email, ...ada } })).status).toBe(200)
  })

  async function permissionsOn(testPanel: TestPanel, id: string): Promise<string[] | undefined> {
    const row = await testPanel.db
      .selectFrom('server_users')
      .innerJoin('users', 'users.id', 'server_users.user_id')
      .select('rights')
      .where('users.email', '=', email)
      .where('server_id', '=', id)
      .executeTakeFirst()
    return row?.rights.split(' ').filter(Boolean)
  }
})

test('a taken username does not use up the invite', async ({ testPanel, admin }) => {
  const token = await invited(testPanel, admin, await testPanel.server(), [])

  const response = await testPanel.send(acceptInvite, {
    body: { token, email, username: admin.username, password: 'long enough' },
  })
  const free = await testPanel.send(acceptInvite, { body: { token, email, ...ada } })

  expect(response.refusal).toBe('ErrDuplicateUsername')
  expect(free.status).toBe(200)
})

test('a link is answered ten times that a username is taken', async ({ testPanel, admin }) => {
  const token = await invited(testPanel, admin, await testPanel.server(), [])
  const body = { token, email, username: admin.username, password: 'long enough' }

  const refusals = []
  for (let at = 0; at <= maxLoginAttempts; at++) {
    refusals.push((await testPanel.send(acceptInvite, { body })).refusal)
  }

  expect(refusals).toEqual([...Array(maxLoginAttempts).fill('ErrDuplicateUsername'), 'ErrTooManyRequests'])
})

test('administrators can list and delete pending invites', async ({ testPanel, admin }) => {
  const id = await testPanel.server({ name: 'lobby' })
  const token = await invited(testPanel, admin, id, ['startServer'])

  const { answer } = await testPanel.send(listInvites, { query: {} }, admin)
  const [invite] = answer.invites
  await testPanel.send(deleteInvite, { params: { id: invite?.id ?? '' } }, admin)

  expect(invite).toMatchObject({
    email,
    invitedBy: admin.username,
    servers: [{ id, name: 'lobby', flags: ['startServer'] }],
  })
  expect(JSON.stringify(answer)).not.toContain(token)
  expect((await testPanel.send(acceptInvite, { body: { token, email, ...ada } })).refusal).toBe('ErrInviteLinkInvalid')
})

test('without mail no invites are sent, and existing users are not invited', async ({ testPanel }) => {
  const admin = await testPanel.admin()

  const unset = await testPanel.send(createInvite, { body: { email } }, admin)
  await setUpMail(testPanel, admin)
  const here = await testPanel.send(createInvite, { body: { email: admin.email } }, admin)

  expect([unset.refusal, here.refusal]).toEqual(['ErrEmailNotConfigured', 'ErrDuplicateEmail'])
  expect(await testPanel.db.selectFrom('invites').select('id').execute()).toEqual([])
})

describe('an invite by link', () => {
  const permissions = { viewServerConsole: true, startServer: true } as const
  const linkTo = async (testPanel: TestPanel, by: TestUser, id: string, to = email) => {
    const { answer } = await testPanel.send(
      createServerInvite,
      { params: { id }, body: { email: to, permissions } },
      by,
    )
    return Object.fromEntries(new URLSearchParams(new URL(answer.path, 'https://panel.example.org').search)) as {
      token: string
      email: string
    }
  }

  inHouse(
    'works without mail and once, is listed as pending until then, and its token is not stored',
    async ({ testPanel }) => {
      const [id, admin] = [await testPanel.server({ name: 'lobby' }), await testPanel.admin()]
      const link = await linkTo(testPanel, admin, id)
      const pending = await testPanel.send(listServerUsers, { params: { id }, query: {} }, admin)
      const stored = JSON.stringify(await testPanel.db.selectFrom('invites').selectAll().execute())

      const { answer } = await testPanel.send(acceptInvite, { body: { ...link, ...ada } })
      const again = await testPanel.send(acceptInvite, { body: { ...link, username: 'eve', password: ada.password } })

      expect(pending.answer).toMatchObject([{ email, isInvited: true, startServer: true }])
      expect(stored).not.toContain(link.token)
      expect(again.refusal).toBe('ErrInviteLinkInvalid')
      const user = { ...admin, token: answer.session }
      const got = await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, user)
      expect(got.answer.permissions).toMatchObject({ viewServerConsole: true, startServer: true })
      expect((await testPanel.send(getSelf, {}, user)).answer).toMatchObject({ emailConfirmed: true })
    },
  )

  inHouse('leaves the address unconfirmed when who gave it may not create accounts', async ({ testPanel }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'viewServerConsole', 'startServer'] } })
    const link = await linkTo(testPanel, owner, id)

    const { answer } = await testPanel.send(acceptInvite, { body: { ...link, ...ada } })

    const user = { ...owner, token: answer.session }
    expect((await testPanel.send(getSelf, {}, user)).answer).toMatchObject({ emailConfirmed: false })
    const got = await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, user)
    expect(got.answer.permissions).toMatchObject({ startServer: true })
  })

  test('does not reach what others gave the address, and a mailed invite ends it', async ({ testPanel, admin }) => {
    const [one, two] = [await testPanel.server(), await testPanel.server()]
    const owner = await testPanel.createUser({ on: { [two]: ['editServerUsers', 'viewServerConsole', 'startServer'] } })
    const body = { email, permissions }
    await invited(testPanel, admin, one, ['startServer'])
    const refused = await testPanel.send(createServerInvite, { params: { id: two }, body }, owner)
    const link = await linkTo(testPanel, owner, two, 'bob@example.org')
    await testPanel.send(putServerUser, { params: { id: one, email: 'bob@example.org' }, body: {} }, admin)

    const ended = await testPanel.send(acceptInvite, { body: { ...link, username: 'bob', password: ada.password } })

    expect([refused.status, refused.refusal]).toEqual([409, 'ErrInvitePending'])
    expect(ended.refusal).toBe('ErrInviteLinkInvalid')
  })

  test('is refused for an address with an account, and for permissions that one has not', async ({
    testPanel,
    admin,
  }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: ['editServerUsers'] } })
    const send = (to: string, by: TestUser) =>
      testPanel.send(createServerInvite, { params: { id }, body: { email: to, permissions } }, by)

    expect((await send(owner.email, admin)).refusal).toBe('ErrDuplicateEmail')
    expect((await send(email, owner)).refusal).toBe('ErrMissingScope')
    expect(await testPanel.db.selectFrom('invites').select('id').execute()).toEqual([])
  })

  test('is replaced by another one of the same user, with the servers of both', async ({ testPanel, admin }) => {
    const [one, two] = [await testPanel.server({ name: 'one' }), await testPanel.server({ name: 'two' })]
    const first = await linkTo(testPanel, admin, one)
    const second = await linkTo(testPanel, admin, two)

    expect((await testPanel.send(checkInvite, { body: first })).refusal).toBe('ErrInviteLinkInvalid')
    const { answer } = await testPanel.send(acceptInvite, { body: { ...second, ...ada } })
    const user = { ...admin, token: answer.session }
    for (const id of [one, two])
      expect((await testPanel.send(getServer, { params: { id }, query: {} }, user)).status).toBe(200)
  })
})
