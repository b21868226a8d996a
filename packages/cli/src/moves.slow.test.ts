import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, readlink, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import {
  cancelMove,
  deleteFormerCopy,
  getMove,
  goBack,
  type Move,
  moveServer,
  planMove,
} from '@innkeeper/contract/moves/moves'
import { putNodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import { getConsoleHistory } from '@innkeeper/contract/servers/console-history'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStatus, sendCommand, startServer } from '@innkeeper/contract/servers/node-servers'
import { deleteServer, getServer, listServers } from '@innkeeper/contract/servers/servers'
import { endSuspension, suspendServer } from '@innkeeper/contract/servers/suspension'
import { createTask, listTasks } from '@innkeeper/contract/servers/tasks'
import { TestEngine, testImage } from '@innkeeper/daemon/testing/engine'
import { test as base, expect, vi } from 'vitest'
import { withDocker } from './testing/innkeeper-process.ts'
import { RemoteNode } from './testing/remote-node.ts'
import { TestInstallation } from './testing/test-installation.ts'

// Most of the time they wait for processes.
vi.setConfig({ testTimeout: 420_000, hookTimeout: 120_000, maxConcurrency: 3 })

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

const wait = { timeout: 180_000, interval: 100 }
const definition = {
  type: 'test',
  name: 'world',
  data: { port: { value: 25_565, type: 'integer' } },
  // A world that changes while it is copied.
  run: { command: 'sh -c "echo started; while read line; do echo $line >> log.txt; done"' },
  environment: { type: 'standard' },
} as const

interface World {
  readonly id: string
  readonly params: { readonly id: string }
}

const getFolder = (at: { readonly folder: string }, { id }: World) => join(at.folder, 'data', 'servers', id)

interface WorldOptions {
  readonly name?: string
  readonly largeFiles?: number
  readonly at?: { readonly id: number; readonly folder: string }
  readonly run?: object
  readonly environment?: object
}

/** A running server, by default of the node of the panel, with files of all kinds. */
async function createWorld(
  installation: TestInstallation,
  { name = definition.name, largeFiles = 1, at = { id: 0, folder: installation.folder }, ...more }: WorldOptions = {},
): Promise<World> {
  const { id } = await installation.send(createServer, { body: { ...definition, ...more, name, node: at.id } })
  const world = { id, params: { id } }
  const dir = getFolder(at, world)
  await mkdir(join(dir, 'saves'), { recursive: true })
  await writeFile(join(dir, 'saves', 'level.dat'), 'level')
  await writeFile(Buffer.concat([Buffer.from(`${dir}/`), Buffer.from([0x77, 0xff])]), 'not UTF-8')
  await writeFile(join(dir, 'start.sh'), '#!/bin/sh')
  await chmod(join(dir, 'start.sh'), 0o755)
  await symlink('saves/level.dat', join(dir, 'latest'))
  for (let at = 0; at < largeFiles; at++) await writeFile(join(dir, `region-${at}`), randomBytes(3_000_000))
  await installation.send(startServer, { params: { id }, query: { wait: 'true' } })
  return world
}

async function move(installation: TestInstallation, { params }: World, node: number): Promise<void> {
  await installation.send(moveServer, { params, body: { node } })
}

async function reaches(installation: TestInstallation, { params }: World, ...states: Move['state'][]): Promise<Move> {
  return await vi.waitFor(async () => {
    const found = await installation.send(getMove, { params })
    expect(states).toContain(found?.state)
    return found as Move
  }, wait)
}

/** Hashes of all files, and targets of links, by path. */
async function hashes(dir: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true, encoding: 'latin1' as 'utf8' })) {
    const path = Buffer.from(join(entry.parentPath, entry.name), 'latin1')
    const name = path.toString('latin1').slice(dir.length + 1)
    if (entry.isFile())
      found[name] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex')
    if (entry.isSymbolicLink()) found[name] = await readlink(path)
  }
  return found
}

/** The nodes that list the server: exactly one must, and only there may it start. */
function loadedAt(world: World, ...nodes: readonly { readonly folder: string }[]): boolean[] {
  return nodes.map((node) => existsSync(join(node.folder, 'data', 'servers', `${world.id}.json`)))
}

