import { json } from 'node:stream/consumers'
import { listServerUsers } from '@innkeeper/contract/accounts/server-users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { type ServerPermission, scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { type BackupJob, cancelBackupJob, createBackup, listBackupJobs } from '@innkeeper/contract/backups/backups'
import {
  cancelClone,
  cloneServer,
  dismissFailedClone,
  getClone,
  listFailedClones,
} from '@innkeeper/contract/clones/clones'
import { Definition, type Run } from '@innkeeper/contract/definitions/definition'
import { getPorts } from '@innkeeper/contract/definitions/port-variables'
import type { Variables, VariableValues } from '@innkeeper/contract/definitions/variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { listServers } from '@innkeeper/contract/servers/servers'
import { expect, vi } from 'vitest'
import { TestPanel, type TestUser, testWith } from '../testing/test-panel.ts'

const test = testWith({ clonePollMs: 20, cloneTakeoverMs: 50, cloneBusyMs: 4_000 })

const job: BackupJob = {
  id: 'job',
  type: 'create',
  state: 'running',
  name: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  bytes: 10,
  totalBytes: 40,
}
/** Generous for busy machines. */
const wait = { timeout: 30_000 }
const needed = ['viewServerBackups', 'viewServerFiles', 'editServerData', 'createServerBackups'] as const

/** The node makes a backup that does not end. */
function backUpForever({ node }: TestPanel): void {
  const respond = (body: unknown) => (_: unknown, response: { end(text: string): void }) =>
    response.end(JSON.stringify(body))
  node.answer(createBackup, respond(job))
  node.answer(listBackupJobs, respond([job]))
}

async function startClone(testPanel: TestPanel, as: TestUser, more: object = {}) {
  const id = await testPanel.server({ name: 'source' })
  const body = { name: 'copy', node: 0, ...more }
  return await testPanel.send(cloneServer, { params: { id }, body }, as)
}

async function namesSeenBy(admin: TestUser, testPanel: TestPanel): Promise<readonly string[]> {
  return (await testPanel.send(listServers, { query: {} }, admin)).answer.servers.map(({ name }) => name)
}

test('a clone shows its progress to its creator and administrators, and is deleted when it is canceled', async ({
  testPanel,
}) => {
  backUpForever(testPanel)
  const [admin, other] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['servers.create'] })]
  const { answer } = await startClone(testPanel, admin)
  const params = { id: answer.id }
  expect(await namesSeenBy(admin, testPanel)).toEqual(['copy', 'source'])
  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params }, admin)).answer).toMatchObject({
      state: 'backup',
      bytes: 10,
      totalBytes: 40,
    })
  }, wait)
  expect((await testPanel.send(getClone, { params }, other)).refusal).toBe('ErrNotFound')
  expect((await testPanel.send(cancelClone, { params }, other)).refusal).toBe('ErrNotFound')

  expect((await testPanel.send(cancelClone, { params }, admin)).status).toBe(204)

  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params }, admin)).answer).toMatchObject({ state: 'cancelled' })
  }, wait)
  await vi.waitFor(() => expect(testPanel.node.definitions.has(answer.id)).toBe(false), wait)
  expect(await namesSeenBy(admin, testPanel)).toEqual(['source'])
  const requests = testPanel.node.received.map(({ method, url }) => `${method} ${url}`)
  expect(requests).toContain(`DELETE ${cancelBackupJob.path.replace(':id', answer.source).replace(':job', 'job')}`)
  const { activity } = (await testPanel.send(listActivity, { query: {} }, admin)).answer
  expect(activity.filter(({ action }) => action.startsWith('server.clone')).toReversed()).toMatchObject([
    { action: 'server.clone', result: 'done', user: { id: admin.id }, target: 'source' },
    { action: 'server.clone.cancel', result: 'refused', user: { id: other.id } },
    { action: 'server.clone.cancel', result: 'done', user: { id: admin.id }, server: answer.id },
  ])
})

