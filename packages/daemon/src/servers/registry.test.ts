import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getStatus, reloadServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { pino } from 'pino'
import { expect } from 'vitest'
import { parsePath } from '../files/path/safe-path.ts'
import { createFetcher } from '../network/fetch.ts'
import { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Run } from '../processes/run.ts'
import { openSharedStore } from '../runtimes/shared-store.ts'
import { Sampler } from '../statistics/sampler.ts'
import { program } from '../testing/daemon.ts'
import { FakeEnvironment, FakeRun } from '../testing/fake-environment.ts'
import { test } from '../testing/node-test.ts'
import { defaultTrash, Trash } from '../trash/trash.ts'
import { Registry } from './registry.ts'
import { Suspensions } from './suspensions.ts'

const log = pino({ level: 'silent' })

const wait = { wait: true }

test('stops every server, also those after one whose definition is damaged', async ({ node }) => {
  const { client, dataDir } = node
  const [damaged, ...others] = ['0a0a0a0a', '0b0b0b0b', '0c0c0c0c']
  for (const id of [damaged, ...others]) {
    await client.create(id, program('echo'))
    await client.send(startServer, { params: { id }, query: wait })
  }
  await writeFile(join(dataDir, 'servers', `${damaged}.json`), '{')
  await client.send(reloadServer, { params: { id: damaged } })

  await node.daemon.stopServers()

  for (const id of [damaged, ...others])
    expect((await client.send(getStatus, { params: { id } })).body).toMatchObject({ state: 'offline' })
})

/** A step process that cannot be killed. */
class ImmortalRun extends FakeRun {
  override async kill(): Promise<void> {
    throw new Error('the engine does not answer')
  }
}
/** A step process whose exit is never reported. */
class EndlessRun extends FakeRun {
  override async kill(): Promise<void> {}
}

test.for([
  ['cannot be ended', new ImmortalRun({ key: '0a0a0a0a/step', id: 'a', pid: 1 })],
  ['does not end', new EndlessRun({ key: '0a0a0a0a/step', id: 'a', pid: 1 })],
] as const)('a node starts although the process of an interrupted step %s', async ([, run]) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-'))
  const id = '0a0a0a0a'
  await mkdir(join(dataDir, 'servers'))
  await writeFile(
    join(dataDir, 'servers', `${id}.json`),
    JSON.stringify({ type: 'test', id, run: { command: 'true' } }),
  )

  const registry = await openRegistry(dataDir, [run])

  expect(registry.get(id).status.state).toBe('offline')
  await registry.close()
  await rm(dataDir, { recursive: true })
})

test.for([
  ['keeps', true, ['/a.txt']],
  ['does not keep', false, []],
] as const)('the trash %s what is deleted over SFTP, as the node is configured', async ([, sftp, kept]) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'registry-'))
  const id = '0a0a0a0a'
  await mkdir(join(dataDir, 'servers', id), { recursive: true })
  await writeFile(join(dataDir, 'servers', `${id}.json`), JSON.stringify({ type: 'test', id, run: {} }))
  await writeFile(join(dataDir, 'servers', id, 'a.txt'), 'text')
  const trash = new Trash({ dataDir, options: { ...defaultTrash, sftp }, log })
  const registry = await openRegistry(dataDir, [], trash)

  {
    await using files = await registry.get(id).openFilesForSftp('ann', () => new Set(['admin'] as const))
    await files.discard(parsePath('a.txt'))
  }

  expect((await trash.of(id).list()).map(({ path }) => path)).toEqual(kept)
  expect(await readdir(join(dataDir, 'servers', id))).toEqual([])
  await registry.close()
  await trash.close()
  await rm(dataDir, { recursive: true })
})

/** Servers in a data directory, with processes that an earlier daemon started. */
async function openRegistry(
  dataDir: string,
  runs: readonly Run[],
  trash = new Trash({ dataDir, options: defaultTrash, log }),
): Promise<Registry> {
  const environment = new FakeEnvironment()
  return await Registry.open({
    dataDir,
    path: '/bin',
    user: 'nobody',
    log,
    isolation: { getOwner: () => undefined, forget: () => {}, unsupportedFeatures: () => [] },
    patterns: new PatternMatcher({ log }),
    sampler: new Sampler({ onError: () => {} }),
    runs,
    containers: [],
    isDockerAvailable: async () => false,
    environmentFor: () => environment,
    scriptEnvironment: () => environment,
    fetch: createFetcher({ allow: [], version: '0' }),
    sharedStore: await openSharedStore(dataDir),
    suspensions: await Suspensions.open(dataDir, log),
    trash,
    killWithinMs: 50,
  })
}

test('temporary files of an earlier daemon are removed at start', async ({ node }) => {
  const [one, two] = ['0a0a0a0a', '0b0b0b0b']
  for (const id of [one, two]) await node.client.create(id, 'true')
  await node.detach()
  const folders = [join(node.dataDir, 'servers', one), join(node.dataDir, 'servers', two, 'world')]
  for (const folder of folders) {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, '.innkeeper-01234567-01234567-0123-4567-89ab-0123456789ab.tmp'), 'half')
    await writeFile(join(folder, 'level.dat'), 'whole')
  }

  await node.start()

  for (const folder of folders) await expect.poll(() => readdir(folder)).toEqual(['level.dat'])
})

test('the panel reads which servers the node has', async ({ node: { client } }) => {
  await client.create('0a0a0a0a', 'true', { display: 'Echo', type: 'echo' })

  const { body } = await client.asPanel('GET', panelEndpoints.listServers.path)

  expect(body).toEqual([{ id: '0a0a0a0a', running: false, display: 'Echo', type: 'echo' }])
})

test('the panel reads the ports in the variables of all servers', async ({ node: { client } }) => {
  const data = { ip: { value: '10.0.0.7' }, queryport: { value: '27016' }, port: { value: 27_015 } }
  await client.create('0a0a0a0a', 'true', { data })
  await client.create('0b0b0b0b', 'true')

  const { body } = await client.asPanel('GET', panelEndpoints.listServerPorts.path)

  expect(body).toEqual([27_015, 27_016].map((port) => ({ address: '10.0.0.7', port })))
})

test('lists contain the memory and CPU limits of a server, or the capacity of the node', async ({
  node: { client },
}) => {
  await client.create('0a0a0a0a', 'true', { environment: { type: 'standard', limits: { memory: 64, cpu: 50 } } })
  await client.create('0b0b0b0b', 'true')

  const { body } = await client.asPanel('GET', '/daemon/usage?ids=0a0a0a0a,0b0b0b0b')

  expect(body).toMatchObject([
    { memoryMax: 64 * 1024 ** 2, cpuMax: 50 },
    { memoryMax: totalmem(), cpuMax: availableParallelism() * 100 },
  ])
})
