import { once } from 'node:events'
import { putSelf } from '@innkeeper/contract/accounts/account'
import { login, reauth } from '@innkeeper/contract/accounts/auth'
import { createUser, deleteUser, editUser, putUserPermissions } from '@innkeeper/contract/accounts/users'
import { listActivity, listServerActivity } from '@innkeeper/contract/activity/activity'
import { getData, putData } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { killServer, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { banPlayer, broadcastMessage, kickPlayer } from '@innkeeper/contract/servers/player-actions'
import { renameServer } from '@innkeeper/contract/servers/servers'
import { createTask, deleteTask, listTasks, putTask, runTask } from '@innkeeper/contract/servers/tasks'
import { postSettings, putSetting } from '@innkeeper/contract/settings/settings'
import { limits } from '@innkeeper/contract/text/limits'
import pino from 'pino'
import { describe, expect, vi } from 'vitest'
import WebSocket from 'ws'
import { maxLoginAttempts, maxLoginAttemptsPerAddress } from '../security/rate-limiter.ts'
import { TestPanel, type TestUser, test } from '../testing/test-panel.ts'
import { activityLog, purgeBatchSize } from './activity.ts'
import { auditRecorder, maxCommandsPerMinute, maxRejectionsPerMinute } from './audit-recorder.ts'
import { AuditRateLimit } from './rate-limit.ts'

const password = 'correct horse battery'

/** Recorded entries, oldest first, without times and IDs. */
async function entriesFor(testPanel: TestPanel, admin: TestUser, query: Record<string, string> = {}) {
  const { answer } = await testPanel.send(listActivity, { query: { limit: 100, ...query } }, admin)
  return answer.activity.toReversed().map(({ id: _, at: __, ...entry }) => entry)
}

test('an entry has user, action, subject, address and result', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const id = await testPanel.server()
  const who = { id: admin.id, username: admin.username }

  await testPanel.send(renameServer, { params: { id, name: 'lobby' } }, admin)
  const { answer } = await testPanel.send(
    createUser,
    { body: { username: 'newcomer', email: 'newcomer@example.org', password } },
    admin,
  )
  await testPanel.send(deleteUser, { params: { id: answer.id } }, admin)

  const common = { user: who, from: '127.0.0.1', result: 'done' }
  expect(await entriesFor(testPanel, admin)).toEqual([
    { ...common, action: 'server.rename', server: id, target: 'lobby' },
    { ...common, action: 'user.create', target: 'newcomer@example.org' },
    { ...common, action: 'user.delete', target: `newcomer #${answer.id}` },
  ])
})

test('entries name settings, and users by name and ID', async ({ testPanel }) => {
  const [admin, user] = [await testPanel.admin(), await testPanel.createUser()]
  const body = { 'panel.settings.companyName': 'Our inn', 'panel.registrationEnabled': false }

  await testPanel.send(postSettings, { body }, admin)
  await testPanel.send(putUserPermissions, { params: { id: user.id }, body: { viewNodes: true } }, admin)
  await testPanel.send(editUser, { params: { id: user.id }, body: { username: 'renamed' } }, admin)
  await testPanel.send(deleteUser, { params: { id: user.id } }, admin)

  expect((await entriesFor(testPanel, admin)).map(({ action, target }) => [action, target])).toEqual([
    ['settings.edit', 'panel.settings.companyName, panel.registrationEnabled'],
    ['user.permissions', `${user.username} #${user.id}`],
    ['user.edit', `${user.username} #${user.id}`],
    ['user.delete', `renamed #${user.id}`],
  ])
})

test('logins are recorded, also failed ones, with the entered address', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  await testPanel.send(createUser, { body: { username: 'ada', email: 'ada@example.org', password } }, admin)

  await testPanel.send(login, { body: { email: 'ada@example.org', password } })
  await testPanel.send(login, { body: { email: 'ada@example.org', password: 'a wrong one' } })
  await testPanel.send(login, { body: { email: password, password } })

  const entries = await entriesFor(testPanel, admin, { action: 'session.*' })
  expect(entries).toMatchObject([
    { action: 'session.open', result: 'done', target: 'ada@example.org', user: { username: 'ada' } },
    { action: 'session.open', result: 'refused', code: 'ErrInvalidCredentials', target: 'ada@example.org' },
    { action: 'session.open', result: 'refused', code: 'ErrInvalidCredentials' },
  ])
  expect(entries[2]).not.toHaveProperty('target')
  expect(entries[1]).not.toHaveProperty('user')
})