test.for(needed)('without %s on the source a server cannot be cloned', async (missing, { testPanel }) => {
  const source = await testPanel.server({ name: 'source' })
  const permissions: readonly ServerPermission[] = needed.filter((permission) => permission !== missing)
  const user = await testPanel.createUser({ scopes: ['servers.create'], on: { [source]: permissions } })

  const clone = { params: { id: source }, body: { name: 'copy', node: 0 } }
  const { refusal, metadata } = await testPanel.send(cloneServer, clone, user)

  expect([refusal, metadata.scope]).toEqual(['ErrMissingScope', scopeOfPermission[missing]])
  expect(testPanel.node.definitions.size).toBe(1)
})

test('without the scope to create servers, or without access to the source, a server cannot be cloned', async ({
  testPanel,
}) => {
  const source = await testPanel.server({ name: 'source' })
  const clone = { params: { id: source }, body: { name: 'copy', node: 0 } }
  const user = await testPanel.createUser({ on: { [source]: needed } })
  const creator = await testPanel.createUser({ scopes: ['servers.create'] })

  expect((await testPanel.send(cloneServer, clone, user)).metadata).toMatchObject({ scope: 'servers.create' })
  expect((await testPanel.send(cloneServer, clone, creator)).refusal).toBe('ErrServerNotFound')
})

test('only variables of the server can be set, to values that they may have', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const data = { port: { value: 25_565, type: 'integer' } }
  const { answer } = await testPanel.send(
    createServer,
    { body: { type: 'test', name: 'source', data, run: { command: 'true' } } },
    admin,
  )
  const send = (values: Record<string, { value: string }>) => {
    const body = { name: 'copy', node: 0, data: values }
    return testPanel.send(cloneServer, { params: { id: answer.id }, body }, admin)
  }

  expect((await send({ unknown: { value: '1' } })).metadata).toMatchObject({ field: 'data.unknown' })
  expect((await send({ port: { value: 'a' } })).status).toBe(400)
  expect(await namesSeenBy(admin, testPanel)).toEqual(['source'])
})

/** The node makes backups and fills servers at once. */
function completeAtOnce({ node }: TestPanel): void {
  const done = { ...job, state: 'done', backup: 'aaaaaaaaaaaaaaaa' }
  const respond = (_: unknown, response: { end(text: string): void }) => response.end(JSON.stringify(done))
  node.answer(createBackup, respond)
  node.answer(panelEndpoints.fillFromBackup, respond)
  node.answer(listBackupJobs, (_, response) => void response.end('[]'))
}

async function isDone(id: string, testPanel: TestPanel, as: TestUser): Promise<void> {
  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params: { id } }, as)).answer).toMatchObject({ state: 'done' })
  }, wait)
}

test('users get the permissions that they have on the source, if that is asked for', async ({ testPanel }) => {
  completeAtOnce(testPanel)
  const source = await testPanel.server({ name: 'source' })
  const creator = await testPanel.admin()
  const viewer = await testPanel.createUser({ on: { [source]: ['viewServerConsole', 'sendServerConsole'] } })
  const clone = async (name: string, users: boolean) => {
    const body = { name, node: 0, users }
    const { answer } = await testPanel.send(cloneServer, { params: { id: source }, body }, creator)
    await isDone(answer.id, testPanel, creator)
    return answer.id
  }

  const [withUsers, alone] = [await clone('with users', true), await clone('alone', false)]

  const readUsers = async (id: string) => {
    const { answer } = await testPanel.send(listServerUsers, { params: { id }, query: {} }, creator)
    return answer.map(({ email, ...permissions }) => [email, trueKeys(permissions)])
  }
  expect(await readUsers(withUsers)).toEqual([
    [viewer.email, ['viewServers', 'viewServerConsole', 'sendServerConsole']],
  ])
  expect(await readUsers(alone)).toEqual([])
  expect((await testPanel.send(listServers, { query: {} }, viewer)).answer.servers.map(({ name }) => name)).toEqual([
    'source',
    'with users',
  ])
})

