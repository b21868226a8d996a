import { login } from '@innkeeper/contract/accounts/auth'
import { getPanelUrl, type RequestOf } from '@innkeeper/contract/api/endpoint'
import { serverPermissionNames } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { createNode, listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStats, getStatus } from '@innkeeper/contract/servers/node-servers'
import * as calls from '@innkeeper/contract/servers/servers'
import { getTemplate, listTemplates, putTemplate } from '@innkeeper/contract/templates/templates'
import { describe, expect, vi } from 'vitest'
import { maxTakenNames } from '../auth/taken-names.ts'
import { password, type TestPanel, type TestUser, test } from '../testing/test-panel.ts'

const definition = { type: 'test', run: { command: 'true' }, data: {} }

describe('creating', () => {
  test('a new server is on its node and in the list, with the address from its variables', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const data = { ip: { value: '10.0.0.1' }, port: { value: '27015', type: 'integer' } }
    const body = { ...definition, data, name: 'lobby', unknown: { kept: true } }

    const { status, answer } = await testPanel.send(createServer, { body }, admin)

    expect(status).toBe(200)
    expect(answer.id).toMatch(/^[0-9a-f]{8}$/)
    expect(testPanel.node.definitions.get(answer.id)).toMatchObject({ type: 'test', data, unknown: { kept: true } })
    const list = await testPanel.send(calls.listServers, { query: {} }, admin)
    expect(list.answer.servers).toMatchObject([{ id: answer.id, name: 'lobby', ip: '10.0.0.1', port: 27015 }])
  })

  test('the template of a server is stored, returned in lists, and counted for each template', async ({
    testPanel,
  }) => {
    const admin = await testPanel.admin()
    const templates = {
      chess: { ...definition, display: 'Chess' },
      go: { ...definition, type: 'go' },
      idle: definition,
    }
    for (const [name, body] of Object.entries(templates)) {
      await testPanel.send(putTemplate, { params: { name }, body }, admin)
    }
    const create = async (body: object) =>
      (await testPanel.send(createServer, { body: { ...definition, ...body } }, admin)).answer

    const named = await create({ name: 'named', template: 'go', run: { command: 'changed by an administrator' } })
    const compared = await create({ name: 'compared', display: 'Chess' })
    const unknown = await create({ name: 'unknown', type: 'other', template: 'gone' })
    const readTemplate = async (params: { id: string }) =>
      (await testPanel.send(calls.getServer, { params, query: {} }, admin)).answer.server.template
    const servers = async (as: TestUser) =>
      (await testPanel.send(listTemplates, {}, as)).answer.map((template) => [template.name, template.servers])
    const list = await testPanel.send(calls.listServers, { query: { template: 'go' } }, admin)

    expect(await readTemplate(named)).toEqual({ name: 'go' })
    expect(await readTemplate(compared)).toEqual({ name: 'chess', display: 'Chess' })
    expect(await readTemplate(unknown)).toBeUndefined()
    expect(await servers(admin)).toEqual(Object.entries({ chess: 1, go: 1, idle: 0 }))
    expect(await servers(await testPanel.createUser({ scopes: ['templates.view'] }))).toEqual(
      Object.entries({ chess: 0, go: 0, idle: 0 }),
    )
    expect(list.answer.servers.map(({ name }) => name)).toEqual(['named'])
  })

  test('a server without a name is named by its ID', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const { answer } = await testPanel.send(createServer, { body: definition }, admin)

    const { answer: got } = await testPanel.send(calls.getServer, { params: answer, query: {} }, admin)
    expect(got.server.name).toBe(answer.id)
    expect(got.server.ip).toBe('0.0.0.0')
    expect(got.permissions).toBeNull()
  })

  test('a server is installed and started at once when the request says so', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const urls: (string | undefined)[] = []
    testPanel.node.answer(panelEndpoints.createServer, (request, response) => {
      urls.push(request.url)
      response.writeHead(204).end()
    })

    const { answer } = await testPanel.send(createServer, { body: { ...definition, installAndStart: true } }, admin)
    await testPanel.send(createServer, { body: definition }, admin)

    expect(urls).toEqual([`/daemon/server/${answer.id}?start=true`, expect.not.stringContaining('?')])
  })

  test('users named at creation get all permissions on it', async ({ testPanel }) => {
    const [admin, friend] = [await testPanel.admin(), await testPanel.createUser()]

    const body = { ...definition, users: [friend.username.toUpperCase()] }
    const { answer } = await testPanel.send(createServer, { body }, admin)

    const query = { perms: '' }
    const { answer: got } = await testPanel.send(calls.getServer, { params: answer, query }, friend)
    for (const permission of serverPermissionNames) expect(got.permissions).toHaveProperty(permission, true)
    expect(got.permissions).toMatchObject({ email: friend.email, serverIdentifier: answer.id, deleteServers: true })
    expect(got.permissions).not.toHaveProperty('admin')
  })

  test.for([
    ['abc', 'ErrFieldNotBetween'],
    ['65536', 'ErrFieldNotBetween'],
    ['-1', 'ErrFieldNotBetween'],
    ['1e3', 'ErrFieldNotBetween'],
  ] as const)('port %s is rejected with %s and nothing is created', async ([value, code], { testPanel }) => {
    const admin = await testPanel.admin()

    const body = { ...definition, data: { port: { value } } }
    const { status, refusal } = await testPanel.send(createServer, { body }, admin)

    expect([status, refusal]).toEqual([400, code])
    expect(testPanel.node.definitions.size).toBe(0)
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.paging.total).toBe(0)
  })

  test('an error of the node is returned unchanged, and the row is rolled back', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    testPanel.node.refuse(panelEndpoints.createServer, new Refusal('ErrMissingBinary', { expected: 'java' }))

    const reply = await testPanel.send(createServer, { body: definition }, admin)

    expect([reply.status, reply.refusal, reply.metadata]).toEqual([400, 'ErrMissingBinary', { expected: 'java' }])
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.servers).toEqual([])
  })

  test('nothing is created when the node does not respond', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.node.stop()

    const { status, refusal } = await testPanel.send(createServer, { body: definition }, admin)

    expect([status, refusal]).toEqual([502, 'ErrServiceNotAvailable'])
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.servers).toEqual([])
  })

  test.for([
    [{ node: 7 }, 'ErrNodeInvalid'],
    [{ users: ['nobody'] }, 'ErrUserNotFound'],
    [{ name: '../x' }, 'ErrFieldHasURICharacters'],
    [{ name: 'x'.repeat(101) }, 'ErrFieldTooLarge'],
    [{ type: '' }, 'ErrFieldRequired'],
    [{ type: 5 }, 'ErrFieldInvalid'],
  ] as const)('%j is rejected with %s', async ([wrong, code], { testPanel }) => {
    const admin = await testPanel.admin()

    const { refusal } = await testPanel.request('POST', '/api/servers', { ...definition, ...wrong }, admin)

    expect(refusal).toBe(code)
    expect(testPanel.node.definitions.size).toBe(0)
  })

  test('the error for an unknown user has the name', async ({ testPanel }) => {
    const body = { ...definition, users: ['nobody'] }

    const reply = await testPanel.send(createServer, { body }, await testPanel.admin())

    expect([reply.refusal, reply.metadata]).toEqual(['ErrUserNotFound', { username: 'nobody' }])
  })

  test('fields that only the panel sets are ignored in the definition', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const body = { ...definition, id: 'ffffffff', ip: '6.6.6.6', created_at: 1, rights: 'all' }
    const { answer } = await testPanel.send(createServer, { body }, admin)

    expect(answer.id).not.toBe('ffffffff')
    const { answer: got } = await testPanel.send(calls.getServer, { params: answer, query: {} }, admin)
    expect(got.server.ip).toBe('0.0.0.0')
    expect(testPanel.node.definitions.has('ffffffff')).toBe(false)
  })
})

