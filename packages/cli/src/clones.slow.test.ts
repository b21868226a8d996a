import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createBackup, listBackupJobs, listBackups } from '@innkeeper/contract/backups/backups'
import { type Clone, type CloneRequest, cancelClone, cloneServer, getClone } from '@innkeeper/contract/clones/clones'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { getServer, listServers } from '@innkeeper/contract/servers/servers'
import { createTask, listTasks } from '@innkeeper/contract/servers/tasks'
import { test as base, expect, vi } from 'vitest'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

// Two programs are started, and the key of the repository is derived often.
vi.setConfig({ testTimeout: 420_000, hookTimeout: 120_000 })

const test = base.extend<{ installation: TestInstallation; node: RemoteNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  installation: async ({}, use) => {
    await using installation = await TestInstallation.start()
    await use(installation)
  },
  node: async ({ installation }, use) => {
    await using node = await RemoteNode.join(installation)
    await use(node)
  },
})

const wait = { timeout: 120_000, interval: 200 }
const definition = {
  type: 'test',
  data: { port: { value: 25_565, type: 'integer' } },
  run: { command: 'cat' },
  environment: { type: 'standard', limits: { memory: 300 } },
} as const

/** A server with a world, by default on the node of the panel. */
async function createWorld(
  installation: TestInstallation,
  { name = 'world', node = 0, folder = installation.folder } = {},
): Promise<{ id: string; dir: string }> {
  const { id } = await installation.send(createServer, { body: { ...definition, name, node } })
  const dir = join(folder, 'data', 'servers', id)
  await mkdir(join(dir, 'saves'), { recursive: true })
  await writeFile(join(dir, 'saves', 'level.dat'), 'level')
  await writeFile(join(dir, 'start.sh'), '#!/bin/sh')
  await chmod(join(dir, 'start.sh'), 0o755)
  await symlink('saves/level.dat', join(dir, 'latest'))
  await symlink('/etc/passwd', join(dir, 'outside'))
  return { id, dir }
}

async function backUp(installation: TestInstallation, id: string): Promise<string> {
  const params = { id }
  const job = await installation.send(createBackup, { params, body: { name: 'good' } })
  await vi.waitFor(async () => {
    const jobs = await installation.send(listBackupJobs, { params })
    expect(jobs.find((one) => one.id === job.id)?.state).toBe('done')
  }, wait)
  return (await installation.send(listBackups, { params }))[0]?.id ?? ''
}

async function start(installation: TestInstallation, source: string, request: Partial<CloneRequest>): Promise<string> {
  const body = { name: 'copy', node: 0, ...request }
  const { id } = await installation.send(cloneServer, { params: { id: source }, body })
  return id
}

async function ended(installation: TestInstallation, id: string): Promise<Clone> {
  return await vi.waitFor(async () => {
    const clone = await installation.send(getClone, { params: { id } })
    expect(['done', 'failed', 'cancelled']).toContain(clone.state)
    return clone
  }, wait)
}

const readNames = async (installation: TestInstallation) =>
  (await installation.send(listServers, { query: {} })).servers.map(({ name }) => name)

test('a clone of a server as it is now has its files, definition and tasks, and a port of its own', async ({
  installation,
}) => {
  const source = await createWorld(installation)
  const task = { name: 'Tidy up', cronSchedule: '', operations: [{ type: 'mkdir', target: 'tidy' }] }
  await installation.send(createTask, { params: { id: source.id }, body: task })

  const id = await start(installation, source.id, { data: { port: { value: 25_570 } } })

  expect(await ended(installation, id)).toMatchObject({ state: 'done', source: source.id })
  const dir = join(installation.folder, 'data', 'servers', id)
  expect(await readFile(join(dir, 'saves', 'level.dat'), 'utf8')).toBe('level')
  expect((await stat(join(dir, 'saves', 'level.dat'))).uid).toBe((await stat(dir)).uid)
  const cloned = await installation.send(getDefinition, { params: { id } })
  expect(cloned).toMatchObject({ run: { command: 'cat' }, data: { port: { value: 25_570 } } })
  expect(cloned.environment).toMatchObject({ limits: { memory: 300 } })
  const { tasks } = await installation.send(listTasks, { params: { id } })
  expect(Object.values(tasks)).toMatchObject([{ name: 'Tidy up' }])
  const { server } = await installation.send(getServer, { params: { id }, query: {} })
  expect(server).toMatchObject({ name: 'copy', port: 25_570, node: { id: 0 } })
  expect(await installation.send(listBackups, { params: { id: source.id } })).toHaveLength(1)
  expect(await readdir(source.dir)).toContain('saves')
})

test('a clone of a backup on another node has the files of the backup, with modes and links', async ({
  installation,
  node,
}) => {
  const source = await createWorld(installation)
  const backup = await backUp(installation, source.id)
  await writeFile(join(source.dir, 'saves', 'level.dat'), 'newer')

  const id = await start(installation, source.id, { node: node.id, backup })

  expect(await ended(installation, id)).toMatchObject({ state: 'done' })
  const dir = join(node.folder, 'data', 'servers', id)
  expect(await readFile(join(dir, 'saves', 'level.dat'), 'utf8')).toBe('level')
  expect((await stat(join(dir, 'start.sh'))).mode & 0o777).toBe(0o755)
  expect(await readlink(join(dir, 'latest'))).toBe('saves/level.dat')
  await expect(lstat(join(dir, 'outside'))).rejects.toThrow('ENOENT')
  const { server } = await installation.send(getServer, { params: { id }, query: {} })
  expect(server.node.id).toBe(node.id)
})