test('without editServerUsers the permissions of users cannot be copied', async ({ testPanel }) => {
  const source = await testPanel.server({ name: 'source' })
  const user = await testPanel.createUser({ scopes: ['servers.create'], on: { [source]: needed } })

  const body = { name: 'copy', node: 0, users: true }
  const { metadata } = await testPanel.send(cloneServer, { params: { id: source }, body }, user)

  expect(metadata).toMatchObject({ scope: scopeOfPermission.editServerUsers })
})

async function withPorts(testPanel: TestPanel, admin: TestUser, data: Variables): Promise<string> {
  const body = { type: 'test', name: 'source', data, run: { command: 'true' } }
  return (await testPanel.send(createServer, { body }, admin)).answer.id
}

const portsOn = ({ node }: TestPanel) =>
  [...node.definitions.values()].flatMap(({ data }) => getPorts(data as Variables))

test('clones at the same time have other ports than their source and each other', async ({ testPanel }) => {
  completeAtOnce(testPanel)
  const admin = await testPanel.admin()
  const id = await withPorts(testPanel, admin, { port: { value: 25_565 }, queryport: { value: '25566' } })
  testPanel.node.portsInUse = [{ address: '::', port: 25_567, protocol: 'tcp' }]
  const clone = async (name: string) => {
    const sent = await testPanel.send(cloneServer, { params: { id }, body: { name, node: 0 } }, admin)
    await isDone(sent.answer.id, testPanel, admin)
  }

  await Promise.all(['a', 'b', 'c'].map(clone))

  expect(portsOn(testPanel)).toEqual([25_565, 25_566, 25_568, 25_569, 25_570, 25_571, 25_572, 25_573])
  const [, copy] = testPanel.node.definitions.values()
  expect(copy).toMatchObject({ data: { port: { value: 25_568 }, queryport: { value: '25569' } } })
})

test('ports of a clone are those of the ranges of the node, with their address, and requested ones are kept', async ({
  testPanel,
}) => {
  completeAtOnce(testPanel)
  const admin = await testPanel.admin()
  const ranges = [{ address: '10.0.0.7', from: 7000, to: 7001 }]
  await testPanel.send(putNodePorts, { params: { id: 0 }, body: { ranges } }, admin)
  const id = await withPorts(testPanel, admin, {
    ip: { value: '0.0.0.0' },
    port: { value: 25_565 },
    queryport: { value: 7000 },
    rconport: { value: 9000 },
  })
  const send = (name: string, data: VariableValues) =>
    testPanel.send(cloneServer, { params: { id }, body: { name, node: 0, data } }, admin)

  await isDone((await send('a', {})).answer.id, testPanel, admin)
  await isDone((await send('b', { port: { value: 30_000 } })).answer.id, testPanel, admin)

  const values = [...testPanel.node.definitions.values()].map(({ data }) =>
    Object.values(data as Variables).map(({ value }) => value),
  )
  expect(values.slice(1)).toEqual([
    ['10.0.0.7', 7001, 7002, 9001],
    ['0.0.0.0', 30_000, 7003, 9002],
  ])
})

test('clones on two panels at the same time have different ports', async ({ testPanel: one }) => {
  completeAtOnce(one)
  const other = await startPanelBeside(one)
  const admin = await one.admin()
  const id = await withPorts(one, admin, { port: { value: 25_565 }, queryport: { value: 25_566 } })
  // The node gets all servers before it has the first one.
  const both = Promise.withResolvers<void>()
  const definitions: Definition[] = []
  one.node.answer(panelEndpoints.createServer, async (request, response) => {
    definitions.push(Definition.parse(await json(request)))
    if (definitions.length === 4) both.resolve()
    await both.promise
    response.writeHead(204).end()
  })

  const clone = (testPanel: TestPanel, name: string, data: VariableValues = {}) =>
    testPanel.send(cloneServer, { params: { id }, body: { name, node: 0, data } }, admin)
  await Promise.all([clone(one, 'a'), clone(other, 'b'), clone(one, 'c'), clone(other, 'd')])

  expect(definitions.flatMap(({ data }) => getPorts(data)).toSorted()).toEqual([
    ...[25_567, 25_568, 25_569, 25_570, 25_571, 25_572, 25_573, 25_574],
  ])
  await other.stop()
})