describe('names', () => {
  test('a server cannot have a taken name, neither new nor renamed', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await testPanel.server({ name: 'lobby' })
    const other = await testPanel.server({ name: 'arena' })

    const created = await testPanel.send(createServer, { body: { ...definition, name: 'lobby' } }, admin)
    const renamed = await testPanel.send(calls.renameServer, { params: { id: other, name: 'lobby' } }, admin)

    expect([created.status, created.refusal]).toEqual([409, 'ErrDuplicateServerName'])
    expect([renamed.status, renamed.refusal]).toEqual([409, 'ErrDuplicateServerName'])
    expect(testPanel.node.definitions.size).toBe(2)
  })

  test('a server can have a name in any script, which no other has in another case or form', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const create = (name: string) => testPanel.send(createServer, { body: { ...definition, name } }, admin)
    const { answer } = await create('Été à Zürich')
    const other = await testPanel.server()
    const rename = (id: string, name: string) => testPanel.send(calls.renameServer, { params: { id, name } }, admin)

    expect((await create('ÉTÉ À ZÜRICH')).refusal).toBe('ErrDuplicateServerName')
    expect((await rename(other, 'E\u0301te\u0301 a\u0300 Zu\u0308rich')).refusal).toBe('ErrDuplicateServerName')
    expect((await rename(answer.id, 'ÉTÉ à Zürich (#1)')).status).toBe(204)
    expect((await rename(other, 'サバイバル')).status).toBe(204)
    expect((await rename(other, 'a\u202eb')).refusal).toBe('ErrFieldMustBePrintable')
    const { answer: listed } = await testPanel.send(calls.listServers, { query: {} }, admin)
    expect(listed.servers.map(({ name }) => name)).toEqual(['ÉTÉ à Zürich (#1)', 'サバイバル'])
  })

  test('attempts to find names of invisible servers are rate-limited', async ({ testPanel }) => {
    await testPanel.server({ name: 'hidden' })
    const id = await testPanel.server({ name: 'own' })
    const on = { [id]: ['editServerData'] } as const
    const [user, other, admin] = [
      await testPanel.createUser({ on }),
      await testPanel.createUser({ on }),
      await testPanel.admin(),
    ]
    const rename = (name: string, as: TestUser) => testPanel.send(calls.renameServer, { params: { id, name } }, as)

    for (let at = 0; at < maxTakenNames; at++) {
      expect((await rename(`own ${at}`, user)).status).toBe(204)
      expect((await rename('hidden', user)).refusal).toBe('ErrDuplicateServerName')
    }

    const [takenName, free] = [await rename('hidden', user), await rename('free', user)]
    expect([takenName, free].map(({ status, refusal }) => [status, refusal])).toEqual(
      Array(2).fill([429, 'ErrTooManyRequests']),
    )
    expect((await rename('hidden', other)).refusal).toBe('ErrDuplicateServerName')
    for (let at = 0; at < maxTakenNames + 1; at++)
      expect((await rename('hidden', admin)).refusal).toBe('ErrDuplicateServerName')
    expect((await rename('free', admin)).status).toBe(204)
  })

  test('a user with editServerData can rename a server', async ({ testPanel }) => {
    const id = await testPanel.server({ name: 'old' })
    const user = await testPanel.createUser({ on: { [id]: ['editServerData'] } })

    const { status } = await testPanel.send(calls.renameServer, { params: { id, name: 'new name' } }, user)

    expect(status).toBe(204)
    const { answer } = await testPanel.send(calls.getServer, { params: { id }, query: {} }, user)
    expect(answer.server.name).toBe('new name')
  })
})

