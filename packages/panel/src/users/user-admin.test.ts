import { login } from '@innkeeper/contract/accounts/auth'
import {
  createUser,
  deleteUser,
  editUser,
  getUser,
  getUserPermissions,
  listUserServers,
  listUsers,
  putUserPermissions,
} from '@innkeeper/contract/accounts/users'
import { panelScopes, scopeOfGlobalPermission } from '@innkeeper/contract/api/permissions'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { describe, expect } from 'vitest'
import { password, type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const on = ({ id }: { readonly id: number }) => ({ params: { id } })

async function scopesIn(testPanel: TestPanel, { id }: TestUser): Promise<string[]> {
  const rows = await testPanel.db.selectFrom('user_scopes').select('scope').where('user_id', '=', id).execute()
  return rows.map(({ scope }) => scope).sort()
}

async function administrators(testPanel: TestPanel): Promise<number> {
  const rows = await testPanel.db.selectFrom('user_scopes').selectAll().where('scope', '=', 'servers.admin').execute()
  return rows.length
}

describe('the servers of a user', () => {
  test('are listed for administrators by name, paged, with permissions', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const [oak, ash] = [await testPanel.server({ name: 'oak' }), await testPanel.server({ name: 'Ash' })]
    await testPanel.server({ name: 'not-theirs' })
    const player = await testPanel.createUser({ on: { [oak]: ['viewServerConsole', 'startServer'], [ash]: [] } })

    const all = await testPanel.send(listUserServers, { ...on(player), query: {} }, admin)
    const second = await testPanel.send(listUserServers, { ...on(player), query: { page: 2, limit: 1 } }, admin)

    expect(all.answer.servers).toEqual([
      { id: ash, name: 'Ash', permissions: [] },
      { id: oak, name: 'oak', permissions: expect.arrayContaining(['viewServerConsole', 'startServer']) },
    ])
    expect(all.answer.paging.total).toBe(2)
    expect(second.answer.servers.map(({ name }) => name)).toEqual(['oak'])
  })

  test('are not visible to other users', async ({ testPanel }) => {
    const player = await testPanel.createUser({ on: { [await testPanel.server()]: ['viewServerConsole'] } })
    const viewer = await testPanel.createUser({ scopes: ['users.view', 'users.edit'] })

    expect((await testPanel.send(listUserServers, { ...on(player), query: {} }, viewer)).refusal).toBe(
      'ErrMissingScope',
    )
    const admin = await testPanel.admin()
    const missing = await testPanel.send(listUserServers, { params: { id: 999 }, query: {} }, admin)
    expect(missing.refusal).toBe('ErrUserNotFound')
  })
})

describe('the list', () => {
  test('can be limited to administrators', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.createUser({ scopes: ['users.view'] })

    const { answer } = await testPanel.send(listUsers, { query: { access: 'admin' } }, admin)

    expect([answer.users.map(({ id }) => id), answer.paging.total]).toEqual([[admin.id], 1])
  })

  test('returns the access level of each user', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const viewer = await testPanel.createUser({ scopes: ['nodes.view'] })
    const player = await testPanel.createUser({ on: { [await testPanel.server()]: ['viewServerConsole'] } })
    const otherUser = await testPanel.createUser({})

    const { users } = (await testPanel.send(listUsers, { query: { limit: 100 } }, admin)).answer

    const access = new Map(users.map((user) => [user.id, user.access]))
    expect([admin, viewer, player, otherUser].map(({ id }) => access.get(id))).toEqual([
      'admin',
      'some',
      'some',
      'none',
    ])
  })

  test('is paged and sorted by name, with the total', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (let at = 0; at < 11; at++) await testPanel.createUser()

    const first = await testPanel.send(listUsers, { query: {} }, admin)
    const second = await testPanel.send(listUsers, { query: { page: 2, limit: 10 } }, admin)

    expect(first.answer.users).toHaveLength(10)
    expect(first.answer.paging).toEqual({ page: 1, pageSize: 10, maxSize: 100, total: 12 })
    expect(second.answer.users).toHaveLength(2)
    expect(Object.keys(first.answer.users[0] ?? {}).sort()).toEqual(['access', 'email', 'id', 'username'])
  })

  test('is filtered by a part of the name, case-insensitive', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (const username of ['Mara', 'samara', 'ma_ra']) {
      const body = { username, email: `${username}@example.org`, password }
      await testPanel.send(createUser, { body }, admin)
    }
    const found = async (username: string) =>
      (await testPanel.send(listUsers, { query: { username } }, admin)).answer.users.map((user) => user.username)

    expect(await found('*MARA*')).toEqual(['Mara', 'samara'])
    expect(await found('mara')).toEqual(['Mara'])
    expect(await found('*_*')).toEqual(['ma_ra'])
    expect(await found('%')).toEqual([])
    expect(await found("' or 1=1 --")).toEqual([])
  })

  test('is filtered by a part of the address too, within an `access`', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (const [username, email] of [
      ['tam', 'Customer.7@shop.example'],
      ['rune', 'rune@example.org'],
    ] as const) {
      await testPanel.send(createUser, { body: { username, email, password } }, admin)
    }
    const found = async (username: string, access?: 'admin') => {
      const query = { username, ...(access && { access }) }
      return (await testPanel.send(listUsers, { query }, admin)).answer.users.map((user) => user.username)
    }

    expect(await found('*customer.7@*')).toEqual(['tam'])
    expect(await found('customer.7@shop.example')).toEqual(['tam'])
    expect(await found(`*${'x'.repeat(255)}*`)).toEqual([])
    expect(await found('*shop.example*', 'admin')).toEqual([])
    expect(await found('*example.org*')).toContain('rune')
  })

  test.for([
    ['page=0', 'ErrFieldTooSmall'],
    ['limit=101', 'ErrFieldTooLarge'],
    ['limit=x', 'ErrFieldTooSmall'],
  ])('?%s is rejected', async ([query, refusal], { testPanel }) => {
    expect((await testPanel.request('GET', `/api/users?${query}`, undefined, await testPanel.admin())).refusal).toBe(
      refusal,
    )
  })
})

