import { login } from '@innkeeper/contract/auth'
import { getSelf } from '@innkeeper/contract/panel'
import { panelScopes, scopeOfGlobalPermission } from '@innkeeper/contract/permissions'
import {
  createUser,
  deleteUser,
  editUser,
  getUser,
  getUserPermissions,
  listUserServers,
  listUsers,
  putUserPermissions,
} from '@innkeeper/contract/users'
import { describe, expect } from 'vitest'
import { type House, type Person, password, test } from '../testing/house.ts'

const on = ({ id }: { readonly id: number }) => ({ params: { id } })

async function scopesIn(house: House, { id }: Person): Promise<string[]> {
  const rows = await house.db.selectFrom('user_scopes').select('scope').where('user_id', '=', id).execute()
  return rows.map(({ scope }) => scope).sort()
}

async function administrators(house: House): Promise<number> {
  const rows = await house.db.selectFrom('user_scopes').selectAll().where('scope', '=', 'servers.admin').execute()
  return rows.length
}

describe('the servers of a person', () => {
  test('are listed for administrators by name, in pages, with what they may do there', async ({ house }) => {
    const admin = await house.admin()
    const [oak, ash] = [await house.server({ name: 'oak' }), await house.server({ name: 'Ash' })]
    await house.server({ name: 'not-theirs' })
    const player = await house.person({ on: { [oak]: ['viewServerConsole', 'startServer'], [ash]: [] } })

    const all = await house.send(listUserServers, { ...on(player), query: {} }, admin)
    const second = await house.send(listUserServers, { ...on(player), query: { page: 2, limit: 1 } }, admin)

    expect(all.answer.servers).toEqual([
      { id: ash, name: 'Ash', permissions: [] },
      { id: oak, name: 'oak', permissions: expect.arrayContaining(['viewServerConsole', 'startServer']) },
    ])
    expect(all.answer.paging.total).toBe(2)
    expect(second.answer.servers.map(({ name }) => name)).toEqual(['oak'])
  })

  test('are nobody else’s business', async ({ house }) => {
    const player = await house.person({ on: { [await house.server()]: ['viewServerConsole'] } })
    const viewer = await house.person({ scopes: ['users.view', 'users.edit'] })

    expect((await house.send(listUserServers, { ...on(player), query: {} }, viewer)).refusal).toBe('ErrMissingScope')
    const admin = await house.admin()
    const nobody = await house.send(listUserServers, { params: { id: 999 }, query: {} }, admin)
    expect(nobody.refusal).toBe('ErrUserNotFound')
  })
})

describe('the list', () => {
  test('is limited to administrators on request', async ({ house }) => {
    const admin = await house.admin()
    await house.person({ scopes: ['users.view'] })

    const { answer } = await house.send(listUsers, { query: { access: 'admin' } }, admin)

    expect([answer.users.map(({ id }) => id), answer.paging.total]).toEqual([[admin.id], 1])
  })

  test('says who is an administrator, who may do something, and who nothing yet', async ({ house }) => {
    const admin = await house.admin()
    const viewer = await house.person({ scopes: ['nodes.view'] })
    const player = await house.person({ on: { [await house.server()]: ['viewServerConsole'] } })
    const stranger = await house.person({})

    const { users } = (await house.send(listUsers, { query: { limit: 100 } }, admin)).answer

    const access = new Map(users.map((user) => [user.id, user.access]))
    expect([admin, viewer, player, stranger].map(({ id }) => access.get(id))).toEqual(['admin', 'some', 'some', 'none'])
  })

  test('is in pages, by name, and says how many there are', async ({ house }) => {
    const admin = await house.admin()
    for (let at = 0; at < 11; at++) await house.person()

    const first = await house.send(listUsers, { query: {} }, admin)
    const second = await house.send(listUsers, { query: { page: 2, limit: 10 } }, admin)

    expect(first.answer.users).toHaveLength(10)
    expect(first.answer.paging).toEqual({ page: 1, pageSize: 10, maxSize: 100, total: 12 })
    expect(second.answer.users).toHaveLength(2)
    expect(Object.keys(first.answer.users[0] ?? {}).sort()).toEqual(['access', 'email', 'id', 'username'])
  })

  test('is searched by a part of the name, in letters of either case', async ({ house }) => {
    const admin = await house.admin()
    for (const username of ['Mara', 'samara', 'ma_ra']) {
      const body = { username, email: `${username}@example.org`, password }
      await house.send(createUser, { body }, admin)
    }
    const found = async (username: string) =>
      (await house.send(listUsers, { query: { username } }, admin)).answer.users.map((user) => user.username)

    expect(await found('*MARA*')).toEqual(['Mara', 'samara'])
    expect(await found('mara')).toEqual(['Mara'])
    expect(await found('*_*')).toEqual(['ma_ra'])
    expect(await found('%')).toEqual([])
    expect(await found("' or 1=1 --")).toEqual([])
  })

  test.for([
    ['page=0', 'ErrFieldTooSmall'],
    ['limit=101', 'ErrFieldTooLarge'],
    ['limit=x', 'ErrFieldTooSmall'],
  ])('?%s is refused', async ([query, refusal], { house }) => {
    expect((await house.ask('GET', `/api/users?${query}`, undefined, await house.admin())).refusal).toBe(refusal)
  })
})