describe('deleting', () => {
  test('deleting removes it from the node first, then from the list', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    const { status } = await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, admin)

    expect(status).toBe(204)
    expect(testPanel.node.definitions.has(id)).toBe(false)
    expect((await testPanel.send(calls.getServer, { params: { id }, query: {} }, admin)).status).toBe(404)
  })

  test('a server that its node does not have can be deleted', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    testPanel.node.definitions.delete(id)

    expect((await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, admin)).status).toBe(204)
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.paging.total).toBe(0)
  })

  test('a server whose node does not respond is not deleted', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    await testPanel.node.stop()

    const { refusal } = await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, admin)

    expect(refusal).toBe('ErrServiceNotAvailable')
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.paging.total).toBe(1)
  })

  test('with force, a server whose node does not answer is deleted', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    await testPanel.node.stop()

    const { status } = await testPanel.send(calls.deleteServer, { params: { id }, query: { force: '' } }, admin)

    expect(status).toBe(204)
    expect((await testPanel.send(calls.listServers, { query: {} }, admin)).answer.paging.total).toBe(0)
  })

  test('force is rejected for users who may delete only this server', async ({ testPanel }) => {
    const [user, id] = [await testPanel.createUser(), await testPanel.server()]
    await testPanel.grant(user.id, id, ['deleteServer'])
    await testPanel.node.stop()

    const forced = await testPanel.send(calls.deleteServer, { params: { id }, query: { force: 'true' } }, user)

    expect([forced.refusal, forced.metadata]).toEqual(['ErrMissingScope', { scope: 'servers.delete' }])
    expect((await testPanel.send(calls.getServer, { params: { id }, query: {} }, user)).status).toBe(200)
  })
})

