import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup, BackupJob } from '@innkeeper/contract/backups/backups'
import * as calls from '@innkeeper/contract/backups/backups'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { BackupServer, slowWait } from '../testing/backup-server.ts'
import { contained, readContainers, wait } from '../testing/containers.ts'
import type { TestNode } from '../testing/daemon.ts'
import { TestEngine } from '../testing/engine.ts'
import { testWithEngine } from '../testing/engine-test.ts'

const test = testWithEngine(() => TestEngine.create())
const engines = { Docker: test, Podman: testWithEngine(() => TestEngine.createPodman()) }

/** Writes the same number to two files again and again. */
const twoFiles =
  'i=0; echo ready; while :; do i=$((i+1)); for f in first second; do echo $i > new; mv new $f; done; done'
/** Ready when it has read its file; fails without it. Prints its network devices. */
const world = 'cat level.dat || exit 1; echo made > made; echo devices $(ls /sys/class/net); echo "Done!"; cat'

async function paused(engine: TestEngine, node: TestNode): Promise<boolean> {
  return (await readContainers(node, engine)).some(({ State }) => State === 'paused')
}

async function verify(server: BackupServer, { id }: Backup): Promise<BackupJob> {
  const { body } = await server.node.client.send(calls.verifyBackup, { params: { ...server.params, backup: id } })
  return await server.ended(body)
}

const getCopies = ({ dataDir }: TestNode) => readdirSync(join(dataDir, 'copies'))

async function createWorld(server: BackupServer, environment: object = {}): Promise<void> {
  const run = { readyPattern: 'Done!' }
  await server.node.client.create(server.id, ...contained(world, { run, environment }))
}

/** Content that cannot be compressed or deduplicated. */
function fill(server: BackupServer, files: number): void {
  for (let at = 0; at < files; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))
}

test('after the limit a container goes on, and the backup is marked', { timeout: 120_000 }, async ({ startNode }) => {
  await using node = await startNode({ backups: { freezeMs: 1 } })
  const server = new BackupServer(node)
  await node.client.create(server.id, ...contained(twoFiles))
  const watcher = await node.client.watch(server.id)
  await node.client.send(startServer, { params: server.params, query: wait })
  await watcher.untilText('ready')

  const backup = await server.backUp()

  expect(backup.server).toBe('running')
  await node.client.send(killServer, { params: server.params, query: wait })
})

test('a container that stood still when the daemon was killed goes on, also when the engine responds later', {
  timeout: 180_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode({ apart: true, backups: { freezeMs: 60_000 } })
  const server = new BackupServer(node)
  await node.client.create(server.id, ...contained(twoFiles))
  fill(server, 60)
  const watcher = await node.client.watch(server.id)
  await node.client.send(startServer, { params: server.params, query: wait })
  await watcher.untilText('ready')

  for (const isLate of [false, true]) {
    await server.start('interrupted')
    await vi.waitUntil(() => paused(engine, node), { ...slowWait, interval: 5 })
    await node.kill()
    expect(await paused(engine, node)).toBe(true)
    if (isLate) engine.signal('SIGSTOP')
    try {
      await node.start()
    } finally {
      engine.signal('SIGCONT')
    }
    await vi.waitFor(async () => expect(await paused(engine, node)).toBe(false), slowWait)
    const before = server.read('first')
    await vi.waitFor(() => expect(server.read('first')).not.toBe(before), slowWait)
  }
  await node.client.send(killServer, { params: server.params, query: wait })
})