test('a clone that is canceled leaves no server: during its backup, its copy, or its copy to another node', async ({
  installation,
  node,
}) => {
  const source = await createLargeWorld(installation)
  const backup = await backUp(installation, source.id)
  const here = installation.folder

  for (const [folder, request] of [
    [here, {}],
    [here, { backup }],
    [node.folder, { backup, node: node.id }],
  ] as const) {
    const id = await start(installation, source.id, request)
    await installation.send(cancelClone, { params: { id } })

    expect(await ended(installation, id)).toMatchObject({ state: 'cancelled' })
    expect(await readNames(installation)).toEqual(['world'])
    await expectDeleted(folder, id)
  }
  expect(await readFile(join(source.dir, 'saves', 'level.dat'), 'utf8')).toBe('level')
})

/** A source that takes a while to copy. */
async function createLargeWorld(installation: TestInstallation): Promise<{ id: string; dir: string }> {
  const source = await createWorld(installation)
  for (const name of ['a', 'b', 'c', 'd']) await writeFile(join(source.dir, name), randomBytes(4_000_000))
  return source
}

async function expectDeleted(folder: string, id: string): Promise<void> {
  await vi.waitFor(() => {
    for (const name of [id, `${id}.json`]) expect(existsSync(join(folder, 'data', 'servers', name))).toBe(false)
  }, wait)
}

/** Whether the panel deletes it as soon as its request to create it cannot arrive any more. */
function isWaitingForDeletion(installation: TestInstallation, id: string): boolean {
  using database = new DatabaseSync(join(installation.folder, 'data', 'panel.db'))
  return database.prepare('SELECT 1 FROM unfinished_servers WHERE server_id = ?').get(id) !== undefined
}

async function expectComplete(installation: TestInstallation, id: string, folder = installation.folder): Promise<void> {
  expect(await ended(installation, id)).toMatchObject({ state: 'done' })
  const dir = join(folder, 'data', 'servers', id)
  expect(await readFile(join(dir, 'saves', 'level.dat'), 'utf8')).toBe('level')
  for (const name of ['a', 'b', 'c', 'd']) expect((await stat(join(dir, name))).size).toBe(4_000_000)
  expect(await readNames(installation)).toEqual(['copy', 'world'])
}

test('a clone goes on when its panel is stopped, with its node, during the backup and the copy', async ({
  installation,
}) => {
  const source = await createLargeWorld(installation)
  const id = await start(installation, source.id, {})
  const startClone = installation.send(startServer, { params: { id }, query: {} })
  await expect(startClone).rejects.toMatchObject({ code: 'ErrServerDisabled' })

  await installation.stop('SIGTERM')
  await installation.restart()
  await vi.waitFor(async () => {
    expect(['copy', 'done']).toContain((await installation.send(getClone, { params: { id } })).state)
  }, wait)
  await installation.stop('SIGTERM')
  await installation.restart()

  await expectComplete(installation, id)
})

test('a clone goes on when its panel is killed, also to another node', async ({ installation, node }) => {
  const source = await createLargeWorld(installation)
  const backup = await backUp(installation, source.id)
  const id = await start(installation, source.id, { node: node.id, backup })

  await installation.stop('SIGKILL')
  makeOld(installation, id)
  await installation.restart()

  await expectComplete(installation, id, node.folder)
})

test('a clone goes on when the node of the new server is restarted', async ({ installation, node }) => {
  const source = await createLargeWorld(installation)
  const backup = await backUp(installation, source.id)
  const id = await start(installation, source.id, { node: node.id, backup })

  await node.end('SIGKILL')
  await node.start()

  await expectComplete(installation, id, node.folder)
})

test('two nodes that clone servers to each other at once do not wait for each other', async ({
  installation,
  node,
}) => {
  const far = { name: 'far', node: node.id, folder: node.folder }
  const [here, there] = [await createWorld(installation), await createWorld(installation, far)]
  const backups = [await backUp(installation, here.id), await backUp(installation, there.id)]

  const clones = await Promise.all([
    start(installation, here.id, { name: 'a', node: node.id, backup: backups[0] }),
    start(installation, there.id, { name: 'b', node: 0, backup: backups[1] }),
    start(installation, here.id, { name: 'c', node: node.id, backup: backups[0] }),
    start(installation, there.id, { name: 'd', node: 0, backup: backups[1] }),
  ])

  for (const id of clones) {
    expect(await ended(installation, id)).toMatchObject({ state: 'done' })
    // It ran in the queue of its node, which does one job at a time.
    const jobs = await installation.send(listBackupJobs, { params: { id } })
    expect(jobs).toMatchObject([{ type: 'restore', state: 'done' }])
  }
})

test('a clone to a node that is gone for a minute has failed, and its files are deleted later', async ({
  installation,
  node,
}) => {
  const source = await createLargeWorld(installation)
  const backup = await backUp(installation, source.id)
  const id = await start(installation, source.id, { node: node.id, backup })

  await node.end('SIGKILL')
  const { state, error } = await ended(installation, id)
  expect([state, error?.code]).toEqual(['failed', expect.stringMatching(/^Err/)])
  await node.start()

  expect(isWaitingForDeletion(installation, id)).toBe(true)
  expect(await readNames(installation)).toEqual(['world'])
  expect(await readFile(join(source.dir, 'saves', 'level.dat'), 'utf8')).toBe('level')
})

/** Another panel continues a clone that its panel has not renewed for a minute. */
function makeOld(installation: TestInstallation, id: string): void {
  using database = new DatabaseSync(join(installation.folder, 'data', 'panel.db'))
  const { changes } = database.prepare('UPDATE clones SET updated_at = 0 WHERE server_id = ?').run(id)
  expect(changes).toBe(1)
}