describe('the list', () => {
  test.for([
    ['', 200, undefined],
    ['page=1&limit=1', 200, undefined],
    ['page=0', 400, 'ErrFieldTooSmall'],
    ['page=-1', 400, 'ErrFieldTooSmall'],
    ['page=abc', 400, 'ErrFieldTooSmall'],
    ['page=1.5', 400, 'ErrFieldTooSmall'],
    ['page=', 400, 'ErrFieldTooSmall'],
    ['page=1e400', 400, 'ErrFieldTooSmall'],
    ['page=99999999999999999999', 400, 'ErrFieldTooLarge'],
    ['page=9007199254740991', 200, undefined],
    ['limit=0', 400, 'ErrFieldTooSmall'],
    ['limit=101', 400, 'ErrFieldTooLarge'],
    ['limit=100', 200, undefined],
    ['page=1&page=2', 400, 'ErrFieldInvalid'],
    ['node=x', 400, 'ErrFieldInvalid'],
  ] as const)('?%s returns %i %s', async ([query, status, code], { testPanel }) => {
    const admin = await testPanel.admin()

    const reply = await testPanel.request('GET', `/api/servers?${query}`, undefined, admin)

    expect([reply.status, reply.refusal]).toEqual([status, code])
  })

  test('pages are sorted by name, case-insensitive, with the total', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (const name of ['b', 'C', 'a', 'D']) await testPanel.server({ name })

    const { answer } = await testPanel.send(calls.listServers, { query: { page: 2, limit: 3 } }, admin)

    expect(answer.servers.map(({ name }) => name)).toEqual(['D'])
    expect(answer.paging).toEqual({ page: 2, pageSize: 3, maxSize: 100, total: 4 })
  })

  test('the list is sorted by the requested column, over all pages', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    for (const [name, ip] of [
      ['a', '10.0.0.10'],
      ['b', '10.0.0.9'],
      ['c', '10.0.0.1'],
    ] as const) {
      const data = { ip: { value: ip }, port: { value: '1', type: 'integer' } }
      await testPanel.send(createServer, { body: { ...definition, data, name } }, admin)
    }
    const names = async (query: object) =>
      (await testPanel.send(calls.listServers, { query }, admin)).answer.servers.map(({ name }) => name)

    expect(await names({ sort: 'address' })).toEqual(['c', 'b', 'a'])
    expect(await names({ sort: 'address', order: 'desc', limit: 2, page: 2 })).toEqual(['c'])
    expect(await names({ sort: 'name', order: 'desc' })).toEqual(['c', 'b', 'a'])
    expect(await names({ sort: 'status' })).toEqual(['a', 'b', 'c'])
    expect((await testPanel.request('GET', '/api/servers?sort=secret', undefined, admin)).refusal).toBe(
      'ErrFieldInvalid',
    )
  })

  /** Six servers: two crashed, one offline, one busy, one online and one unknown. */
  async function serversInEveryGroup(testPanel: TestPanel): Promise<void> {
    const since = '2026-01-01T00:00:00.000Z'
    const offline = { running: false, installing: false, state: 'offline', since } as const
    const crashed = { ...offline, lastExit: { at: since, reason: 'crashed', code: 1, signal: null } } as const
    for (const [name, status] of [
      ['a', { ...offline, running: true, state: 'online' }],
      ['b', crashed],
      ['c', offline],
      ['d', crashed],
      ['e', { ...offline, state: 'waiting' }],
    ] as const) {
      testPanel.node.statuses.set(await testPanel.server({ name }), status)
    }
    testPanel.node.definitions.delete(await testPanel.server({ name: 'f' }))
  }

  test('the list is filtered by status over all pages, in the order of the list', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await serversInEveryGroup(testPanel)
    const found = async (query: object) => {
      const { answer } = await testPanel.send(calls.listServers, { query: { limit: 1, ...query } }, admin)
      return [answer.servers.map(({ name }) => name), answer.paging.total]
    }

    expect(await found({ status: 'crashed' })).toEqual([['b'], 2])
    expect(await found({ status: 'crashed', page: 2 })).toEqual([['d'], 2])
    expect(await found({ status: 'crashed', order: 'desc' })).toEqual([['d'], 2])
    expect(await found({ status: 'crashed', sort: 'status', name: 'd' })).toEqual([['d'], 1])
    expect(await found({ status: 'busy' })).toEqual([['e'], 1])
    expect(await found({ status: 'unknown' })).toEqual([['f'], 1])
    expect((await testPanel.request('GET', '/api/servers?status=secret', undefined, admin)).refusal).toBe(
      'ErrFieldInvalid',
    )
  })

  test('counts are the number of servers in each group, on every page', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await serversInEveryGroup(testPanel)
    const ask = async (query: object) => (await testPanel.send(calls.listServers, { query }, admin)).answer

    const plain = await ask({})
    const all = await ask({ counts: 'true', limit: 1 })
    const offline = await ask({ counts: 'true', status: 'offline' })
    const named = await ask({ counts: 'true', name: 'd' })

    expect([plain.counts, plain.nodes]).toEqual([undefined, undefined])
    expect(all.servers.map(({ name }) => name)).toEqual(['a'])
    expect(all.counts).toEqual({
      online: 1,
      notResponding: 0,
      busy: 1,
      offline: 1,
      crashed: 2,
      suspended: 0,
      unknown: 1,
    })
    expect([offline.paging.total, offline.counts]).toEqual([1, all.counts])
    expect(named.counts).toEqual({
      online: 0,
      notResponding: 0,
      busy: 0,
      offline: 0,
      crashed: 1,
      suspended: 0,
      unknown: 0,
    })
  })

  test('counts and nodes include only servers that the user sees', async ({ testPanel }) => {
    const [admin, ownServer, other] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
    const address = { publicHost: 'far.example', publicPort: 8080, privateHost: 'far.example', privatePort: 8080 }
    const body = { name: 'far', sftpPort: 5657, ...address }
    const { answer: node } = await testPanel.send(createNode, { body }, admin)
    await testPanel.db.updateTable('servers').set({ node_id: node.id }).where('id', '=', other).execute()
    const user = await testPanel.createUser({ on: { [ownServer]: [] } })
    const ask = async (as: TestUser) =>
      (await testPanel.send(calls.listServers, { query: { counts: 'true', node: 0 } }, as)).answer

    const [ownList, every] = [await ask(user), await ask(admin)]

    expect(ownList.counts).toMatchObject({ online: 1, unknown: 0 })
    expect(ownList.nodes?.map(({ id }) => id)).toEqual([0])
    expect(every.counts).toMatchObject({ online: 1, unknown: 0 })
    expect(every.nodes).toEqual([ownList.nodes?.[0], { id: node.id, name: 'far' }])
  })

  test.for([
    ['lob*', ['Lobby']],
    ['*b*', ['Lobby', 'b_1']],
    ['b_1', ['b_1']],
    ['b%', []],
    ['', ['Lobby', 'b_1', 'bx1']],
  ] as const)('the filter %s finds %j', async ([name, found], { testPanel }) => {
    const admin = await testPanel.admin()
    for (const name of ['Lobby', 'b_1', 'bx1']) await testPanel.server({ name })

    const { answer } = await testPanel.send(calls.listServers, { query: { name } }, admin)

    const expected = name === '*b*' ? ['Lobby', 'b_1', 'bx1'] : found
    expect(answer.servers.map((server) => server.name).sort()).toEqual([...expected].sort())
  })

  test('users see only servers on which they have permissions', async ({ testPanel }) => {
    const [ownServer, other] = [await testPanel.server(), await testPanel.server()]
    const user = await testPanel.createUser({ scopes: ['servers.create', 'users.view'], on: { [ownServer]: [] } })

    const { answer } = await testPanel.send(calls.listServers, { query: {} }, user)
    const hidden = await testPanel.send(calls.getServer, { params: { id: other }, query: {} }, user)
    const absent = await testPanel.send(calls.getServer, { params: { id: '00000000' }, query: {} }, user)

    expect(answer.servers.map(({ id }) => id)).toEqual([ownServer])
    expect(answer.paging.total).toBe(1)
    expect([hidden.status, hidden.answer]).toEqual([404, absent.answer])
  })

  test('users get no private data of the node', async ({ testPanel }) => {
    const [admin] = [await testPanel.admin(), await testPanel.server()]

    const { answer } = await testPanel.send(calls.listServers, { query: {} }, admin)

    expect(Object.keys(answer.servers[0]?.node ?? {}).sort()).toEqual(
      ['id', 'name', 'publicHost', 'publicPort', 'sftpPort', 'isLocal'].sort(),
    )
  })
})