describe('a person', () => {
  test('is added without rights, and logs in', async ({ house }) => {
    const editor = await house.person({ scopes: ['users.edit'] })
    const body = { username: 'mara', email: 'mara@example.org', password }

    const { status, answer } = await house.send(createUser, { body }, editor)

    expect([status, answer.username, answer.email]).toEqual([200, 'mara', 'mara@example.org'])
    const { email } = body
    expect((await house.send(login, { body: { email, password } })).answer.scopes).toBeUndefined()
    const taken = await house.send(createUser, { body: { ...body, username: 'other' } }, editor)
    expect([taken.status, taken.refusal, taken.metadata]).toEqual([409, 'ErrDuplicateEmail', { field: 'email' }])
  })

  test.for([{ admin: true }, { scopes: ['servers.admin'] }, { id: 1 }, { created_at: 0 }])(
    'is not added with %j beside it',
    async (more, { house }) => {
      const body = { username: 'mara', email: 'mara@example.org', password, ...more }

      const { status, refusal } = await house.ask('POST', '/api/users', body, await house.admin())

      expect([status, refusal]).toEqual([400, 'ErrFieldInvalid'])
    },
  )

  test.for(['0', '999999', '-1', '1e0', 'constructor', '1%20', '1.0'])(
    '/api/users/%s is not found',
    async (id, { house }) => {
      const admin = await house.admin()

      for (const url of [`/api/users/${id}`, `/api/users/${id}/perms`]) {
        const { status, refusal } = await house.ask('GET', url, undefined, admin)
        expect([status, refusal]).toEqual([404, 'ErrUserNotFound'])
      }
      expect((await house.ask('DELETE', `/api/users/${id}`, undefined, admin)).refusal).toBe('ErrUserNotFound')
    },
  )

  test('gets another password from an administrator, which ends their sessions', async ({ house }) => {
    const [admin, person] = [await house.admin(), await house.person()]
    expect((await house.send(getSelf, {}, person)).status).toBe(200)

    const body = { username: 'renamed', email: 'renamed@example.org', password: 'a new password' }
    expect((await house.send(editUser, { ...on(person), body }, admin)).status).toBe(204)

    expect((await house.send(getSelf, {}, person)).status).toBe(401)
    const relogin = { email: 'renamed@example.org', password: 'a new password' }
    expect((await house.send(login, { body: relogin })).status).toBe(200)
    expect((await house.send(getUser, on(person), admin)).answer).toEqual({
      id: person.id,
      username: 'renamed',
      email: 'renamed@example.org',
      otpEnabled: false,
      emailConfirmed: true,
    })
  })

  test('keeps the password when the field is empty', async ({ house }) => {
    const [admin, person] = [await house.admin(), await house.person()]

    await house.send(editUser, { ...on(person), body: { username: 'renamed', password: '' } }, admin)

    expect((await house.send(login, { body: { email: person.email, password } })).status).toBe(200)
    expect((await house.send(getSelf, {}, person)).answer.username).toBe('renamed')
  })

  test('who is deleted is out at once, with clients and rights', async ({ house }) => {
    const [admin, id] = [await house.admin(), await house.server()]
    const person = await house.person({ on: { [id]: ['startServer'] } })
    const { client } = await house.clientOf(person)
    expect((await house.send(getSelf, {}, client)).status).toBe(200)

    expect((await house.send(deleteUser, on(person), admin)).status).toBe(204)

    expect((await house.send(getSelf, {}, person)).status).toBe(401)
    expect((await house.send(getSelf, {}, client)).status).toBe(401)
    for (const table of ['server_users', 'oauth2_clients', 'oauth2_tokens'] as const) {
      expect(await house.db.selectFrom(table).selectAll().execute()).toEqual([])
    }
  })
})

