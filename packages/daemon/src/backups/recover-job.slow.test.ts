import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { test as base, expect } from 'vitest'
import { BackupServer } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

/** As an earlier daemon named it. */
const holderName = '.innkeeper-01234567-0123-4567-89ab-0123456789ab.tmp'

/** A server whose restore was interrupted: all former files were moved away, with `placing` the new ones come next. */
class InterruptedRestore {
  readonly server: BackupServer
  readonly holder: string
  readonly marker: string

  constructor(server: BackupServer) {
    this.server = server
    this.holder = join(server.dir, holderName)
    this.marker = join(server.node.dataDir, 'backups', 'jobs', 'interrupted.json')
  }

  async prepare({ isPlacing = false, ...marker }: { isPlacing?: boolean; definition?: object } = {}): Promise<void> {
    const { server, holder } = this
    server.write('level.dat', 'former')
    await server.node.detach()
    mkdirSync(join(holder, 'former'), { recursive: true })
    mkdirSync(join(holder, 'tree'))
    renameSync(join(server.dir, 'level.dat'), join(holder, 'former', 'level.dat'))
    writeFileSync(join(holder, 'tree', 'level.dat'), 'restored')
    if (isPlacing) mkdirSync(join(holder, 'placing'))
    mkdirSync(join(this.marker, '..'), { recursive: true })
    const job = { id: 'interrupted', type: 'restore', name: '', startedAt: new Date().toISOString() }
    writeFileSync(
      this.marker,
      JSON.stringify({ ...job, server: server.id, startAgain: true, replacing: holderName, ...marker }),
    )
  }

  async console(): Promise<string> {
    return (await this.server.node.client.send(getConsole, { params: this.server.params })).body.logs
  }
}

const test = base.extend<{ interrupted: InterruptedRestore }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  interrupted: async ({}, use) => {
    await using node = await TestNode.start()
    const server = new BackupServer(node)
    await server.create('echo')
    await use(new InterruptedRestore(server))
  },
})

test('a restore that was interrupted before it placed files is undone', async ({ interrupted }) => {
  const { server, marker } = interrupted
  await interrupted.prepare()

  await server.node.start()

  expect(server.read('level.dat')).toBe('former')
  expect(await interrupted.console()).toMatch(/A restore was interrupted[\s\S]*undone[\s\S]*Starting server/)
  expect(existsSync(marker)).toBe(false)
})

test('one that had begun to place files is completed, with the definition', async ({ interrupted }) => {
  const { server } = interrupted
  const { body: definition } = await server.node.client.send(getDefinition, { params: server.params })
  const restored = { ...definition, data: { port: { value: '1' } } }
  await interrupted.prepare({ isPlacing: true, definition: restored })

  await server.node.start()

  expect(server.read('level.dat')).toBe('restored')
  const { body } = await server.node.client.send(getDefinition, { params: server.params })
  expect(body.data).toMatchObject({ port: { value: '1' } })
  expect(await interrupted.console()).toContain('The restore was completed')
})

test('while newer files are in the way, the server cannot be started; the next daemon tries again', async ({
  interrupted,
}) => {
  const { server, marker, holder } = interrupted
  const start = () => server.node.client.send(startServer, { params: server.params, query: { wait: true } })
  await interrupted.prepare()
  server.write('level.dat', 'newer')

  await server.node.start()

  expect(server.read('level.dat')).toBe('newer')
  expect(readFileSync(join(holder, 'former', 'level.dat'), 'utf8')).toBe('former')
  expect((await start()).body.error).toMatchObject({ code: 'ErrFilesIncomplete' })
  expect(await interrupted.console()).toContain('level.dat could not be moved: newer files have their names')
  expect(existsSync(marker)).toBe(true)
  await server.node.detach()
  rmSync(join(server.dir, 'level.dat'))
  await server.node.start()
  expect(server.read('level.dat')).toBe('former')
  expect(existsSync(marker)).toBe(false)
})

test('after a crash of the machine there is no pause to undo, and a server that was stopped for the job starts again', async ({
  interrupted,
}) => {
  const { server, marker } = interrupted
  await server.node.detach()
  const job = { id: 'interrupted', type: 'create', name: '', startedAt: new Date().toISOString(), server: server.id }
  mkdirSync(join(marker, '..'), { recursive: true })
  writeFileSync(marker, JSON.stringify({ ...job, after: ['save-on'], isFrozen: true, startAgain: true }))

  await server.node.start()

  const watcher = await server.node.client.watch(server.id)
  watcher.send({ type: 'replay' })
  await watcher.untilText('ready')
  watcher.send({ type: 'console', command: 'hello' })
  await watcher.untilText('echo: hello')
  expect(watcher.text).not.toContain('save-on')
  expect(existsSync(marker)).toBe(false)
})

test('after a restore of everything such a server can be started, and keeps the restored files', async ({
  interrupted,
}) => {
  const { server, marker } = interrupted
  server.write('level.dat', 'stored')
  const backup = await server.backUp()
  await interrupted.prepare()
  server.write('level.dat', 'newer')
  await server.node.start()

  expect((await server.restore(backup)).state).toBe('done')

  expect(existsSync(marker)).toBe(false)
  const started = await server.node.client.send(startServer, { params: server.params, query: { wait: true } })
  expect(started.status).toBe(204)
  await server.node.detach()
  await server.node.start()
  expect(server.read('level.dat')).toBe('stored')
  await expect.poll(() => readdirSync(server.dir)).toEqual(['level.dat'])
})
