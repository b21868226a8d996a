import { createServerClient, listServerClients } from '@innkeeper/contract/accounts/oauth2'
import { deleteServerUser, listServerUsers, putServerUser } from '@innkeeper/contract/accounts/server-users'
import { scopeOfPermission, serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { describe, expect } from 'vitest'
import { queueMail } from '../testing/mail-queue.ts'
import { type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

async function permissionsIn(testPanel: TestPanel, server: string, { id }: TestUser): Promise<string | undefined> {
  const row = await testPanel.db
    .selectFrom('server_users')
    .select('rights')
    .where('server_id', '=', server)
    .where('user_id', '=', id)
    .executeTakeFirst()
  return row?.rights
}

describe('the users of a server', () => {
  test('are listed by name with their permissions; the current user only on request', async ({ testPanel }) => {
    const id = await testPanel.server()
    const owner = await testPanel.createUser({ on: { [id]: serverPermissionNames } })
    const guest = await testPanel.createUser({ on: { [id]: ['startServer', 'viewServerConsole'] } })

    const others = await testPanel.send(listServerUsers, { params: { id }, query: {} }, owner)
    const all = await testPanel.send(listServerUsers, { params: { id }, query: { self: '' } }, owner)

    const { username, email } = guest
    const permissions = { viewServers: true, startServer: true, viewServerConsole: true }
    const version = expect.any(String)
    expect(others.answer).toEqual([{ username, email, serverIdentifier: id, ...permissions, version }])
    expect(all.answer.map((user) => user.username)).toEqual([owner.username, guest.username])
  })

  test('are added by address, case-insensitive, see the server immediately, and lose permissions that are not sent', async ({
    testPanel,
  }) => {
    const [id, admin, guest] = [await testPanel.server(), await testPanel.admin(), await testPanel.createUser()]
    const params = { id, email: guest.email.toUpperCase() }

    await testPanel.send(putServerUser, { params, body: { startServer: true, stopServer: true } }, admin)
    const response = await testPanel.send(getServer, { params: { id }, query: { perms: '' } }, guest)
    await testPanel.send(putServerUser, { params, body: { stopServer: true, startServer: false } }, admin)

    expect(response.answer.permissions).toMatchObject({ startServer: true, stopServer: true, viewServers: true })
    expect(await permissionsIn(testPanel, id, guest)).toBe('stopServer')
    expect((await testPanel.send(listServers, { query: {} }, guest)).answer.servers).toHaveLength(1)
  })

  test('are not changed with an outdated version', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    const guest = await testPanel.createUser({ on: { [id]: ['startServer'] } })
    const [read] = (await testPanel.send(listServerUsers, { params: { id }, query: {} }, admin)).answer
    const url = `/api/servers/${id}/user/${guest.email}`
    const headers = { 'if-match': `"${read?.version}"` }
    await testPanel.request('PUT', url, { startServer: true, stopServer: true }, admin, headers)

    const stale = await testPanel.request('PUT', url, { startServer: true, viewServerConsole: true }, admin, headers)

    expect([stale.status, stale.refusal]).toEqual([412, 'ErrStaleVersion'])
    expect(await permissionsIn(testPanel, id, guest)).toBe('startServer stopServer')
  })

  test('can see the server without any permission, until they are removed', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    const guest = await testPanel.createUser({ on: { [id]: ['startServer'] } })
    const params = { id, email: guest.email }

    await testPanel.send(putServerUser, { params, body: {} }, admin)
    expect((await testPanel.send(getServer, { params: { id }, query: {} }, guest)).status).toBe(200)
    expect((await testPanel.send(deleteServerUser, { params }, admin)).status).toBe(204)

    expect((await testPanel.send(getServer, { params: { id }, query: {} }, guest)).refusal).toBe('ErrServerNotFound')
    expect((await testPanel.send(deleteServerUser, { params }, admin)).refusal).toBe('ErrUserNotFound')
  })

  test('may remove themselves', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ on: { [id]: ['editServerUsers'] } })

    const { status } = await testPanel.send(deleteServerUser, { params: { id, email: user.email } }, user)

    expect(status).toBe(204)
    expect(await permissionsIn(testPanel, id, user)).toBeUndefined()
  })

  test('are removed together with their clients on the server', async ({ testPanel }) => {
    const [id, other, admin] = [await testPanel.server(), await testPanel.server(), await testPanel.admin()]
    const guest = await testPanel.createUser({ on: { [id]: [], [other]: [] } })
    for (const server of [id, other]) {
      await testPanel.send(createServerClient, { params: { id: server }, body: {} }, guest)
    }

    await testPanel.send(deleteServerUser, { params: { id, email: guest.email } }, admin)

    await testPanel.grant(guest.id, id, [])
    expect((await testPanel.send(listServerClients, { params: { id } }, guest)).answer).toEqual([])
    expect((await testPanel.send(listServerClients, { params: { id: other } }, guest)).answer).toHaveLength(1)
  })
})