async function expectOnline(installation: TestInstallation, { params }: World): Promise<void> {
  await vi.waitFor(async () => {
    expect((await installation.send(getStatus, { params })).state).toBe('online')
  }, wait)
}

async function nodeOf(installation: TestInstallation, { params }: World): Promise<number> {
  return (await installation.send(getServer, { params, query: {} })).server.node.id
}

test.concurrent('a running server changes its node with its files, tasks and console, and goes back with what has changed since', async ({
  installation,
  node,
}) => {
  const world = await createWorld(installation)
  const { params } = world
  const task = { name: 'Tidy up', cronSchedule: '', operations: [{ type: 'mkdir', target: 'tidy' }] }
  await installation.send(createTask, { params, body: task })
  await installation.send(sendCommand, { params, body: 'before' })
  const [here, there] = [getFolder(installation, world), getFolder(node, world)]
  await vi.waitFor(async () => expect(await readFile(join(here, 'log.txt'), 'utf8')).toBe('before\n'), wait)
  const before = await hashes(here)

  await move(installation, world, node.id)
  const done = await reaches(installation, world, 'done', 'failed')

  expect(done).toMatchObject({ state: 'done', from: { id: 0 }, to: { id: node.id, name: 'far' } })
  expect([done.error, done.backUntil]).toEqual([undefined, expect.any(String)])
  expect(await hashes(there)).toEqual(before)
  expect((await stat(join(there, 'start.sh'))).mode & 0o777).toBe(0o755)
  expect(loadedAt(world, installation, node)).toEqual([false, true])
  await expectOnline(installation, world)
  expect(await nodeOf(installation, world)).toBe(node.id)
  expect(Object.values((await installation.send(listTasks, { params })).tasks)).toMatchObject([{ name: 'Tidy up' }])
  const { logs } = await installation.send(getConsoleHistory, { params, query: {} })
  expect(
    logs
      .map(({ text }) => text)
      .join('')
      .match(/^started/gm),
  ).toHaveLength(2)
  await installation.send(sendCommand, { params, body: 'there' })
  await vi.waitFor(async () => expect(await readFile(join(there, 'log.txt'), 'utf8')).toMatch('there\n'), wait)

  await installation.send(goBack, { params })
  expect(await reaches(installation, world, 'back', 'done')).toMatchObject({ state: 'back' })

  expect(await readFile(join(here, 'log.txt'), 'utf8')).toBe('before\nthere\n')
  await expectOnline(installation, world)
  expect(await nodeOf(installation, world)).toBe(0)
  expect(loadedAt(world, installation, node)).toEqual([true, false])
  await vi.waitFor(() => expect(existsSync(there)).toBe(false), wait)
})

test.concurrent('a node that is draining gets no server', async ({ installation, node }) => {
  const { params } = await createWorld(installation)
  await installation.send(putNodeAvailability, { params: { id: node.id }, body: { state: 'draining' } })

  expect((await installation.send(planMove, { params, query: { node: node.id } })).error?.code).toBe('ErrNodeDraining')
  await expect(installation.send(moveServer, { params, body: { node: node.id } })).rejects.toThrow(/draining/)
  expect(await installation.send(getMove, { params })).toBeNull()
})

test.concurrent('a port that is taken on the other node changes, and the copy on the former node can be deleted', async ({
  installation,
  node,
}) => {
  await installation.send(createServer, { body: { ...definition, name: 'other', node: node.id } })
  const world = await createWorld(installation)
  const { params } = world

  await move(installation, world, node.id)
  await reaches(installation, world, 'done')

  const { data } = await installation.send(getDefinition, { params })
  expect(data.port?.value).toBe(25_566)
  expect((await installation.send(getServer, { params, query: {} })).server.port).toBe(25_566)
  await expect(move(installation, world, 0)).rejects.toMatchObject({ code: 'ErrServerMoved' })
  await installation.send(deleteFormerCopy, { params })
  await vi.waitFor(() => expect(existsSync(getFolder(installation, world))).toBe(false), wait)
  expect(existsSync(join(installation.folder, 'data', 'servers', `${world.id}.moved`))).toBe(false)
  await expect(installation.send(goBack, { params })).rejects.toMatchObject({ code: 'ErrNotFound' })
})