describe('permissions', () => {
  test('are flags on the wire: what is not granted is absent, and what is not sent is taken away', async ({
    house,
  }) => {
    const [admin, person] = [await house.admin(), await house.person({ scopes: ['nodes.view', 'users.view'] })]

    const before = await house.send(getUserPermissions, on(person), admin)
    const body = { viewUsers: true, panelSettings: true, viewNodes: false, username: 'as it came', email: 'so too' }
    const put = await house.send(putUserPermissions, { ...on(person), body }, admin)

    expect(before.answer).toEqual({ username: person.username, email: person.email, viewNodes: true, viewUsers: true })
    expect(put.status).toBe(204)
    expect(await scopesIn(house, person)).toEqual(['panel.settings', 'users.view'])
    // At once, not after the next login.
    expect((await house.ask('GET', '/api/nodes', undefined, person)).refusal).toBe('ErrMissingScope')
    expect((await house.ask('GET', '/api/settings', undefined, person)).status).toBe(200)
  })

  test.for([{ admin: 'true' }, { admin: 1 }, { superuser: true }, { viewServerConsole: true }, ['admin'], 'admin'])(
    '%j are refused',
    async (body, { house }) => {
      const [admin, person] = [await house.admin(), await house.person()]

      const { status } = await house.ask('PUT', `/api/users/${person.id}/perms`, body, admin)

      expect(status).toBe(400)
      expect(await scopesIn(house, person)).toEqual([])
    },
  )

  test.for(Object.entries(scopeOfGlobalPermission))(
    'nobody gives %s who does not hold it',
    async ([flag, scope], { house }) => {
      const [editor, person] = [await house.person({ scopes: ['users.edit'] }), await house.person()]

      const other = await house.send(putUserPermissions, { ...on(person), body: { [flag]: true } }, editor)
      const own = await house.send(
        putUserPermissions,
        { ...on(editor), body: { editUsers: true, [flag]: true } },
        editor,
      )

      const expected = scope === 'users.edit' ? undefined : 'ErrMissingScope'
      expect([other.refusal, own.refusal]).toEqual([expected, expected])
      if (expected) {
        expect(other.metadata).toEqual({ scope })
        expect([await scopesIn(house, person), await scopesIn(house, editor)]).toEqual([[], ['users.edit']])
      }
    },
  )

  test('an administrator is touched by administrators only', async ({ house }) => {
    const [admin, editor] = [await house.admin(), await house.person({ scopes: ['users.edit'] })]
    await house.admin()
    const before = await house.db.selectFrom('users').selectAll().orderBy('id').execute()

    const replies = [
      await house.send(putUserPermissions, { ...on(admin), body: {} }, editor),
      await house.send(editUser, { ...on(admin), body: { password: 'taken over' } }, editor),
      await house.send(editUser, { ...on(admin), body: { email: 'mine@example.org' } }, editor),
      await house.send(editUser, { ...on(admin), body: { username: 'fool' } }, editor),
      await house.send(deleteUser, on(admin), editor),
    ]

    expect(replies.map(({ refusal }) => refusal)).toEqual(Array(5).fill('ErrMissingScope'))
    expect(await house.db.selectFrom('users').selectAll().orderBy('id').execute()).toEqual(before)
    expect(await administrators(house)).toBe(2)
  })

  test('nobody takes the name of somebody who may more than they: servers are given by name', async ({ house }) => {
    const editor = await house.person({ scopes: ['users.edit'] })
    const above = await house.person({ scopes: ['templates.edit'] })
    const equal = await house.person()
    const rename = (who: Person) => house.send(editUser, { ...on(who), body: { username: 'renamed' } }, editor)

    const refused = await rename(above)
    const own = await rename(editor)

    expect([refused.refusal, refused.metadata]).toEqual(['ErrMissingScope', { scope: 'templates.edit' }])
    expect(own.status).toBe(204)
    const other = await house.send(editUser, { ...on(equal), body: { username: 'another' } }, editor)
    expect(other.status).toBe(204)
  })

  test('nobody gets into an account that may more than they on some server', async ({ house }) => {
    const id = await house.server()
    const editor = await house.person({ scopes: ['users.edit'], on: { [id]: ['startServer'] } })
    const [more, same] = [
      await house.person({ on: { [id]: ['startServer', 'stopServer'] } }),
      await house.person({ on: { [id]: ['startServer'] } }),
    ]
    const body = { password: 'known to the editor' }

    const refused = await house.send(editUser, { ...on(more), body }, editor)
    const done = await house.send(editUser, { ...on(same), body }, editor)

    expect([refused.refusal, refused.metadata]).toEqual(['ErrMissingScope', { scope: 'servers.stop' }])
    expect(done.status).toBe(204)
  })

  test('one cannot go round the current password, nor can a client take over its owner', async ({ house }) => {
    const admin = await house.admin()
    await house.admin()
    const { client } = await house.clientOf(admin)

    for (const as of [admin, client]) {
      for (const body of [{ password: 'without asking' }, { email: 'new@example.org' }]) {
        expect((await house.send(editUser, { ...on(admin), body }, as)).refusal).toBe('ErrOwnAccount')
      }
    }
    expect((await house.send(deleteUser, on(admin), client)).refusal).toBe('ErrOwnAccount')
    expect((await house.send(login, { body: { email: admin.email, password } })).status).toBe(200)
  })
})

