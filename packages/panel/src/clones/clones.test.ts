import { type BackupJob, cancelBackupJob, createBackup, listBackupJobs } from '@innkeeper/contract/backups'
import { cancelClone, cloneServer, getClone } from '@innkeeper/contract/clones'
import { createServer } from '@innkeeper/contract/new-server'
import { panelOnlyEndpoints } from '@innkeeper/contract/panel-only'
import { type ServerPermission, scopeOfPermission } from '@innkeeper/contract/permissions'
import { listServers } from '@innkeeper/contract/servers'
import { expect, vi } from 'vitest'
import { type TestPanel, type TestUser, testWith } from '../testing/test-panel.ts'

const test = testWith({ clonePollMs: 20, cloneCleanupMs: 50 })

const job: BackupJob = {
  ...{ id: 'job', type: 'create', state: 'running', name: '', startedAt: '2026-01-01T00:00:00.000Z' },
  ...{ bytes: 10, totalBytes: 40 },
}
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

test('a clone shows its progress to its creator and administrators, and is deleted when it is cancelled', async ({
  testPanel,
}) => {
  backUpForever(testPanel)
  const [admin, other] = [await testPanel.admin(), await testPanel.createUser({ scopes: ['servers.create'] })]
  const { answer } = await startClone(testPanel, admin)
  const params = { id: answer.id }
  expect(await namesSeenBy(admin, testPanel)).toEqual(['copy', 'source'])
  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params }, admin)).answer).toMatchObject({
      ...{ state: 'backup', bytes: 10, totalBytes: 40 },
    })
  })
  expect((await testPanel.send(getClone, { params }, other)).refusal).toBe('ErrNotFound')
  expect((await testPanel.send(cancelClone, { params }, other)).refusal).toBe('ErrNotFound')

  expect((await testPanel.send(cancelClone, { params }, admin)).status).toBe(204)

  await vi.waitFor(async () => {
    expect((await testPanel.send(getClone, { params }, admin)).answer).toMatchObject({ state: 'cancelled' })
  })
  await vi.waitFor(() => expect(testPanel.node.definitions.has(answer.id)).toBe(false))
  expect(await namesSeenBy(admin, testPanel)).toEqual(['source'])
  const requests = testPanel.node.received.map(({ method, url }) => `${method} ${url}`)
  expect(requests).toContain(`DELETE ${cancelBackupJob.path.replace(':id', answer.source).replace(':job', 'job')}`)
})

test.for(needed)('without %s on the source a server cannot be cloned', async (missing, { testPanel }) => {
  const source = await testPanel.server({ name: 'source' })
  const rights: readonly ServerPermission[] = needed.filter((right) => right !== missing)
  const user = await testPanel.createUser({ scopes: ['servers.create'], on: { [source]: rights } })

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

test('a clone whose panel is gone is deleted by another one', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server({ name: 'half' })]
  const row = { server_id: id, source_id: 'deadbeef', node_id: 0, user_id: admin.id, state: 'copy', updated_at: 0 }
  await testPanel.db.insertInto('clones').values(row).execute()

  await vi.waitFor(() => expect(testPanel.node.definitions.has(id)).toBe(false))

  expect(await namesSeenBy(admin, testPanel)).toEqual([])
  expect((await testPanel.send(getClone, { params: { id } }, admin)).answer).toMatchObject({
    ...{ state: 'failed', error: { code: 'ErrServiceNotAvailable' } },
  })
  expect(testPanel.node.received.map(({ method }) => method)).toContain(panelOnlyEndpoints.remove.method)
})