for (const [name, engineTest] of Object.entries(engines)) {
  engineTest(
    `a container of ${name} stands still while its files are read, and goes on`,
    { timeout: 120_000 },
    async ({ startNode }) => {
      await using node = await startNode({ backups: { freezeMs: 60_000 } })
      const server = new BackupServer(node)
      await node.client.create(server.id, ...contained(twoFiles))
      const watcher = await node.client.watch(server.id)
      await node.client.send(startServer, { params: server.params, query: wait })
      await watcher.untilText('ready')

      const backup = await server.backUp()

      expect(backup.server).toBe('paused')
      const before = server.read('first')
      await vi.waitFor(() => expect(server.read('first')).not.toBe(before), slowWait)
      await node.client.send(killServer, { params: server.params, query: wait })
      expect((await server.restore(backup)).state).toBe('done')
      const [first, second] = [Number(server.read('first')), Number(server.read('second'))]
      // It may be frozen between the two.
      expect([first, first - 1]).toContain(second)
    },
  )

  engineTest(
    `a backup of a container of ${name} is proved by a copy without a network, ports and other folders; nothing is left`,
    {
      timeout: 120_000,
    },
    async ({ engine, startNode }) => {
      await using node = await startNode()
      const server = new BackupServer(node)
      await createWorld(server, { limits: { memory: 64, processes: 20 }, portBindings: ['127.0.0.1:39876:7777/tcp'] })
      server.write('level.dat', 'level 7\n')
      const backup = await server.backUp()
      const events: Promise<unknown>[] = []
      const timer = setInterval(() => events.push(inspected(engine, node)), 50)

      const job = await verify(server, backup).finally(() => clearInterval(timer))

      expect(job).toMatchObject({ state: 'done' })
      expect((await server.list())[0]?.verification).toMatchObject({ files: 1, bootedInMs: expect.any(Number) })
      expect(server.read('made')).toBeUndefined()
      await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
      expect(getCopies(node)).toEqual([])
      const found = (await Promise.all(events)).find((one) => one !== undefined)
      expect(found).toMatchObject({
        Name: expect.stringMatching(`innkeeper-${server.id}-copy$`),
        HostConfig: { NetworkMode: 'none', PortBindings: {}, Memory: 64 * 1024 ** 2, PidsLimit: 20 },
        Mounts: [{ Source: join(node.dataDir, 'copies', server.id) }],
      })
    },
  )
}

/** The container of a copy, while there is one. */
async function inspected(engine: TestEngine, node: TestNode): Promise<unknown> {
  const [container] = await readContainers(node, engine).catch(() => [])
  return (
    container &&
    (await engine.docker
      .getContainer(container.Id)
      .inspect()
      .catch(() => undefined))
  )
}

test('a copy that ends fails the proof with its output; without its image it is not started', {
  timeout: 180_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode()
  const server = new BackupServer(node)
  await createWorld(server)
  server.write('other', 'other')
  const console = await node.client.watch(server.id)

  const failed = await verify(server, await server.backUp())
  const other = new BackupServer(node)
  await createWorld(other, { image: 'innkeeper/missing:1' })
  other.write('level.dat', 'level')
  const missing = await verify(other, await other.backUp())

  expect(failed).toMatchObject({ state: 'failed', error: { code: 'ErrBackupNotBooted' } })
  await console.untilText("Copy: cat: can't open 'level.dat'")
  expect(missing.state).toBe('done')
  expect((await other.list())[0]?.verification).toMatchObject({
    files: 1,
    notBooted: expect.stringContaining('innkeeper/missing:1'),
  })
  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
  expect(getCopies(node)).toEqual([])
})

test('after a crash of the daemon, the next one removes the container of a copy and its files', {
  timeout: 120_000,
}, async ({ engine, startNode }) => {
  await using node = await startNode({ apart: true })
  const server = new BackupServer(node)
  await node.client.create(server.id, ...contained('echo begun; cat', { run: { readyPattern: 'never printed' } }))
  server.write('level.dat', 'level')
  const { id } = await server.backUp()
  await node.client.send(calls.verifyBackup, { params: { ...server.params, backup: id } })
  await vi.waitFor(async () => {
    expect(await readContainers(node, engine)).toMatchObject([{ State: 'running' }])
  }, slowWait)

  await node.kill()
  expect(getCopies(node)).toEqual([server.id])
  await node.start()

  await vi.waitFor(async () => expect(await readContainers(node, engine)).toEqual([]), slowWait)
  expect(getCopies(node)).toEqual([])
})