describe('permissions', () => {
  test('an administrator has all permissions on every server', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    const { answer } = await testPanel.send(calls.getServer, { params: { id }, query: { perms: 'x' } }, admin)

    for (const permission of serverPermissionNames) expect(answer.permissions).toHaveProperty(permission, true)
    expect(answer.permissions).toMatchObject({ admin: true, viewServers: true, deleteServers: true })
  })

  test('a missing permission on a visible server is named', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })

    const { status, refusal, metadata } = await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, user)

    expect([status, refusal, metadata]).toEqual([403, 'ErrMissingScope', { scope: 'servers.delete' }])
    expect(testPanel.node.definitions.has(id)).toBe(true)
  })

  test('the scope to view all servers lists them, and opens no console and no files', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ scopes: ['servers.view'] })
    const params = { id }

    const listed = await testPanel.send(calls.listServers, { query: {} }, user)
    const page = await testPanel.send(calls.getServer, { params, query: { perms: '' } }, user)
    const status = await testPanel.request('GET', `/proxy/daemon/server/${id}/status`, undefined, user)
    const console = await testPanel.request('GET', `/proxy/daemon/server/${id}/console`, undefined, user)
    const files = await testPanel.request('GET', `/proxy/daemon/server/${id}/file/`, undefined, user)

    expect(listed.answer.servers.map((server) => server.id)).toEqual([id])
    expect(page.answer.permissions).toMatchObject({ viewServers: true, viewServerStats: true })
    expect(page.answer.permissions?.viewServerConsole ?? false).toBe(false)
    expect([status.status, console.refusal, files.refusal]).toEqual([200, 'ErrMissingScope', 'ErrMissingScope'])
    expect((await testPanel.send(calls.deleteServer, { params, query: {} }, user)).refusal).toBe('ErrMissingScope')
  })

  test('the scope to delete servers is enough to delete any', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ scopes: ['servers.delete'] })

    expect((await testPanel.send(calls.deleteServer, { params: { id }, query: {} }, user)).status).toBe(204)
  })

  test('the scope to edit server settings is enough to rename any, and opens no console', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ scopes: ['servers.edit.admin'] })

    expect((await testPanel.send(calls.renameServer, { params: { id, name: 'lobby' } }, user)).status).toBe(204)
    const console = await testPanel.request('GET', `/proxy/daemon/server/${id}/console`, undefined, user)
    expect(console.refusal).toBe('ErrMissingScope')
  })

  test('the scope to create servers is enough to create one: templates and nodes can be read', async ({
    testPanel,
  }) => {
    await testPanel.send(putTemplate, { params: { name: 'chess' }, body: definition }, await testPanel.admin())
    const { email } = await testPanel.createUser({ scopes: ['servers.create'] })
    const { answer: session } = await testPanel.send(login, { body: { email, password } })
    const user = { id: 0, username: '', email, token: session.session ?? '' }

    expect(session.scopes).toEqual(['servers.view', 'servers.create'])
    expect((await testPanel.send(listTemplates, {}, user)).answer.map(({ name }) => name)).toEqual(['chess'])
    expect((await testPanel.send(getTemplate, { params: { name: 'chess' } }, user)).status).toBe(200)
    expect((await testPanel.send(listNodeChoices, {}, user)).status).toBe(200)
    const { answer } = await testPanel.send(createServer, { body: definition }, user)
    expect((await testPanel.send(calls.listServers, { query: {} }, user)).answer.servers).toMatchObject([
      { id: answer.id },
    ])
  })
})