test('ports of a clone that could not be created are free again', async ({ testPanel }) => {
  completeAtOnce(testPanel)
  const admin = await testPanel.admin()
  const id = await withPorts(testPanel, admin, { port: { value: 25_565 } })
  const clone = (name: string) => testPanel.send(cloneServer, { params: { id }, body: { name, node: 0 } }, admin)

  expect((await clone('source')).refusal).toBe('ErrDuplicateServerName')
  await isDone((await clone('copy')).answer.id, testPanel, admin)

  expect(portsOn(testPanel)).toEqual([25_565, 25_566])
})

/** Another panel on the same database, with the same node. */
async function startPanelBeside({ databaseUrl, node: { socketPath } }: TestPanel): Promise<TestPanel> {
  const localNode = { name: 'LocalNode', socketPath, sftpPort: 5657, publicKey: undefined } as const
  return await TestPanel.start({ databaseUrl, localNode, clonePollMs: 20, cloneTakeoverMs: 50 })
}

/** The jobs of a node, which the test changes. */
function nodeWithJobs({ node }: TestPanel): BackupJob[] {
  const jobs: BackupJob[] = []
  const keys = new Map<unknown, BackupJob>()
  const add = (type: BackupJob['type'], response: { end(text: string): void }, key?: unknown): void => {
    const known = jobs.find((one) => one === keys.get(key))
    if (known) return void response.end(JSON.stringify(known))
    const added = { ...job, id: `job${jobs.length}`, type, ...(type === 'restore' && { backup }) }
    jobs.unshift(added)
    if (key !== undefined) keys.set(key, added)
    response.end(JSON.stringify(added))
  }
  node.answer(createBackup, ({ headers }, response) => add('create', response, headers['idempotency-key']))
  node.answer(panelEndpoints.fillFromBackup, (_, response) => add('restore', response))
  node.answer(listBackupJobs, (_, response) => void response.end(JSON.stringify(jobs)))
  return jobs
}

const backup = 'aaaaaaaaaaaaaaaa'
const end = (jobs: BackupJob[], more: Partial<BackupJob> = {}) =>
  Object.assign(jobs[0] ?? {}, { state: 'done', backup, ...more })
const getTypes = (jobs: readonly BackupJob[]) => jobs.map(({ type }) => type).toReversed()
const until = (jobs: readonly BackupJob[], count: number) => vi.waitFor(() => expect(jobs).toHaveLength(count), wait)

/** A server with a task and a user, and its clone that a panel has begun, which is then stopped. */
async function beginAndStop(one: TestPanel, admin: TestUser, jobs: readonly BackupJob[]): Promise<string> {
  const source = await one.server({ name: 'source' })
  const tasks = { tidy: { name: 'Tidy up', cronSchedule: '', operations: [] } }
  one.node.definitions.set(source, { ...one.node.definitions.get(source), tasks })
  await one.createUser({ on: { [source]: ['viewServerConsole'] } })
  const first = await startPanelBeside(one)
  const { answer } = await first.send(
    cloneServer,
    { params: { id: source }, body: { name: 'copy', node: 0, users: true } },
    admin,
  )
  await until(jobs, 1)
  await first.stop()
  return answer.id
}

test('a clone goes on when its panel is killed: another one finds the job that the node has begun, by its key', async ({
  testPanel,
}) => {
  const [jobs, admin] = [nodeWithJobs(testPanel), await testPanel.admin()]
  const id = await beginAndStop(testPanel, admin, jobs)

  const incomplete = testPanel.node.definitions.get(id)
  end(jobs)
  await until(jobs, 2)
  end(jobs)
  await isDone(id, testPanel, admin)

  expect(getTypes(jobs)).toEqual(['create', 'restore'])
  const complete = testPanel.node.definitions.get(id)
  expect([incomplete, complete]).toMatchObject([{ run: { disabled: true } }, { tasks: { tidy: { name: 'Tidy up' } } }])
  expect([incomplete?.tasks, (complete?.run as Run | undefined)?.disabled]).toEqual([undefined, undefined])
  expect((await testPanel.send(listServerUsers, { params: { id }, query: {} }, admin)).answer).toHaveLength(1)
  const sent = testPanel.node.received.map(({ method, url }) => `${method} ${url}`)
  expect(sent.filter((request) => /^DELETE/.test(request))).toEqual([])
})