describe('a user', () => {
  test('is created without permissions, and can log in', async ({ testPanel }) => {
    const editor = await testPanel.createUser({ scopes: ['users.edit'] })
    const body = { username: 'mara', email: 'mara@example.org', password }

    const { status, answer } = await testPanel.send(createUser, { body }, editor)

    expect([status, answer.username, answer.email]).toEqual([200, 'mara', 'mara@example.org'])
    const { email } = body
    expect((await testPanel.send(login, { body: { email, password } })).answer.scopes).toBeUndefined()
    const response = await testPanel.send(createUser, { body: { ...body, username: 'other' } }, editor)
    expect([response.status, response.refusal, response.metadata]).toEqual([
      409,
      'ErrDuplicateEmail',
      { field: 'email' },
    ])
  })

  test.for([{ admin: true }, { scopes: ['servers.admin'] }, { id: 1 }, { created_at: 0 }])(
    'is not created with additional %j',
    async (more, { testPanel }) => {
      const body = { username: 'mara', email: 'mara@example.org', password, ...more }

      const { status, refusal } = await testPanel.request('POST', '/api/users', body, await testPanel.admin())

      expect([status, refusal]).toEqual([400, 'ErrFieldInvalid'])
    },
  )

  test.for(['0', '999999', '-1', '1e0', 'constructor', '1%20', '1.0'])(
    '/api/users/%s is not found',
    async (id, { testPanel }) => {
      const admin = await testPanel.admin()

      for (const url of [`/api/users/${id}`, `/api/users/${id}/perms`]) {
        const { status, refusal } = await testPanel.request('GET', url, undefined, admin)
        expect([status, refusal]).toEqual([404, 'ErrUserNotFound'])
      }
      expect((await testPanel.request('DELETE', `/api/users/${id}`, undefined, admin)).refusal).toBe('ErrUserNotFound')
    },
  )

  test('gets another password from an administrator, which ends their sessions', async ({ testPanel }) => {
    const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
    expect((await testPanel.send(getSelf, {}, user)).status).toBe(200)

    const body = { username: 'renamed', email: 'renamed@example.org', password: 'a new password' }
    expect((await testPanel.send(editUser, { ...on(user), body }, admin)).status).toBe(204)

    expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
    const relogin = { email: 'renamed@example.org', password: 'a new password' }
    expect((await testPanel.send(login, { body: relogin })).status).toBe(200)
    expect((await testPanel.send(getUser, on(user), admin)).answer).toEqual({
      id: user.id,
      username: 'renamed',
      email: 'renamed@example.org',
      otpEnabled: false,
      emailConfirmed: true,
    })
  })

  test('keeps the password when the field is empty', async ({ testPanel }) => {
    const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]

    await testPanel.send(editUser, { ...on(user), body: { username: 'renamed', password: '' } }, admin)

    expect((await testPanel.send(login, { body: { email: user.email, password } })).status).toBe(200)
    expect((await testPanel.send(getSelf, {}, user)).answer.username).toBe('renamed')
  })

  test('a deleted user is logged out immediately, with clients and permissions', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const user = await testPanel.createUser({ on: { [id]: ['startServer'] } })
    const { client } = await testPanel.createClient(user)
    expect((await testPanel.send(getSelf, {}, client)).status).toBe(200)

    expect((await testPanel.send(deleteUser, on(user), admin)).status).toBe(204)

    expect((await testPanel.send(getSelf, {}, user)).status).toBe(401)
    expect((await testPanel.send(getSelf, {}, client)).status).toBe(401)
    for (const table of ['server_users', 'oauth2_clients', 'oauth2_tokens'] as const) {
      expect(await testPanel.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })
})