test('rejected requests of known users are recorded', async ({ testPanel }) => {
  const [admin, user, id] = [await testPanel.admin(), await testPanel.createUser(), await testPanel.server()]
  await testPanel.grant(user.id, id, ['viewServerConsole'])

  await testPanel.send(renameServer, { params: { id, name: 'mine' } }, user)
  await testPanel.send(putSetting, { params: { key: 'panel.settings.companyName' }, body: { value: 'Mine' } }, user)
  await testPanel.send(startServer, { params: { id }, query: {} }, user)
  await testPanel.send(renameServer, { params: { id, name: 'nobody' } })

  const common = { user: { id: user.id }, result: 'refused', code: 'ErrMissingScope' }
  expect(await entriesFor(testPanel, admin)).toMatchObject([
    { ...common, action: 'server.rename', server: id, target: 'mine' },
    { ...common, action: 'settings.edit', target: 'panel.settings.companyName' },
    { ...common, action: 'server.start', server: id },
  ])
})

test('entries of the same millisecond are listed in their order', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const log = activityLog({ db: testPanel.db, now: () => 1_000 })

  for (let at = 0; at < 20; at++)
    await log.record({ action: 'user.edit', from: 'panel', result: 'done', target: `${at}` })

  const listed = await entriesFor(testPanel, admin, { action: 'user.edit' })
  expect(listed.map(({ target }) => target)).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`))
})

test('a wrong client secret is recorded with the client ID', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const { id, secret } = await testPanel.createClient(admin)
  const ask = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const payload = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const { statusCode } = await testPanel.panel.app.inject({
      method: 'POST',
      url: '/oauth2/token',
      headers: { ...type, ...headers },
      payload,
    })
    return statusCode
  }

  expect(await ask({ client_id: id, client_secret: 'a wrong one' })).toBe(400)
  expect(await ask({}, { authorization: `Basic ${btoa(`${id}:a wrong one`)}` })).toBe(401)
  expect(await ask({ client_id: secret, client_secret: id })).toBe(400)
  expect(await ask({ client_id: id })).toBe(400)
  expect(await ask({ client_id: id, client_secret: secret })).toBe(200)

  const common = { action: 'client.token', from: '127.0.0.1', result: 'refused', code: 'invalid_client' }
  expect(await entriesFor(testPanel, admin, { action: 'client.token' })).toEqual([
    { ...common, target: id },
    { ...common, target: id },
    common,
  ])
})

test('commands over the rate limit are one entry, written with the first of them', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]

  for (let at = 0; at <= maxCommandsPerMinute; at++) {
    await testPanel.send(sendCommand, { params: { id }, body: 'help' }, admin)
  }

  const entries = await entriesFor(testPanel, admin, { action: 'server.command' })
  expect(entries).toHaveLength(maxCommandsPerMinute + 1)
  expect(entries.filter(({ count }) => count !== undefined)).toMatchObject([
    { user: { id: admin.id }, server: id, result: 'done', count: 1 },
  ])
})

test('guessing client secrets does not flood the audit log', async ({ testPanel }) => {
  const fields = { grant_type: 'client_credentials', client_id: crypto.randomUUID(), client_secret: 'a guess' }
  const payload = new URLSearchParams(fields).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const attempts = Math.max(maxRejectionsPerMinute, maxLoginAttemptsPerAddress) + 10

  for (let at = 0; at < attempts; at++) {
    await testPanel.panel.app.inject({ method: 'POST', url: '/oauth2/token', headers, payload })
  }

  const most = Math.min(maxRejectionsPerMinute, maxLoginAttempts)
  const entries = await testPanel.db.selectFrom('activity').select('count').execute()
  expect(entries.filter(({ count }) => count === null)).toHaveLength(most)
  expect(entries.length).toBeLessThanOrEqual(most + 1)
})

test('requests to a node are recorded, also those it rejects', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.refuse(stopServer, new Refusal('ErrServerBusy', { state: 'installing' }))
  testPanel.node.answer(killServer, (_request, response) => void response.writeHead(409).end('{}'))

  await testPanel.send(startServer, { params: { id }, query: {} }, admin)
  const { refusal, metadata } = await testPanel.send(stopServer, { params: { id }, query: {} }, admin)
  await testPanel.send(killServer, { params: { id }, query: {} }, admin)

  expect([refusal, metadata]).toEqual(['ErrServerBusy', { state: 'installing' }])

  expect(await entriesFor(testPanel, admin)).toMatchObject([
    { action: 'server.start', server: id, result: 'done' },
    { action: 'server.stop', server: id, result: 'refused', code: 'ErrServerBusy' },
    { action: 'server.kill', server: id, result: 'refused', code: 'ErrServiceNotAvailable' },
  ])
})

test('actions over a live socket are recorded, in any spelling', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole', 'startServer'] } })
  const { url } = await testPanel.panel.listen()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  await once(socket, 'open')

  socket.send('{"type":"ping"}')
  socket.send('{"type":"START"}')
  socket.send('{"type":"k\\u0069ll"}')
  socket.send('{"type":"console","command":"op ada"}')
  await vi.waitFor(async () => expect(await entriesFor(testPanel, admin)).toHaveLength(3))

  const entries = (await entriesFor(testPanel, admin)).toSorted((one, other) => one.action.localeCompare(other.action))
  expect(entries).toMatchObject([
    { action: 'server.command', result: 'refused', code: 'ErrMissingScope', server: id },
    { action: 'server.kill', result: 'refused', code: 'ErrMissingScope', server: id },
    { action: 'server.start', result: 'done', server: id, user: { id: user.id } },
  ])
  socket.terminate()
})

test('opening a terminal is one entry per connection; terminal input is not recorded', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const user = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
  const { url } = await testPanel.panel.listen()
  const open = async ({ token }: { token: string }) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await once(socket, 'open')
    return socket
  }
  const passed: string[] = []
  testPanel.node.onSocket = (socket) => socket.on('message', (data) => passed.push(String(data)))
  const [typing, watching] = [await open(admin), await open(user)]

  watching.send('{"type":"terminal","open":true}')
  typing.send('{"type":"resize","cols":80,"rows":24}')
  for (const key of 's3cret') typing.send(JSON.stringify({ type: 'INPUT', data: key }))
  for (const key of 'abc') watching.send(JSON.stringify({ type: 'input', data: key }))
  await vi.waitUntil(() => passed.length === 11)
  await vi.waitFor(async () => expect(await entriesFor(testPanel, admin)).toHaveLength(2))

  const entries = (await entriesFor(testPanel, admin)).toSorted((one, other) => one.result.localeCompare(other.result))
  expect(entries).toMatchObject([
    { action: 'server.terminal', result: 'done', server: id, user: { id: admin.id } },
    { action: 'server.terminal', result: 'refused', code: 'ErrMissingScope', server: id, user: { id: user.id } },
  ])
  expect(entries.map(({ target }) => target)).toEqual([undefined, undefined])
  for (const socket of [typing, watching]) socket.terminate()
})

test('console commands are recorded, truncated and without secrets', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.definitions.set(id, { type: 'test', data: { rcon_password: { value: 'open-sesame' } }, run: {} })
  const { url } = await testPanel.panel.listen()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  await once(socket, 'open')

  await testPanel.send(sendCommand, { params: { id }, body: 'say open-sesame' }, admin)
  await testPanel.send(sendCommand, { params: { id }, body: `say ${'x'.repeat(2_000)}` }, admin)
  socket.send('{"type":"console","command":"rcon_password another"}')

  await vi.waitFor(async () => expect(await entriesFor(testPanel, admin)).toHaveLength(3))
  expect((await entriesFor(testPanel, admin)).map(({ action, target }) => [action, target])).toEqual([
    ['server.command', 'say ***'],
    ['server.command', `say ${'x'.repeat(250)}…`],
    ['server.command', 'rcon_password ***'],
  ])
  expect(testPanel.node.received.find(({ url }) => url.endsWith('/console'))?.ticket.username).toBe(admin.username)
  socket.terminate()
})

test('actions on players are recorded with who and whom, without secrets', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const moderator = await testPanel.createUser({ on: { [id]: ['kickPlayers'] } })
  testPanel.node.definitions.set(id, { type: 'test', data: { rcon_password: { value: 'open-sesame' } }, run: {} })
  const params = { id }

  await testPanel.send(kickPlayer, { params, body: { player: 'Steve', reason: 'open-sesame' } }, moderator)
  await testPanel.send(broadcastMessage, { params, body: { message: 'x'.repeat(200) } }, admin)
  testPanel.node.refuse(getData, new Refusal('ErrServiceNotAvailable'))
  await testPanel.send(kickPlayer, { params, body: { player: 'Alex', reason: 'open-sesame' } }, moderator)
  await testPanel.send(banPlayer, { params, body: { player: 'Alex' } }, moderator)

  const entries = await entriesFor(testPanel, admin)
  expect(entries.map(({ action, user, target, result }) => [action, user?.id, target, result])).toEqual([
    ['server.player.kick', moderator.id, 'Steve: ***', 'done'],
    ['server.player.broadcast', admin.id, 'x'.repeat(200), 'done'],
    ['server.player.kick', moderator.id, 'Alex', 'done'],
    ['server.player.ban', moderator.id, undefined, 'refused'],
  ])
})

test('entries name settings and tasks of a server', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(listTasks, (_request, response) => {
    const task = { name: 'Backup', operations: [], version: '1', isRunning: false }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ tasks: { abc: task }, timezone: 'UTC' }))
  })
  const task = { name: 'Restart', operations: [] }

  await testPanel.send(putData, { params: { id }, body: { data: { port: { value: 1 }, motd: { value: 'x' } } } }, admin)
  await testPanel.send(createTask, { params: { id }, body: task }, admin)
  await testPanel.send(putTask, { params: { id, task: 'abc' }, body: task }, admin)
  await testPanel.send(runTask, { params: { id, task: 'abc' }, query: {} }, admin)
  await testPanel.send(deleteTask, { params: { id, task: 'abc' } }, admin)
  await testPanel.send(deleteTask, { params: { id, task: 'unknown' } }, admin)

  expect((await entriesFor(testPanel, admin)).map(({ action, target }) => [action, target])).toEqual([
    ['server.data', 'port, motd'],
    ['server.task.create', 'Restart'],
    ['server.task.edit', 'Restart'],
    ['server.task.run', 'Backup'],
    ['server.task.delete', 'Backup'],
    ['server.task.delete', 'unknown'],
  ])
})

test('an entry never contains a secret', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const secrets = ['s3cret-command', 's3cret-setting', 's3cret-password', 's3cret-token', admin.token]

  await testPanel.send(sendCommand, { params: { id }, body: `login ${secrets[0]}` }, admin)
  await testPanel.send(
    putSetting,
    { params: { key: 'panel.email.password' }, body: { value: String(secrets[1]) } },
    admin,
  )
  await testPanel.send(
    createUser,
    { body: { username: 'ada', email: 'ada@example.org', password: String(secrets[2]) } },
    admin,
  )
  await testPanel.send(putSelf, { body: { password: String(secrets[2]), username: 'other' } }, admin)
  await testPanel.request('DELETE', `/api/self/otp/${secrets[3]}`, undefined, admin)
  await testPanel.request('POST', '/auth/reset', { token: secrets[3], password: secrets[2] })
  await testPanel.request('POST', '/auth/invite', {
    token: secrets[3],
    email: 'x@example.org',
    username: 'eve',
    password,
  })

  const rows = await testPanel.db.selectFrom('activity').selectAll().execute()
  expect(rows.length).toBeGreaterThanOrEqual(6)
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret)
})

describe('the list', () => {
  test('is for administrators, and that of a server for users who manage its users', async ({ testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]
    const owner = await testPanel.createUser({ scopes: ['users.edit'], on: { [id]: ['editServerUsers'] } })
    const viewer = await testPanel.createUser({ on: { [id]: ['viewServerConsole'] } })
    await testPanel.send(renameServer, { params: { id, name: 'lobby' } }, admin)
    await testPanel.send(putSetting, { params: { key: 'panel.settings.companyName' }, body: { value: 'x' } }, admin)

    const ownEntries = await testPanel.send(listServerActivity, { params: { id }, query: {} }, owner)

    expect(ownEntries.answer.activity.map(({ action }) => action)).toEqual(['server.rename'])
    expect((await testPanel.send(listActivity, { query: {} }, owner)).refusal).toBe('ErrMissingScope')
    expect((await testPanel.send(listServerActivity, { params: { id }, query: {} }, viewer)).refusal).toBe(
      'ErrMissingScope',
    )
    expect(
      (await testPanel.send(listServerActivity, { params: { id }, query: {} }, await testPanel.createUser())).status,
    ).toBe(404)
  })

  test('is filtered by user, action, subject and time, and paged', async () => {
    let time = Date.parse('2026-03-01T00:00:00Z')
    await withLog(
      () => time,
      async (testPanel, activity) => {
        const event = { from: '10.0.0.1', result: 'done' } as const
        for (let at = 0; at < 25; at++) {
          const user = at % 2 ? { id: 1, username: 'Ada' } : { id: 2, username: 'grace' }
          await activity.record({
            ...event,
            user,
            action: at % 5 ? 'server.start' : 'user.delete',
            server: at % 5 ? 'aaaaaaaa' : undefined,
          })
          time += 3_600_000
        }
        const admin = await testPanel.admin()
        const total = async (query: Record<string, string>) =>
          (await testPanel.send(listActivity, { query }, admin)).answer.paging.total

        expect(await total({})).toBe(25)
        expect(await total({ user: 'ada' })).toBe(12)
        expect(await total({ user: '2' })).toBe(13)
        expect(await total({ action: 'user.*' })).toBe(5)
        expect(await total({ action: 'server.start' })).toBe(20)
        expect(await total({ action: 'server' })).toBe(0)
        expect(await total({ server: 'aaaaaaaa' })).toBe(20)
        expect(await total({ result: 'refused' })).toBe(0)
        expect(await total({ from: '2026-03-01T10:00:00Z', to: '2026-03-01T12:00:00Z' })).toBe(2)
        expect(await total({ to: '2026-03-02' })).toBe(24)
        const page = await testPanel.send(listActivity, { query: { page: 3, limit: 10 } }, admin)
        expect(page.answer.activity).toHaveLength(5)
        expect(page.answer.activity.at(-1)?.at).toBe('2026-03-01T00:00:00.000Z')
        expect((await testPanel.request('GET', '/api/activity?from=yesterday', undefined, admin)).status).toBe(400)
      },
    )
  })

  test('deletes entries older than the retention, page by page, with several panels at work', async () => {
    let time = Date.parse('2026-03-01T00:00:00Z')
    await withLog(
      () => time,
      async (testPanel, activity) => {
        const many = purgeBatchSize + 20
        for (let at = 0; at < many; at++) await activity.record({ action: 'server.start', from: '', result: 'done' })
        time += limits.activityKeptMs
        await activity.record({ action: 'server.stop', from: '', result: 'done' })
        time += 1

        const other = activityLog({ db: testPanel.db, now: () => time })
        const purged = await Promise.all([activity.purge(), other.purge()])

        expect(purged.reduce((sum, one) => sum + one, 0)).toBe(many)
        const remaining = await testPanel.db.selectFrom('activity').select('action').execute()
        expect(remaining).toEqual([{ action: 'server.stop' }])
      },
    )
  })

  async function withLog(
    now: () => number,
    work: (testPanel: TestPanel, activity: ReturnType<typeof activityLog>) => Promise<void>,
  ) {
    const testPanel = await TestPanel.start()
    await work(testPanel, activityLog({ db: testPanel.db, now }))
    await testPanel.stop()
  }
})

describe('the audit recorder', () => {
  const log = pino({ level: 'silent' })
  const ada = {
    userId: 1,
    username: 'ada',
    email: '',
    isEmailConfirmed: true,
    sessionId: '',
    scopes: [],
    isAdmin: false,
    roles: [],
  }

  function recorderOn(testPanel: TestPanel, now: () => number = Date.now) {
    const activity = activityLog({ db: testPanel.db, now })
    const limited = new AuditRateLimit({ activity, log, now })
    return { see: auditRecorder({ activity, auditRateLimit: limited }), limited }
  }

  test('writes one entry, in the transaction of the service or by itself', async ({ testPanel }) => {
    const auditEntry = recorderOn(testPanel).see(createServer, { principal: undefined, from: '10.0.0.1' })

    await testPanel.db.transaction().execute(async (transaction) => auditEntry?.record(transaction))
    await auditEntry?.succeeded()

    expect(await testPanel.db.selectFrom('activity').select('result').execute()).toEqual([{ result: 'done' }])
  })

  test('records a rolled back action as refused, and combines entries over the rate limit', async ({ testPanel }) => {
    const { see, limited } = recorderOn(testPanel)

    for (let at = 0; at < maxRejectionsPerMinute + 10; at++) {
      await see(createServer, { principal: ada, from: '10.0.0.1' })?.failed(new Refusal('ErrMissingScope'))
    }
    await see(createServer, { principal: { ...ada, userId: 2 }, from: '10.0.0.1' })?.failed(new Error('a fault'))
    await see(createServer, { principal: ada, from: '10.0.0.1' })?.failed(new Refusal('ErrFieldRequired'))
    await limited.close()

    const rows = await testPanel.db.selectFrom('activity').select(['user_id', 'result', 'count']).execute()
    const refused = rows.filter(({ result }) => result === 'refused')
    expect(refused.filter(({ count }) => count === null)).toHaveLength(maxRejectionsPerMinute)
    expect(refused.filter(({ count }) => count !== null)).toEqual([{ user_id: 1, result: 'refused', count: 10 }])
    expect(rows.filter(({ result }) => result === 'failed')).toEqual([{ user_id: 2, result: 'failed', count: null }])
  })

  test('combines each window, server and action separately', async ({ testPanel }) => {
    let time = Date.parse('2026-03-01T00:00:00Z')
    const { see, limited } = recorderOn(testPanel, () => time)
    const send = async (server: string, times: number) => {
      for (let at = 0; at < times; at++) {
        await see(sendCommand, { principal: ada, from: '', params: { id: server } })?.succeeded()
      }
    }

    await send('aaaaaaaa', maxCommandsPerMinute + 3)
    await send('bbbbbbbb', maxCommandsPerMinute + 2)
    time += 61_000
    await send('aaaaaaaa', maxCommandsPerMinute + 5)
    await limited.close()

    const rows = await testPanel.db
      .selectFrom('activity')
      .select(['server_id', 'count', 'action'])
      .where('count', 'is not', null)
      .orderBy('at')
      .orderBy('server_id')
      .execute()
    const action = 'server.command'
    expect(rows).toEqual([
      { server_id: 'aaaaaaaa', count: 3, action },
      { server_id: 'bbbbbbbb', count: 2, action },
      { server_id: 'aaaaaaaa', count: 5, action },
    ])
  })

  test('unknown names do not multiply the entries', async ({ testPanel }) => {
    const { see, limited } = recorderOn(testPanel)

    for (let at = 0; at < maxRejectionsPerMinute + 50; at++) {
      const params = { id: at.toString(16).padStart(8, '0'), name: 'x' }
      await see(renameServer, { principal: ada, from: '', params })?.failed(new Refusal('ErrServerNotFound'))
    }
    await limited.close()

    const rows = await testPanel.db.selectFrom('activity').select('count').where('count', 'is not', null).execute()
    expect(rows).toEqual([{ count: 50 }])
  })

  test('ignores endpoints without an action', async ({ testPanel }) => {
    expect(recorderOn(testPanel).see(reauth, { principal: ada, from: '' })).toBeUndefined()
  })
})