test('a step of a clone whose job is lost or interrupted is repeated, but not for ever', async ({ testPanel }) => {
  const [jobs, admin] = [nodeWithJobs(testPanel), await testPanel.admin()]
  const id = await beginAndStop(testPanel, admin, jobs)
  const error = { code: 'ErrTaskInterrupted', msg: '', metadata: {} }

  // The node was restarted with the panel.
  jobs.splice(0, 1, { ...job, id: 'other', state: 'done' })
  await until(jobs, 2)
  end(jobs)
  await vi.waitFor(async () => {
    if (jobs[0]?.type === 'restore' && jobs[0].state === 'running') end(jobs, { state: 'failed', error })
    expect((await testPanel.send(getClone, { params: { id } }, admin)).answer).toMatchObject({
      state: 'failed',
      error: { code: 'ErrTaskInterrupted' },
    })
  }, wait)
  const [create, ...restores] = getTypes(jobs).slice(1)
  // The second panel may have seen the job before it was lost: that counts as a repetition.
  expect([create, new Set(restores)]).toEqual(['create', new Set(['restore'])])
  expect([5, 6]).toContain(restores.length)
  await vi.waitFor(() => expect(testPanel.node.definitions.has(id)).toBe(false), wait)
  expect(await namesSeenBy(admin, testPanel)).toEqual(['source'])
  const { activity } = (await testPanel.send(listActivity, { query: { action: 'server.clone' } }, admin)).answer
  expect(activity).toMatchObject([
    { result: 'failed', code: 'ErrTaskInterrupted', server: id, from: 'panel', user: { id: admin.id } },
    { result: 'done' },
  ])
})

test.for(['../../../0badcafe/export/aaaaaaaaaaaaaaaa', '..', '/etc/passwd', '', 'a'.repeat(100_000)])(
  'a node cannot name its backup %.40j: the clone fails, and is removed',
  async (name, { testPanel }) => {
    const [jobs, admin] = [nodeWithJobs(testPanel), await testPanel.admin()]
    const { id } = (await startClone(testPanel, admin)).answer
    await until(jobs, 1)

    end(jobs, { backup: name })

    await vi.waitFor(() => expect(testPanel.node.definitions.has(id)).toBe(false), wait)
    expect((await testPanel.send(getClone, { params: { id } }, admin)).answer.state).toBe('failed')
    expect(getTypes(jobs)).toEqual(['create'])
    expect(testPanel.node.received.filter(({ url }) => /fill|export|import/.test(url))).toEqual([])
  },
)

test('a clone waits while its node reads too many other backups, and then says so', async ({ testPanel }) => {
  const { node } = testPanel
  const admin = await testPanel.admin()
  const { fillFromBackup: fill } = panelEndpoints
  const fills = () => node.received.filter(({ url }) => url.endsWith('/fill')).length
  node.refuse(fill, new Refusal('ErrBackupReadsBusy'))
  node.answer(listBackupJobs, (_, response) => void response.end('[]'))
  const { id, source } = (await startClone(testPanel, admin, { backup })).answer

  // More often than a step is repeated whose job was interrupted.
  await vi.waitFor(() => expect(fills()).toBeGreaterThan(6), wait)
  const jobs = nodeWithJobs(testPanel)
  await until(jobs, 1)
  end(jobs)
  await isDone(id, testPanel, admin)

  node.refuse(fill, new Refusal('ErrBackupReadsBusy'))
  node.answer(listBackupJobs, (_, response) => void response.end('[]'))
  const body = { name: 'copy 2', node: 0, backup }
  const { answer } = await testPanel.send(cloneServer, { params: { id: source }, body }, admin)
  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params: { id: answer.id } }, admin)).answer).toMatchObject({
      state: 'failed',
      error: { code: 'ErrBackupReadsBusy' },
    })
  }, wait)
})