describe('permissions', () => {
  test('permissions in the API are flags: a missing one is not granted, and one that is not sent is revoked', async ({
    testPanel,
  }) => {
    const [admin, user] = [
      await testPanel.admin(),
      await testPanel.createUser({ scopes: ['nodes.view', 'users.view'] }),
    ]

    const before = await testPanel.send(getUserPermissions, on(user), admin)
    const body = { viewUsers: true, panelSettings: true, viewNodes: false, username: 'as it came', email: 'so too' }
    const put = await testPanel.send(putUserPermissions, { ...on(user), body }, admin)

    expect(before.answer).toEqual({ username: user.username, email: user.email, viewNodes: true, viewUsers: true })
    expect(put.status).toBe(204)
    expect(await scopesIn(testPanel, user)).toEqual(['panel.settings', 'users.view'])
    // Immediately, not after the next login.
    expect((await testPanel.request('GET', '/api/nodes', undefined, user)).refusal).toBe('ErrMissingScope')
    expect((await testPanel.request('GET', '/api/settings', undefined, user)).status).toBe(200)
  })

  test.for([{ admin: 'true' }, { admin: 1 }, { superuser: true }, { viewServerConsole: true }, ['admin'], 'admin'])(
    '%j are rejected',
    async (body, { testPanel }) => {
      const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]

      const { status } = await testPanel.request('PUT', `/api/users/${user.id}/perms`, body, admin)

      expect(status).toBe(400)
      expect(await scopesIn(testPanel, user)).toEqual([])
    },
  )

  test.for(Object.entries(scopeOfGlobalPermission))(
    '%s can only be granted by a user who has it',
    async ([permission, scope], { testPanel }) => {
      const [editor, user] = [await testPanel.createUser({ scopes: ['users.edit'] }), await testPanel.createUser()]

      const other = await testPanel.send(putUserPermissions, { ...on(user), body: { [permission]: true } }, editor)
      const ownAccount = await testPanel.send(
        putUserPermissions,
        { ...on(editor), body: { editUsers: true, [permission]: true } },
        editor,
      )

      const expected = scope === 'users.edit' ? undefined : 'ErrMissingScope'
      expect([other.refusal, ownAccount.refusal]).toEqual([expected, expected])
      if (expected) {
        expect(other.metadata).toEqual({ scope })
        expect([await scopesIn(testPanel, user), await scopesIn(testPanel, editor)]).toEqual([[], ['users.edit']])
      }
    },
  )

  test('only administrators can change an administrator', async ({ testPanel }) => {
    const [admin, editor] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['users.edit'] })]
    await testPanel.admin()
    const before = await testPanel.db.selectFrom('users').selectAll().orderBy('id').execute()

    const replies = [
      await testPanel.send(putUserPermissions, { ...on(admin), body: {} }, editor),
      await testPanel.send(editUser, { ...on(admin), body: { password: 'taken over' } }, editor),
      await testPanel.send(editUser, { ...on(admin), body: { email: 'mine@example.org' } }, editor),
      await testPanel.send(editUser, { ...on(admin), body: { username: 'fool' } }, editor),
      await testPanel.send(deleteUser, on(admin), editor),
    ]

    expect(replies.map(({ refusal }) => refusal)).toEqual(Array(5).fill('ErrMissingScope'))
    expect(await testPanel.db.selectFrom('users').selectAll().orderBy('id').execute()).toEqual(before)
    expect(await administrators(testPanel)).toBe(2)
  })

  test('a user with more permissions cannot be renamed, because servers are created for users by name', async ({
    testPanel,
  }) => {
    const editor = await testPanel.createUser({ scopes: ['users.edit'] })
    const above = await testPanel.createUser({ scopes: ['templates.edit'] })
    const equal = await testPanel.createUser()
    const rename = (who: TestUser) => testPanel.send(editUser, { ...on(who), body: { username: 'renamed' } }, editor)

    const refused = await rename(above)
    const ownAccount = await rename(editor)

    expect([refused.refusal, refused.metadata]).toEqual(['ErrMissingScope', { scope: 'templates.edit' }])
    expect(ownAccount.status).toBe(204)
    const other = await testPanel.send(editUser, { ...on(equal), body: { username: 'another' } }, editor)
    expect(other.status).toBe(204)
  })

  test('an account with more permissions on a server cannot be taken over', async ({ testPanel }) => {
    const id = await testPanel.server()
    const editor = await testPanel.createUser({ scopes: ['users.edit'], on: { [id]: ['startServer'] } })
    const [more, same] = [
      await testPanel.createUser({ on: { [id]: ['startServer', 'stopServer'] } }),
      await testPanel.createUser({ on: { [id]: ['startServer'] } }),
    ]
    const body = { password: 'known to the editor' }

    const refused = await testPanel.send(editUser, { ...on(more), body }, editor)
    const done = await testPanel.send(editUser, { ...on(same), body }, editor)

    expect([refused.refusal, refused.metadata]).toEqual(['ErrMissingScope', { scope: 'servers.stop' }])
    expect(done.status).toBe(204)
  })

  test("changing one's own account requires the current password, also for a client", async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.admin()
    const { client } = await testPanel.createClient(admin)

    for (const as of [admin, client]) {
      for (const body of [{ password: 'without asking' }, { email: 'new@example.org' }]) {
        expect((await testPanel.send(editUser, { ...on(admin), body }, as)).refusal).toBe('ErrOwnAccount')
      }
    }
    expect((await testPanel.send(deleteUser, on(admin), client)).refusal).toBe('ErrOwnAccount')
    expect((await testPanel.send(login, { body: { email: admin.email, password } })).status).toBe(200)
  })
})