describe('status and statistics of one server', () => {
  test('come from the node, under both addresses', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const { status, stats } = testPanel.node

    const paths = ['/daemon', '/proxy/daemon'].flatMap((prefix) => [
      `${prefix}/server/${id}/status`,
      `${prefix}/server/${id}/stats`,
    ])
    const replies = await Promise.all(paths.map((path) => testPanel.request('GET', path, undefined, admin)))

    expect(replies.map(({ answer }) => answer)).toEqual([status, stats, status, stats])
  })

  test('need the permission for each', async ({ testPanel }) => {
    const [seen, hidden] = [await testPanel.server(), await testPanel.server()]
    const user = await testPanel.createUser({ on: { [seen]: [] } })

    const results = await Promise.all(
      (
        [
          [getStatus, seen],
          [getStats, seen],
          [getStatus, hidden],
        ] as const
      ).map(([call, id]) => testPanel.send(call, { params: { id } }, user)),
    )

    expect(results.map(({ refusal }) => refusal)).toEqual([undefined, 'ErrMissingScope', 'ErrServerNotFound'])
  })

  test('of a server that is offline or unknown to its node are refused by the node', async ({ testPanel }) => {
    const [admin, id, unknown] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
    testPanel.node.statuses.set(id, { ...testPanel.node.status, running: false, state: 'offline' })
    testPanel.node.refuse(getStats, new Refusal('ErrServerOffline'))
    testPanel.node.definitions.delete(unknown)

    const stats = await testPanel.send(getStats, { params: { id } }, admin)
    const status = await testPanel.send(getStatus, { params: { id: unknown } }, admin)

    expect([stats.refusal, status.refusal]).toEqual(['ErrServerOffline', 'ErrServerNotFound'])
  })
})