test('a failed clone is listed for its creator with what repeats it, until it is dismissed or repeated', async ({
  testPanel,
}) => {
  const [jobs, admin, other] = [nodeWithJobs(testPanel), await testPanel.admin(), await testPanel.admin()]
  const source = await withPorts(testPanel, admin, { port: { value: 25_565 }, motd: { value: 'a' } })
  const body = { name: 'copy', node: 0, backup, data: { port: { value: 30_000 }, motd: { value: 'secret' } } }
  const failed = async (as: TestUser) => (await testPanel.send(listFailedClones, {}, as)).answer
  const fail = async () => {
    const { answer } = await testPanel.send(cloneServer, { params: { id: source }, body }, admin)
    await until(jobs, 1)
    end(jobs, { state: 'failed', error: { code: 'ErrDisk', msg: '', metadata: { reason: 'full' } } })
    await vi.waitFor(async () => {
      expect((await failed(admin)).map(({ id }) => id)).toEqual([answer.id])
    }, wait)
    return answer.id
  }

  const first = await fail()

  expect(await failed(admin)).toMatchObject([
    {
      source: { id: source, name: 'source' },
      error: { code: 'ErrDisk' },
      request: { name: 'copy', backup, users: false, data: { port: { value: 30_000 } } },
    },
  ])
  expect((await failed(admin))[0]?.request.data).not.toHaveProperty('motd')
  await testPanel.send(dismissFailedClone, { params: { id: first } }, other)
  expect([await failed(other), await failed(admin)]).toMatchObject([[], [{ id: first }]])

  jobs.length = 0
  const second = await fail()
  await testPanel.send(dismissFailedClone, { params: { id: second } }, admin)
  expect(await failed(admin)).toEqual([])
})

test('a panel that did not renew its clone for a minute is replaced, and can then neither end nor delete it', async ({
  testPanel,
}) => {
  const [jobs, admin] = [nodeWithJobs(testPanel), await testPanel.admin()]
  const { id } = (await startClone(testPanel, admin)).answer
  await until(jobs, 1)
  const rows = testPanel.db.updateTable('clones').where('server_id', '=', id)

  await rows.set({ lease: 'of another panel' }).execute()
  end(jobs, { state: 'failed', error: { code: 'ErrDisk', msg: '', metadata: { reason: 'full' } } })
  expect((await testPanel.send(getClone, { params: { id } }, admin)).answer).toMatchObject({ state: 'backup' })

  end(jobs)
  await rows.set({ updated_at: 0 }).execute()
  await until(jobs, 2)
  end(jobs)
  await isDone(id, testPanel, admin)
})

test('a clone whose panel is gone can be canceled, and is deleted by another one', async ({ testPanel }) => {
  const [jobs, admin] = [nodeWithJobs(testPanel), await testPanel.admin()]
  const row = { source_id: 'deadbeef', node_id: 0, user_id: admin.id, state: 'copy', updated_at: Date.now() }
  const id = await testPanel.server({ name: 'half' })
  await testPanel.db
    .insertInto('clones')
    .values({ ...row, server_id: id })
    .execute()

  await testPanel.send(cancelClone, { params: { id } }, admin)
  await testPanel.db.updateTable('clones').set({ updated_at: 0 }).execute()

  await vi.waitFor(() => expect(testPanel.node.definitions.has(id)).toBe(false), wait)
  expect((await testPanel.send(getClone, { params: { id } }, admin)).answer).toMatchObject({ state: 'cancelled' })
  expect([await namesSeenBy(admin, testPanel), jobs]).toEqual([[], []])
  expect(testPanel.node.received.map(({ method }) => method)).toContain(panelEndpoints.deleteServer.method)
})

const trueKeys = (permissions: object) =>
  Object.entries(permissions).flatMap(([key, value]) => (value === true ? [key] : []))