describe('the last administrator', () => {
  test('cannot be deleted or demoted, by themselves or others', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const replies = [
      await testPanel.send(deleteUser, on(admin), admin),
      await testPanel.send(putUserPermissions, { ...on(admin), body: { editUsers: true } }, admin),
    ]

    expect(replies.map(({ status, refusal }) => [status, refusal])).toEqual(
      Array(2).fill([409, 'ErrLastAdministrator']),
    )
    expect(await administrators(testPanel)).toBe(1)
    expect((await testPanel.send(putUserPermissions, { ...on(admin), body: { admin: true } }, admin)).status).toBe(204)
  })

  test('remains when the last two demote or delete each other or themselves concurrently', async ({ testPanel }) => {
    const demote = (user: TestUser, as: TestUser) => testPanel.send(putUserPermissions, { ...on(user), body: {} }, as)
    const remove = (user: TestUser, as: TestUser) => testPanel.send(deleteUser, on(user), as)
    const first = await testPanel.admin()
    for (const attack of [
      (a: TestUser, b: TestUser) => [demote(b, a), demote(a, b)],
      (a: TestUser, b: TestUser) => [demote(a, a), demote(b, b)],
      (a: TestUser, b: TestUser) => [remove(b, a), remove(a, b)],
      (a: TestUser, b: TestUser) => [remove(a, a), demote(b, b), demote(a, b), remove(b, a)],
    ]) {
      const users = [await testPanel.admin(), await testPanel.admin()] as const
      await testPanel.db
        .deleteFrom('user_scopes')
        .where(
          'user_id',
          'not in',
          users.map(({ id }) => id),
        )
        .execute()

      await Promise.all(attack(...users))

      expect(await administrators(testPanel)).toBe(1)
    }
    expect(await scopesIn(testPanel, first)).toEqual([])
  })
})

test('a user whose permission to grant is revoked concurrently grants nothing', async ({ testPanel }) => {
  const [admin, editor] = [
    await testPanel.admin(),
    await testPanel.createUser({ scopes: ['users.edit', 'nodes.edit'] }),
  ]
  const users = await Promise.all(Array.from({ length: 10 }, () => testPanel.createUser()))

  const giving = users.map((user) =>
    testPanel.send(putUserPermissions, { ...on(user), body: { editNodes: true } }, editor),
  )
  const taking = testPanel.send(putUserPermissions, { ...on(editor), body: {} }, admin)
  await Promise.all([...giving, taking])
  const after = await testPanel.send(putUserPermissions, { ...on(admin), body: {} }, editor)

  expect(after.refusal).toBe('ErrMissingScope')
  const replies = await Promise.all(giving)
  for (const [at, { status }] of replies.entries()) {
    expect(await scopesIn(testPanel, users[at] as TestUser)).toEqual(status === 204 ? ['nodes.edit'] : [])
  }
})

test("the scopes of a login include all of an administrator's, and the server list", async ({ testPanel }) => {
  const [admin, guest] = [
    await testPanel.admin(),
    await testPanel.createUser({ on: { [await testPanel.server()]: [] } }),
  ]
  const scopesAt = async ({ email }: TestUser) =>
    (await testPanel.send(login, { body: { email, password } })).answer.scopes

  expect(await scopesAt(admin)).toEqual(panelScopes)
  expect(await scopesAt(guest)).toEqual(['servers.view'])
})
