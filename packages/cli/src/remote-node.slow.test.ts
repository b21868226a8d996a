import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getConsole, getStatus, restartServer, sendCommand, startServer } from '@innkeeper/contract/node-servers'
import {
  createNode,
  deleteNode,
  getNode,
  getNodeDeployment,
  getNodeFeatures,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes'
import { createServer, deleteServer, getUsage } from '@innkeeper/contract/servers'
import { createTask, listTaskRuns } from '@innkeeper/contract/tasks'
import { connect } from '@innkeeper/panel/database/database'
import { openOperatorContext } from '@innkeeper/panel/operator-context'
import pino from 'pino'
import { test as base, expect, vi } from 'vitest'
import { CuttableLine } from './testing/cuttable-line.ts'
import { freePort } from './testing/free-port.ts'
import { Inn } from './testing/inn.ts'
import { Program } from './testing/program.ts'

/** A node apart from the panel, set up with what the panel's page of it says. */
class RemoteNode implements AsyncDisposable {
  readonly id: number
  readonly folder: string
  /** The way of the panel to it. */
  readonly line: CuttableLine
  #program: Program | undefined

  private constructor(id: number, folder: string, line: CuttableLine) {
    this.id = id
    this.folder = folder
    this.line = line
  }

  static async join(inn: Inn): Promise<RemoteNode> {
    const [line, sftpPort] = [await CuttableLine.lay(), await freePort()]
    const described = { name: 'far', publicHost: '127.0.0.1', privatePort: line.port, sftpPort }
    const { id } = await inn.send(createNode, { body: described })
    const node = new RemoteNode(id, await mkdtemp(join(tmpdir(), 'innkeeper-node-')), line)
    await node.configure(inn)
    await node.start()
    await vi.waitFor(async () => expect(await node.stateSeenBy(inn)).toBe('online'), { timeout: 30_000 })
    return node
  }

  /** Writes the configuration as an operator does who copies it. */
  async configure(inn: Inn): Promise<void> {
    const { config } = await inn.send(getNodeDeployment, { params: { id: this.id } })
    const nodePort = await freePort()
    const here = { dataDir: join(this.folder, 'data'), nodeHost: '127.0.0.1', nodePort, sftpHost: '127.0.0.1' }
    await writeFile(join(this.folder, 'config.json'), JSON.stringify({ ...JSON.parse(config), ...here }))
    this.line.leadTo(nodePort)
  }

  async start(): Promise<void> {
    this.#program = await Program.start({ INNKEEPER_CONFIG: join(this.folder, 'config.json') })
  }

  get said(): string {
    return this.#program?.said ?? ''
  }

  async stateSeenBy(inn: Inn): Promise<string | undefined> {
    return (await inn.send(getNode, { params: { id: this.id } })).health?.state
  }

  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.end(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGINT')
    await this.line[Symbol.asyncDispose]()
    // One that was killed may have left a process that compiles for a moment more.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

// Two programs are started, and one of them again.
vi.setConfig({ testTimeout: 150_000, hookTimeout: 60_000 })

const test = base.extend<{ inn: Inn; node: RemoteNode }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  inn: async ({}, use) => {
    await using inn = await Inn.open()
    await use(inn)
  },
  node: async ({ inn }, use) => {
    await using node = await RemoteNode.join(inn)
    await use(node)
  },
})

const echo = { type: 'test', data: {}, run: { command: 'cat' }, environment: { type: 'standard' } }

test('a server on another machine is used as one of this machine, and runs on while panel or node are away', async ({
  inn,
  node,
}) => {
  // What a machine does not hold servers to is said at the start of its node, and by the panel to whoever asks.
  for (const [id, { said }] of [
    [0, inn],
    [node.id, node],
  ] as const) {
    const { isolation } = await inn.send(getNodeFeatures, { params: { id } })
    const { user, hiddenProcesses, noNewPrivileges, limits } = isolation ?? {}
    const lacks = [user, hiddenProcesses, noNewPrivileges, ...Object.values(limits ?? {})].filter(
      (ability) => !ability?.enforced,
    )
    // No machine holds them to their disk.
    expect(lacks).toContainEqual(limits?.disk)
    for (const lack of lacks) expect(said).toContain(lack?.reason)
    expect((await inn.send(getNode, { params: { id } })).health?.features?.isolation).toEqual(isolation)
  }

  const params = await inn.send(createServer, { body: { ...echo, name: 'echo', node: node.id } })
  await inn.send(startServer, { params, query: { wait: 'true' } })
  await inn.send(sendCommand, { params, body: 'are you there' })
  const consoleSays = async () => (await inn.send(getConsole, { params, query: { time: '0' } })).logs
  await vi.waitFor(async () => expect(await consoleSays()).toContain('are you there'))

  const content = randomBytes(3_000_000)
  const path = `/proxy/daemon/server/${params.id}/file/a%20world.dat`
  expect((await inn.fetch(path, { method: 'PUT', body: content })).status).toBe(204)
  expect((await inn.fetch(`/proxy/daemon/server/${params.id}/file/new?folder=true`, { method: 'PUT' })).ok).toBe(true)
  expect(Buffer.from(await (await inn.fetch(path)).arrayBuffer()).equals(content)).toBe(true)
  const files = join(node.folder, 'data', 'servers', params.id)
  expect((await readdir(files)).toSorted()).toEqual(['a world.dat', 'new'])
  await vi.waitFor(async () => {
    const [usage] = await inn.send(getUsage, { query: { ids: params.id } })
    expect(usage).toMatchObject({ id: params.id, status: { state: 'online' } })
  })
  await expect(inn.send(deleteNode, { params: { id: node.id }, query: {} })).rejects.toMatchObject({
    code: 'ErrNodeHasServers',
    metadata: { servers: 'echo' },
  })

  const task = { name: 'Tidy up', cronSchedule: '*/2 * * * * *', operations: [{ type: 'mkdir', target: 'tidy' }] }
  const { id: tidying } = await inn.send(createTask, { params, body: task })
  const untilTidy = () =>
    vi.waitFor(async () => expect(await readdir(files)).toContain('tidy'), { timeout: 30_000, interval: 100 })
  await untilTidy()

  const since = (await inn.send(getStatus, { params })).since
  await inn.end('SIGKILL')
  await vi.waitFor(() => expect(node.said).toContain('failed to report to the panel'), { timeout: 30_000 })
  const away = new Date().toISOString()
  await rm(join(files, 'tidy'), { recursive: true })
  await untilTidy()
  const back = new Date().toISOString()
  await inn.startAgain()
  const runs = await inn.send(listTaskRuns, { params: { ...params, task: tidying } })
  const meanwhile = runs.filter(({ startedAt, endedAt = '' }) => startedAt <= back && away <= endedAt)
  expect(meanwhile.map(({ result }) => result)).toContain('done')

  const sinceThen = async () => (await inn.send(getStatus, { params })).since
  expect(await sinceThen()).toBe(since)

  // Nobody says that the line is cut; without asking, who waits for a start waits for ever.
  const { url, token } = inn
  const viewer = new WebSocket(`${url.replace('http', 'ws')}/proxy/daemon/socket/${params.id}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await once(viewer, 'open')
  const viewerEnded = once(viewer, 'close')
  node.line.cut()
  const cutAt = performance.now()
  await expect(inn.send(startServer, { params, query: { wait: 'true' } })).rejects.toMatchObject({
    code: 'ErrServiceNotAvailable',
  })
  await viewerEnded
  expect(performance.now() - cutAt).toBeLessThan(15_000)
  node.line.mend()
  await vi.waitFor(async () => expect(await sinceThen()).toBe(since), { timeout: 30_000 })

  await node.end('SIGTERM')
  const before = performance.now()
  await expect(inn.send(getStatus, { params })).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  expect(performance.now() - before).toBeLessThan(10_000)
  await vi.waitFor(async () => expect(await node.stateSeenBy(inn)).toBe('offline'), { timeout: 30_000 })
  expect(performance.now() - before).toBeLessThan(15_000)
  const [last] = await inn.send(getUsage, { query: { ids: params.id } })
  expect(last).toMatchObject({ status: { state: 'online', since } })
  await node.start()
  await vi.waitFor(async () => expect(await sinceThen()).toBe(since), { timeout: 30_000 })

  await inn.send(deleteServer, { params, query: {} })
  expect(await readdir(join(node.folder, 'data', 'servers'))).toEqual([])
})

test('whoever finds the configuration of a node cannot take its place, until the secret is replaced', async ({
  inn,
  node,
}) => {
  const secretIn = async () =>
    (JSON.parse(await readFile(join(node.folder, 'config.json'), 'utf8')) as { nodeSecret: string }).nodeSecret
  const used = await secretIn()
  expect(used).not.toBe('')
  expect((await inn.send(getNodeDeployment, { params: { id: node.id } })).clientSecret).toBe('')

  await node.end('SIGTERM')
  await rm(join(node.folder, 'data'), { recursive: true })
  await node.start()
  await vi.waitFor(() => expect(node.said).toContain('the panel rejects the secret of this node'), { timeout: 30_000 })

  await inn.send(replaceNodeSecret, { params: { id: node.id } })
  await node.end('SIGTERM')
  await node.configure(inn)
  expect(await secretIn()).not.toBe(used)
  await node.start()
  await vi.waitFor(() => expect(node.said).toContain('this node has been enrolled with its panel'), { timeout: 30_000 })
})

test('the key of the panel is replaced while a node works, and what it signed before is forgotten', async ({
  inn,
  node,
}) => {
  const databaseUrl = `sqlite:${join(inn.folder, 'data', 'panel.db')}`
  const caretaking = await openOperatorContext({ databaseUrl, log: pino({ level: 'silent' }) })
  const db = connect(databaseUrl)
  const believed = async () => {
    const kept = await readFile(join(node.folder, 'data', 'panel-keys.json'), 'utf8').catch(() => '{"keys":[]}')
    return (JSON.parse(kept) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)
  }
  const params = await inn.send(createServer, { body: { ...echo, name: 'echo', node: node.id } })
  // A node reports at once when the state of a server has changed.
  const untilReported = (look: () => Promise<void>) =>
    vi.waitFor(
      async () => {
        await inn.send(restartServer, { params, query: { wait: 'true' } })
        await look()
      },
      { timeout: 30_000, interval: 500 },
    )

  expect(await caretaking.rotateKey()).toBe('created')
  await untilReported(async () => expect(await believed()).toHaveLength(2))
  const [before, next = ''] = await believed()
  expect(before).not.toBe(next)
  // As if ten minutes had passed, and then an hour.
  await db
    .updateTable('signing_keys')
    .set((key) => ({ created_at: key('created_at', '-', 700_000) }))
    .execute()
  const signing = db.selectFrom('signing_keys').select('signs_since').where('id', '=', next)
  await untilReported(async () => expect((await signing.executeTakeFirst())?.signs_since).toBeGreaterThan(0))
  await db
    .updateTable('signing_keys')
    .set({ signs_since: Date.now() - 3_700_000 })
    .where('id', '=', next)
    .execute()
  await untilReported(async () => expect(await believed()).toEqual([next]))

  await inn.send(restartServer, { params, query: { wait: 'true' } })
  expect((await inn.send(getStatus, { params })).running).toBe(true)
  await inn.send(deleteServer, { params, query: {} })
  await caretaking.close()
  await db.destroy()
})