test.concurrent('a server whose files were changed without a new time is moved as it is', async ({
  installation,
  node,
}) => {
  const world = await createWorld(installation, { largeFiles: 4 })
  const [here, there] = [getFolder(installation, world), getFolder(node, world)]
  const level = join(here, 'saves', 'level.dat')
  const { mtime } = await stat(level)

  await move(installation, world, node.id)
  await writeFile(level, 'LEVEL')
  await utimes(level, mtime, mtime)
  expect(await reaches(installation, world, 'done', 'failed')).toMatchObject({ state: 'done' })

  expect(await hashes(there)).toEqual(await hashes(here))
  expect(await readFile(join(there, 'saves', 'level.dat'), 'utf8')).toBe('LEVEL')
})

test.concurrent('a canceled move leaves the server where it is, running, and nothing on the other node', async ({
  installation,
  node,
}) => {
  const world = await createWorld(installation, { largeFiles: 20 })
  const before = await hashes(getFolder(installation, world))

  await move(installation, world, node.id)
  await installation.send(cancelMove, { params: world.params })

  await reaches(installation, world, 'cancelled')
  await expectOnline(installation, world)
  expect(await hashes(getFolder(installation, world))).toEqual(before)
  expect(loadedAt(world, installation, node)).toEqual([true, false])
  await vi.waitFor(() => expect(existsSync(getFolder(node, world))).toBe(false), wait)
})

test.concurrent('a suspended server stays suspended on its new node', async ({ installation, node }) => {
  const world = await createWorld(installation)
  const { params } = world
  await installation.send(suspendServer, { params, body: { reason: 'The invoice is open.' } })

  await move(installation, world, node.id)
  expect(await reaches(installation, world, 'done', 'failed')).toMatchObject({ state: 'done' })

  const start = () => installation.send(startServer, { params, query: { wait: 'true' } })
  await expect(start()).rejects.toMatchObject({ code: 'ErrServerSuspended' })
  await node.end('SIGTERM')
  await node.start()
  await vi.waitFor(() => node.expectNoProblem(installation), wait)
  await expect(start()).rejects.toMatchObject({ code: 'ErrServerSuspended' })
  const { server } = await installation.send(getServer, { params, query: {} })
  expect([server.node.id, server.suspension?.reason]).toEqual([node.id, 'The invoice is open.'])
  await installation.send(endSuspension, { params })
  await start()
  await expectOnline(installation, world)
})

base.runIf(process.getuid?.() === 0).concurrent('a server in a container moves, and goes back', async () => {
  await using engine = await TestEngine.create()
  const command = withDocker(engine.socketPath)
  await using installation = await TestInstallation.start(undefined, {}, command)
  await using node = await RemoteNode.join(installation, {}, command)
  const loop = 'while read line; do [ $line = stop ] && exit; echo $line >> log.txt; done'
  const world = await createWorld(installation, {
    run: { command: `sh -c "echo started; ${loop}"`, stop: 'stop' },
    environment: { type: 'docker', image: testImage },
  })
  const { params } = world
  const readLog = (at: { readonly folder: string }) => readFile(join(getFolder(at, world), 'log.txt'), 'utf8')
  const sendLine = async (line: string, at: { readonly folder: string }) => {
    await installation.send(sendCommand, { params, body: line })
    await vi.waitFor(async () => expect(await readLog(at)).toMatch(`${line}\n`), wait)
  }
  await sendLine('here', installation)

  await move(installation, world, node.id)
  expect(await reaches(installation, world, 'done', 'failed')).toMatchObject({ state: 'done' })
  await expectOnline(installation, world)
  await sendLine('there', node)
  const labels = (await engine.docker.listContainers()).map(({ Labels }) => Labels['innkeeper.data'])
  await installation.send(goBack, { params })
  expect(await reaches(installation, world, 'back', 'done')).toMatchObject({ state: 'back' })
  await expectOnline(installation, world)

  expect(labels).toEqual([join(node.folder, 'data')])
  expect(await readLog(installation)).toBe('here\nthere\n')
})