describe('giving', () => {
  test.for(serverPermissionNames)('%s can be granted only by a user who has it', async (permission, { testPanel }) => {
    const id = await testPanel.server()
    const grantor = await testPanel.createUser({ on: { [id]: ['editServerUsers'] } })
    const guest = await testPanel.createUser()

    const other = await testPanel.send(
      putServerUser,
      { params: { id, email: guest.email }, body: { [permission]: true } },
      grantor,
    )
    const ownChange = await testPanel.send(
      putServerUser,
      { params: { id, email: grantor.email }, body: { editServerUsers: true, [permission]: true } },
      grantor,
    )

    if (permission === 'editServerUsers') expect([other.status, ownChange.status]).toEqual([204, 204])
    else {
      expect([other.refusal, ownChange.refusal]).toEqual(['ErrMissingScope', 'ErrMissingScope'])
      expect(other.metadata).toEqual({ scope: scopeOfPermission[permission] })
      expect(await permissionsIn(testPanel, id, guest)).toBeUndefined()
      expect(await permissionsIn(testPanel, id, grantor)).toBe('editServerUsers')
    }
  })

  test('users with more permissions can be neither changed nor removed', async ({ testPanel }) => {
    const id = await testPanel.server()
    const grantor = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer'] } })
    const above = await testPanel.createUser({ on: { [id]: ['stopServer', 'installServer'] } })
    const equal = await testPanel.createUser({ on: { [id]: ['startServer'] } })
    const admin = await testPanel.createUser({ scopes: ['servers.admin'], on: { [id]: [] } })

    for (const { email } of [above, admin]) {
      const params = { id, email }
      const changed = await testPanel.send(putServerUser, { params, body: { startServer: true } }, grantor)
      const removed = await testPanel.send(deleteServerUser, { params }, grantor)
      expect([changed.status, changed.refusal]).toEqual([403, 'ErrNoPermission'])
      expect([removed.status, removed.refusal]).toEqual([403, 'ErrNoPermission'])
    }

    expect(await permissionsIn(testPanel, id, above)).toBe('stopServer installServer')
    expect(await permissionsIn(testPanel, id, admin)).toBe('')
    const params = { id, email: equal.email }
    expect((await testPanel.send(putServerUser, { params, body: {} }, grantor)).status).toBe(204)
    expect((await testPanel.send(deleteServerUser, { params }, grantor)).status).toBe(204)
  })

  test('an administrator can change and remove any user', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    const owner = await testPanel.createUser({ on: { [id]: serverPermissionNames } })
    const params = { id, email: owner.email }

    expect((await testPanel.send(putServerUser, { params, body: { startServer: true } }, admin)).status).toBe(204)
    expect((await testPanel.send(deleteServerUser, { params }, admin)).status).toBe(204)
  })

  test('an invitation by a user with more permissions cannot be deleted', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    await queueMail(testPanel, admin)
    const grantor = await testPanel.createUser({ on: { [id]: ['editServerUsers'] } })
    const params = { id, email: 'ada@example.org' }
    await testPanel.send(putServerUser, { params, body: { startServer: true } }, admin)

    expect((await testPanel.send(putServerUser, { params, body: {} }, grantor)).refusal).toBe('ErrNoPermission')
    expect((await testPanel.send(deleteServerUser, { params }, grantor)).refusal).toBe('ErrNoPermission')
    expect((await testPanel.send(deleteServerUser, { params }, admin)).status).toBe(204)
  })

  test('the scope to delete servers does not allow granting that permission', async ({ testPanel }) => {
    const id = await testPanel.server()
    const grantor = await testPanel.createUser({ scopes: ['servers.view'], on: { [id]: ['editServerUsers'] } })
    const guest = await testPanel.createUser()

    const body = { deleteServer: true }
    const { refusal } = await testPanel.send(putServerUser, { params: { id, email: guest.email }, body }, grantor)

    expect(refusal).toBe('ErrMissingScope')
  })

  test('permissions on one server do not allow granting them on another', async ({ testPanel }) => {
    const [id, other] = [await testPanel.server(), await testPanel.server()]
    const owner = await testPanel.createUser({ on: { [id]: serverPermissionNames, [other]: ['startServer'] } })
    const guest = await testPanel.createUser()

    const { refusal } = await testPanel.send(
      putServerUser,
      { params: { id: other, email: guest.email }, body: { startServer: true } },
      owner,
    )

    expect(refusal).toBe('ErrMissingScope')
    expect(await permissionsIn(testPanel, other, guest)).toBeUndefined()
  })

  test.for([{ startServer: 'true' }, { admin: true }, { rights: 'startServer' }, { editUsers: true }, [], 'x'])(
    '%j is rejected',
    async (body, { testPanel }) => {
      const [id, admin, guest] = [await testPanel.server(), await testPanel.admin(), await testPanel.createUser()]

      const { status } = await testPanel.request('PUT', `/api/servers/${id}/user/${guest.email}`, body, admin)

      expect(status).toBe(400)
      expect(await permissionsIn(testPanel, id, guest)).toBeUndefined()
    },
  )

  test('a record may be sent back unchanged', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    const guest = await testPanel.createUser({ on: { [id]: ['startServer'] } })
    const [record = {}] = (await testPanel.send(listServerUsers, { params: { id }, query: {} }, admin)).answer

    const url = `/api/servers/${id}/user/${guest.email}`
    const { status } = await testPanel.request('PUT', url, { ...record, stopServer: true }, admin)

    expect(status).toBe(204)
    expect(await permissionsIn(testPanel, id, guest)).toBe('startServer stopServer')
  })

  test('an unknown address requires mail', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]

    const unknown = await testPanel.send(putServerUser, { params: { id, email: 'who@example.org' }, body: {} }, admin)
    const none = await testPanel.request('PUT', `/api/servers/${id}/user/nobody`, {}, admin)

    expect([unknown.status, unknown.refusal]).toEqual([400, 'ErrEmailNotConfigured'])
    expect([none.refusal, none.metadata]).toEqual(['ErrFieldNotEmail', { field: 'email' }])
    expect(await testPanel.db.selectFrom('users').selectAll().execute()).toHaveLength(1)
  })

  test('a change concurrent with a removal applies completely or not at all', async ({ testPanel }) => {
    const [id, admin] = [await testPanel.server(), await testPanel.admin()]
    const grantor = await testPanel.createUser({ on: { [id]: ['editServerUsers', 'startServer'] } })
    const guests = await Promise.all(Array.from({ length: 8 }, () => testPanel.createUser()))

    const giving = guests.map(({ email }) =>
      testPanel.send(putServerUser, { params: { id, email }, body: { startServer: true } }, grantor),
    )
    await testPanel.send(deleteServerUser, { params: { id, email: grantor.email } }, admin)
    const replies = await Promise.all(giving)

    for (const [at, { status }] of replies.entries()) {
      expect([204, 404]).toContain(status)
      const guest = guests[at] as TestUser
      expect(await permissionsIn(testPanel, id, guest)).toBe(status === 204 ? 'startServer' : undefined)
    }
  })
})
