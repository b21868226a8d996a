import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/backups/backups'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { cancelTask, createTask, runTask } from '@innkeeper/contract/servers/tasks'
import { test as base, expect, vi } from 'vitest'
import { maxRunningTasksPerServer } from '../tasks/tasks.ts'
import { slowWait } from '../testing/backup-server.ts'
import { program, TestNode } from '../testing/daemon.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { say, test } from '../testing/task-node.ts'

const backUp = (name?: string) => ({ type: 'backup', ...(name !== undefined && { name }) })

test('a task backs up its server, with a note or its own name, and its history shows which', async ({ fixture }) => {
  const { node, server, task, runs } = fixture
  const params = { id: server }
  writeFileSync(join(node.dataDir, 'servers', server, 'level.dat'), 'level')
  const noted = await task({ name: 'Nightly', operations: [backUp(' Night of ${serverId} '), say('after')] })
  const unnoted = await task({ name: 'Weekly', operations: [{ ...backUp(), verify: false }] })

  for (const key of [noted, unnoted]) {
    const { status } = await node.client.send(runTask, { params: { ...params, task: key }, query: { wait: true } })
    expect(status).toBe(204)
  }

  const { body: backups } = await node.client.send(calls.listBackups, { params })
  expect(backups[0]).not.toHaveProperty('verification')
  expect(backups).toMatchObject([
    { name: 'Weekly', origin: 'task' },
    { name: `Night of ${server}`, origin: 'task', verification: { files: 1, bytes: 5 } },
  ])
  expect((await runs(noted))[0]).toMatchObject({
    result: 'done',
    lines: ['Creating a backup', `Created and verified the backup ${backups[1].id}`, 'Executing: echo after', 'after'],
  })
})

base('a backup step ends with its backup, even if the job is no longer listed', async () => {
  const panel = new FakePanel()
  await using node = await TestNode.start({ panel, backups: { endedJobMs: 0 } })
  const params = { id: '0a0a0a0a' }
  await node.client.create(params.id, 'true')
  panel.addUser({ permissions: { [params.id]: ['admin'] } })
  const { body: task } = await node.client.send(createTask, {
    params,
    body: { name: 'Nightly', operations: [backUp()] },
  })

  const ran = await node.client.send(runTask, { params: { ...params, task: task.id }, query: { wait: true } })

  expect(ran).toMatchObject({ status: 204 })
  const { body: backups } = await node.client.send(calls.listBackups, { params })
  expect(backups).toMatchObject([{ name: 'Nightly', verification: { files: 0 } }])
})

test('a backup that fails ends the run with the reason, as text and for translation', async ({ fixture }) => {
  const { node, server, task, runs } = fixture
  const key = await task({ operations: [backUp(), say('never')] })
  const asking = { params: { id: server, task: key }, query: { wait: true } }
  await node.client.send(runTask, {
    params: { id: server, task: await task({ operations: [backUp()] }) },
    query: { wait: true },
  })
  const secret = join(node.dataDir, 'backups', 'key')
  renameSync(secret, `${secret}.away`)

  await node.client.send(runTask, asking)

  const reason = `the key of the repository is missing: ${secret}`
  renameSync(`${secret}.away`, secret)
  expect((await runs(key))[0]).toMatchObject({
    result: 'failed',
    step: 1,
    reason: `The backup job failed: ${reason}`,
    refusal: { code: 'ErrBackupFailed', metadata: { reason } },
  })
})

test('only users who may create backups save such a task', async ({ fixture }) => {
  const { node, server } = fixture
  const body = { name: 'Nightly', operations: [backUp()] }
  const save = (...more: 'createServerBackups'[]) =>
    node.client.send(createTask, { params: { id: server }, permissions: ['editServerData', ...more], body })

  expect((await save()).body.error).toMatchObject({ code: 'ErrMissingScope', metadata: { type: 'backup' } })
  expect((await save('createServerBackups')).status).toBe(200)
})

test('a task waits until the node has no other backup job, lets other tasks run, and can be canceled', async ({
  fixture,
}) => {
  const { node, server, task, until } = fixture
  const params = { id: server }
  await node.client.send(putDefinition, {
    params,
    body: {
      type: 'test',
      run: { command: program('echo'), stop: 'stop' },
      backup: { before: ['save-off'], waitFor: 'never printed', after: ['save-on'], timeout: 600 },
    },
  })
  await node.client.send(startServer, { params, query: { wait: true } })
  const watcher = await node.client.watch(server)
  const { body: first } = await node.client.send(calls.createBackup, { params, body: { name: 'first' } })
  await watcher.untilText('echo: save-off')
  const states = async () => {
    const { body } = await node.client.send(calls.listBackupJobs, { params })
    return (body as calls.BackupJob[]).slice(0, maxRunningTasksPerServer + 1).map(({ state }) => state)
  }
  const waiting = Array.from({ length: maxRunningTasksPerServer }, () => task({ operations: [backUp('second')] }))
  for (const key of await Promise.all(waiting)) await node.client.send(runTask, { params: { ...params, task: key } })
  await vi.waitFor(async () => expect(await states()).toEqual(['waiting', 'waiting', 'running']), slowWait)

  const other = await task({ operations: [say('meanwhile')] })
  await node.client.send(runTask, { params: { ...params, task: other }, query: { wait: true } })
  for (const key of await Promise.all(waiting)) {
    await node.client.send(cancelTask, { params: { ...params, task: key } })
    await until(key, 'an end', ([run]) => run?.result === 'cancelled')
  }

  expect(await states()).toEqual(['cancelled', 'cancelled', 'running'])
  await node.client.send(calls.cancelBackupJob, { params: { ...params, job: first.id } })
  await vi.waitFor(async () => expect((await states()).at(-1)).toBe('cancelled'), slowWait)
})