describe('the last administrator', () => {
  test('cannot be deleted or demoted, by themselves or anybody', async ({ house }) => {
    const admin = await house.admin()

    const replies = [
      await house.send(deleteUser, on(admin), admin),
      await house.send(putUserPermissions, { ...on(admin), body: { editUsers: true } }, admin),
    ]

    expect(replies.map(({ status, refusal }) => [status, refusal])).toEqual(
      Array(2).fill([409, 'ErrLastAdministrator']),
    )
    expect(await administrators(house)).toBe(1)
    expect((await house.send(putUserPermissions, { ...on(admin), body: { admin: true } }, admin)).status).toBe(204)
  })

  test('stays when the last two demote or delete each other or themselves at the same moment', async ({ house }) => {
    const demote = (whom: Person, as: Person) => house.send(putUserPermissions, { ...on(whom), body: {} }, as)
    const remove = (whom: Person, as: Person) => house.send(deleteUser, on(whom), as)
    const first = await house.admin()
    for (const attack of [
      (a: Person, b: Person) => [demote(b, a), demote(a, b)],
      (a: Person, b: Person) => [demote(a, a), demote(b, b)],
      (a: Person, b: Person) => [remove(b, a), remove(a, b)],
      (a: Person, b: Person) => [remove(a, a), demote(b, b), demote(a, b), remove(b, a)],
    ]) {
      const people = [await house.admin(), await house.admin()] as const
      await house.db
        .deleteFrom('user_scopes')
        .where(
          'user_id',
          'not in',
          people.map(({ id }) => id),
        )
        .execute()

      await Promise.all(attack(...people))

      expect(await administrators(house)).toBe(1)
    }
    expect(await scopesIn(house, first)).toEqual([])
  })
})

test('who loses the right to give at that moment gives nothing any more', async ({ house }) => {
  const [admin, editor] = [await house.admin(), await house.person({ scopes: ['users.edit', 'nodes.edit'] })]
  const people = await Promise.all(Array.from({ length: 10 }, () => house.person()))

  const giving = people.map((person) =>
    house.send(putUserPermissions, { ...on(person), body: { editNodes: true } }, editor),
  )
  const taking = house.send(putUserPermissions, { ...on(editor), body: {} }, admin)
  await Promise.all([...giving, taking])
  const after = await house.send(putUserPermissions, { ...on(admin), body: {} }, editor)

  expect(after.refusal).toBe('ErrMissingScope')
  const replies = await Promise.all(giving)
  for (const [at, { status }] of replies.entries()) {
    expect(await scopesIn(house, people[at] as Person)).toEqual(status === 204 ? ['nodes.edit'] : [])
  }
})

test('the scopes of a login name all that an administrator may, and the list of servers of who has one', async ({
  house,
}) => {
  const [admin, guest] = [await house.admin(), await house.person({ on: { [await house.server()]: [] } })]
  const scopesAt = async ({ email }: Person) => (await house.send(login, { body: { email, password } })).answer.scopes

  expect(await scopesAt(admin)).toEqual(panelScopes)
  expect(await scopesAt(guest)).toEqual(['servers.view'])
})