describe('usage', () => {
  test('one request returns status and statistics of many servers, according to the permissions on each', async ({
    testPanel,
  }) => {
    const [full, some, hidden] = [await testPanel.server(), await testPanel.server(), await testPanel.server()]
    const user = await testPanel.createUser({ on: { [full]: ['viewServerStats'], [some]: ['viewServerPlayers'] } })
    testPanel.node.players = { online: 3, max: 20, bots: 1 }

    const ids = [full, some, hidden, 'nonsense', full].join(',')
    const { answer } = await testPanel.send(calls.getUsage, { query: { ids } }, user)

    const { status, stats, players } = testPanel.node
    expect(answer.toSorted((a) => (a.id === full ? -1 : 1))).toEqual([
      { id: full, status, stats },
      { id: some, status, players },
    ])
    expect(testPanel.node.received.filter(({ url }) => url.startsWith('/daemon/usage'))).toHaveLength(1)
  })

  test('lists have the states that a node sends, before those of its last report', async ({ testPanel }) => {
    const [admin, running, stopped] = [await testPanel.admin(), await testPanel.server(), await testPanel.server()]
    const user = await testPanel.createUser({ on: { [running]: [] } })
    const { node, db } = testPanel
    node.statuses.set(stopped, { ...node.status, running: false, state: 'offline' })
    node.sendsStates = true
    await testPanel.hasReported(0)
    const reported = { id: stopped, status: { ...node.status, state: 'installing' }, stats: { cpu: 99, memory: 1 } }
    await db
      .updateTable('node_reports')
      .set({ seen_at: Date.now(), servers: JSON.stringify([reported]) })
      .execute()
    const usage = async (as: TestUser) => {
      const ids = [running, stopped].join()
      const { answer } = await testPanel.send(calls.getUsage, { query: { ids } }, as)
      return new Map(answer.map(({ id, ...rest }) => [id, rest]))
    }
    const list = async (query: RequestOf<typeof calls.listServers>['query']) =>
      (await testPanel.send(calls.listServers, { query }, admin)).answer

    expect((await usage(admin)).get(stopped)).toMatchObject({ status: { state: 'installing' }, stats: { cpu: 99 } })
    await vi.waitUntil(async () => (await usage(admin)).get(stopped)?.status?.state === 'offline')

    expect((await usage(admin)).get(running)).toEqual({ status: node.status, stats: node.stats })
    expect((await usage(user)).get(running)).toEqual({ status: node.status })
    expect((await list({ counts: 'true' })).counts).toMatchObject({ online: 1, offline: 1, busy: 0, unknown: 0 })
    expect((await list({ status: 'online' })).servers.map(({ id }) => id)).toEqual([running])
    expect((await list({ sort: 'cpu' })).servers.map(({ id }) => id)).toEqual([running, stopped])
    // The connection is lost, and nothing is reported about one of the servers.
    node.sendsStates = false
    for (const socket of node.states) socket.terminate()
    node.refuse(panelEndpoints.getUsage, new Refusal('ErrServiceNotAvailable'))
    await vi.waitUntil(async () => (await usage(admin)).get(stopped)?.status?.state === 'installing')
    expect((await usage(admin)).get(running)).toEqual({})
  })

  test('servers of a node that does not respond have no status', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    await testPanel.node.stop()

    const { answer } = await testPanel.send(calls.getUsage, { query: { ids: id } }, admin)

    expect(answer).toEqual([{ id }])
  })

  test('more than a hundred are rejected', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const ids = Array.from({ length: 111 }, (_, at) => at.toString(16).padStart(8, '0')).join(',')

    const { refusal } = await testPanel.request('GET', `${getPanelUrl(calls.getUsage)}?ids=${ids}`, undefined, admin)

    expect(refusal).toBe('ErrFieldTooLarge')
  })
})