/** Another panel continues a move that its panel has not renewed for a minute. */
function makeOld(installation: TestInstallation, { id }: World): void {
  using database = new DatabaseSync(join(installation.folder, 'data', 'panel.db'))
  database.prepare('UPDATE moves SET updated_at = 0 WHERE server_id = ?').run(id)
}

/** The state of a move while the panel may be down. */
function stateOf(installation: TestInstallation, { id }: World): unknown {
  using database = new DatabaseSync(join(installation.folder, 'data', 'panel.db'), { readOnly: true })
  return database.prepare('SELECT state FROM moves WHERE server_id = ?').get(id)?.state
}

const steps = ['copying', 'stopping', 'changes', 'starting'] as const

/** Waits until a move has reached a step, or a later one. */
async function untilStep(
  installation: TestInstallation,
  world: World,
  states: readonly string[],
  step: string,
): Promise<void> {
  await vi.waitFor(
    () => {
      const at = states.indexOf(String(stateOf(installation, world)))
      expect(at === -1 ? states.length : at).toBeGreaterThanOrEqual(states.indexOf(step))
    },
    { timeout: 60_000, interval: 5 },
  )
}

type Kill = (parts: { installation: TestInstallation; node: RemoteNode; world: World }) => Promise<void>

async function killPanel({ installation, world }: Parameters<Kill>[0]): Promise<void> {
  await installation.stop('SIGKILL')
  makeOld(installation, world)
  await installation.restart()
}

async function killNode({ node }: Parameters<Kill>[0]): Promise<void> {
  await node.end('SIGKILL')
  await node.start()
}

async function cutNetwork({ node }: Parameters<Kill>[0]): Promise<void> {
  node.line.cut()
  await pause(3_000)
  node.line.restore()
}

// The panel is in one process with its own node.
const kills: readonly (readonly [what: string, from: 'here' | 'there', kill: Kill])[] = [
  ['the panel and the old node are killed', 'here', killPanel],
  ['the panel and the new node are killed', 'there', killPanel],
  ['the new node is killed', 'here', killNode],
  ['the old node is killed', 'there', killNode],
  ['the network fails', 'here', cutNetwork],
]

test.concurrent.for(kills)(
  'a move goes on when %s in any step, without a lost or doubled byte or server',
  async ([, from, kill], { installation, node }) => {
    const here = { id: 0, folder: installation.folder }
    const [source, target] = from === 'here' ? [here, node] : [node, here]
    for (const step of steps) {
      const world = await createWorld(installation, { name: step, largeFiles: 12, at: source })
      const before = await hashes(getFolder(source, world))

      await move(installation, world, target.id)
      await untilStep(installation, world, steps, step)
      // In the middle of the files.
      if (step === 'copying') await vi.waitUntil(() => existsSync(getFolder(target, world)), { ...wait, interval: 1 })
      await kill({ installation, node, world })

      const moved = await reaches(installation, world, 'done', 'failed', 'cancelled')
      expect(moved, step).toMatchObject({ state: 'done' })
      expect(await hashes(getFolder(target, world))).toEqual(before)
      expect(loadedAt(world, source, target)).toEqual([false, true])
      await expectOnline(installation, world)
      const { servers } = await installation.send(listServers, { query: {} })
      expect(servers.filter(({ name }) => name === step)).toMatchObject([{ id: world.id, node: { id: target.id } }])
      await installation.send(deleteServer, { params: world.params, query: {} })
    }
  },
)

test.concurrent.for([
  ['the panel and the former node are killed', killPanel],
  ['the new node is killed', killNode],
] as const)('a server goes back when %s meanwhile', async ([, kill], { installation, node }) => {
  const world = await createWorld(installation, { largeFiles: 12 })
  await move(installation, world, node.id)
  await reaches(installation, world, 'done')
  await writeFile(join(getFolder(node, world), 'saves', 'level.dat'), 'higher level')
  const before = await hashes(getFolder(node, world))

  await installation.send(goBack, world)
  await untilStep(installation, world, ['done', 'goingBack'], 'goingBack')
  await kill({ installation, node, world })

  expect(await reaches(installation, world, 'back', 'failed')).toMatchObject({ state: 'back' })
  expect(await hashes(getFolder(installation, world))).toEqual(before)
  expect(loadedAt(world, installation, node)).toEqual([true, false])
  await expectOnline(installation, world)
})
