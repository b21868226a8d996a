import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getConsole, killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { test as base, expect, vi } from 'vitest'
import { BackupServer, getRestic, slowWait, test } from '../testing/backup-server.ts'
import { TestNode } from '../testing/daemon.ts'

const isRoot = process.getuid?.() === 0

/** Content that cannot be compressed or deduplicated. */
function fill(server: BackupServer, megabytes: number): void {
  for (let at = 0; at < megabytes; at++) server.write(`world/${at}`, randomBytes(500_000).toString('hex'))
}

/** Waits until the console contains a text, printed at any time. */
async function printed({ node, params }: BackupServer, text: string | RegExp): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await node.client.send(getConsole, { params })
    expect(body.logs).toMatch(text)
  }, slowWait)
}

/** Locks the repository exclusively, as a check by an administrator does, until it is released. */
async function lockRepository({ dataDir }: TestNode): Promise<AsyncDisposable & { release(): void }> {
  const dir = join(dataDir, 'backups')
  const locks = join(dir, 'repository', 'locks')
  const child = spawn('restic', ['--repo', join(dir, 'repository'), '--no-cache', 'check', '--read-data'], {
    env: { ...process.env, RESTIC_PASSWORD: readFileSync(join(dir, 'key'), 'utf8') },
    stdio: 'ignore',
  })
  await vi.waitUntil(() => readdirSync(locks).some((name) => /^[0-9a-f]{64}$/.test(name)), {
    timeout: slowWait.timeout,
    interval: 1,
  })
  child.kill('SIGSTOP')
  const exit = once(child, 'exit')
  const release = () => void child.kill('SIGKILL')
  return {
    release,
    async [Symbol.asyncDispose]() {
      release()
      await exit
    },
  }
}

/** Whether the processes of a server are frozen, according to the kernel. */
async function isFrozen(node: TestNode, { id }: BackupServer): Promise<boolean> {
  const pid = await node.findProcess(`${id}/main`)
  const group = /^0::(.*)$/m.exec(readFileSync(`/proc/${pid}/cgroup`, 'utf8'))?.[1] ?? ''
  const mount = /^\S+ (\S+) cgroup2 /m.exec(readFileSync('/proc/mounts', 'utf8'))?.[1] ?? ''
  return /^frozen 1$/m.test(readFileSync(join(mount, group, 'cgroup.events'), 'utf8'))
}

base('a killed daemon leaves no server paused, no half backup, and the old backups good', async () => {
  await using node = await TestNode.start({ apart: true })
  const server = new BackupServer(node)
  const backup = { before: ['save-off'], waitFor: 'never printed', after: ['save-on'], timeout: 60 }
  await server.create('echo', { backup })
  server.write('level.dat', 'old')
  const good = await server.backUp('good')
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const before = await node.client.watch(server.id)
  await server.start('interrupted')
  await before.untilText('echo: save-off')

  await node.kill()
  await node.start()

  await printed(server, 'echo: save-on')
  expect(await server.jobs()).toMatchObject([{ state: 'failed', error: { code: 'ErrTaskInterrupted' } }])
  expect((await server.list()).map(({ name }) => name)).toEqual(['good'])
  await node.client.send(killServer, { params: server.params, query: { wait: true } })
  server.write('level.dat', 'new')
  expect((await server.restore(good)).state).toBe('done')
  expect(server.read('level.dat')).toBe('old')
})

base.runIf(isRoot)('a server that stood still when the daemon was killed goes on', async () => {
  await using node = await TestNode.start({ apart: true, backups: { freezeMs: 60_000 } })
  const server = new BackupServer(node)
  await server.create('echo')
  fill(server, 60)
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  await server.start('interrupted')
  await vi.waitUntil(() => isFrozen(node, server), { timeout: slowWait.timeout, interval: 5 })

  await node.kill()
  expect(await isFrozen(node, server)).toBe(true)
  await node.start()

  const watcher = await node.client.watch(server.id)
  watcher.send({ type: 'console', command: 'hello' })
  await watcher.untilText('echo: hello')
  expect(await isFrozen(node, server)).toBe(false)
})

base.runIf(isRoot)(
  'a server that is killed while it stands still ends, and its next start is not affected',
  async () => {
    await using node = await TestNode.start({ backups: { freezeMs: 60_000 } })
    const server = new BackupServer(node)
    await server.create('echo')
    fill(server, 60)
    await node.client.send(startServer, { params: server.params, query: { wait: true } })
    const job = await server.start()
    await vi.waitUntil(() => isFrozen(node, server), { timeout: slowWait.timeout, interval: 5 })

    await node.client.send(killServer, { params: server.params, query: { wait: true } })
    await node.client.send(startServer, { params: server.params, query: { wait: true } })

    expect((await server.ended(job)).state).toBe('done')
    // It was started while its files were read.
    expect((await server.list())[0]?.server).toBe('running')
    const watcher = await node.client.watch(server.id)
    watcher.send({ type: 'console', command: 'hello' })
    await watcher.untilText('echo: hello')
  },
)

base('a restore that is interrupted before it changes a file starts the server again', async () => {
  await using node = await TestNode.start({ apart: true })
  const server = new BackupServer(node)
  await server.create('echo')
  fill(server, 60)
  const good = await server.backUp('good')
  fill(server, 60)
  const current = server.read('world/0')
  await node.client.send(startServer, { params: server.params, query: { wait: true } })
  const before = await node.client.watch(server.id)
  await server.startRestore(good)
  await before.untilText('Server was told to stop')
  // It stores the current files before it replaces them.
  await vi.waitFor(() => expect(getRestic(node.pid)).not.toEqual([]), slowWait)

  await node.kill()
  await node.start()

  await printed(server, /interrupted by a restart[\s\S]*Starting server/)
  expect(await server.jobs()).toMatchObject([{ type: 'restore', state: 'failed' }])
  expect(server.read('world/0')).toBe(current)
})

base.for(['former', 'placing'])(
  'a daemon that is killed while a restore renames files leaves a complete tree (%s)',
  {
    timeout: 120_000,
  },
  async (stage) => {
    await using node = await TestNode.start({ apart: true })
    const server = new BackupServer(node)
    await server.create('echo')
    const names = Array.from({ length: 3_000 }, (_, at) => `region-${at}`)
    for (const name of names) server.write(name, 'old')
    const backup = await server.backUp()
    for (const name of names) server.write(name, 'new')
    await node.client.send(startServer, { params: server.params, query: { wait: true } })
    await server.startRestore(backup)
    const isInHolder = (name: string) =>
      readdirSync(server.dir).some((entry) => entry.endsWith('.tmp') && existsSync(join(server.dir, entry, name)))
    // Shorter than the renames: the kill must come before their end.
    await vi.waitUntil(() => isInHolder(stage), { timeout: slowWait.timeout, interval: 1 })

    await node.kill()
    const isPlacing = isInHolder('placing')
    expect(isInHolder('former')).toBe(true)
    await node.start()

    const told = isPlacing ? 'The restore was completed' : 'The restore was undone'
    await printed(server, new RegExp(`${told}[\\s\\S]*Starting server`))
    expect(await server.jobs()).toMatchObject([{ type: 'restore', state: 'failed' }])
    expect(names.filter((name) => server.read(name) !== (isPlacing ? 'old' : 'new'))).toEqual([])
    await vi.waitFor(() => expect(readdirSync(server.dir).length).toBe(names.length), slowWait)
  },
)

test('while another program has locked the repository, backups fail with the reason; afterwards they work', async ({
  server,
}) => {
  await server.create()
  server.write('level.dat', 'level')
  const first = await server.backUp('first')
  await using lock = await lockRepository(server.node)

  const other = await server.ended(await server.start('meanwhile'))
  const restored = await server.restore(first)
  lock.release()

  expect(other).toMatchObject({
    state: 'failed',
    error: { code: 'ErrBackupFailed', metadata: { reason: expect.stringContaining('another program has locked') } },
  })
  expect(restored).toMatchObject({ state: 'failed' })
  expect(await server.backUp('after')).toMatchObject({ files: 1 })
  expect((await server.restore(first)).state).toBe('done')
})

test('a killed restic fails its job with the reason, and the next one works', async ({ server }) => {
  await server.create()
  fill(server, 60)
  const job = await server.start()
  await vi.waitFor(() => {
    for (const pid of getRestic(process.pid)) process.kill(pid, 'SIGKILL')
    return server.jobs().then(([one]) => expect(one?.state).toBe('failed'))
  }, slowWait)

  expect(await server.ended(job)).toMatchObject({
    error: { code: 'ErrBackupFailed', metadata: { reason: 'restic was ended by SIGKILL' } },
  })
  expect(await server.list()).toEqual([])
  expect(await server.backUp()).toMatchObject({ files: 60 })
})

base.runIf(isRoot)('a full disk fails a backup with the reason, and the old ones stay good', async () => {
  await using node = await TestNode.start()
  const repository = join(node.dataDir, 'backups', 'repository')
  mkdirSync(repository, { recursive: true, mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'none', repository])
  try {
    const server = new BackupServer(node)
    await server.create()
    server.write('level.dat', 'old')
    const good = await server.backUp()
    server.write('level.dat', 'new')
    fill(server, 30)

    const failed = await server.ended(await server.start())
    const restored = await server.restore(good, { paths: ['level.dat'] })

    expect(failed).toMatchObject({ state: 'failed', error: { code: 'ErrDisk' } })
    expect(restored.state).toBe('done')
    expect(server.read('level.dat')).toBe('old')
    await node.detach()
  } finally {
    execFileSync('umount', [repository])
  }
})
