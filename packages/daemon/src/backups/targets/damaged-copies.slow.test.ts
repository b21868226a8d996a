import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type BackupTargetInput, putServerBackupTargets } from '@innkeeper/contract/backups/backup-targets'
import { type Backup, copyBackups, deleteBackup } from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { expect, test, vi } from 'vitest'
import { BackupServer, damageRepository } from '../../testing/backup-server.ts'
import { TestNode } from '../../testing/daemon.ts'
import { restServer, type TargetServer } from '../../testing/target-servers.ts'

vi.setConfig({ testTimeout: 180_000 })

interface Fixture extends AsyncDisposable {
  readonly node: TestNode
  readonly server: BackupServer
  readonly remote: TargetServer
  readonly target: string
}

/** A server with a backup `damaged`, whose data is damaged in the folder of the node before it is copied to its target. */
async function begin(damage: (fixture: Pick<Fixture, 'node'>) => void): Promise<Fixture> {
  const node = await TestNode.start({ backups: { targetWaitMs: 1_000 } })
  const [server, remote] = [new BackupServer(node), await restServer()]
  await server.create()
  const { createBackupTarget: create } = panelEndpoints
  const input: BackupTargetInput = { name: 'NAS', address: remote.address, secrets: remote.secrets }
  const { body } = await node.client.asPanel(create.method, create.path, input)
  await node.client.send(putServerBackupTargets, { params: server.params, body: ['local', body.id] })
  await remote.stop()
  server.write('large', randomBytes(300_000).toString('hex'))
  await server.backUp('damaged')
  damage({ node })
  server.write('large', 'small')
  return {
    node,
    server,
    remote,
    target: body.id,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await remote[Symbol.asyncDispose]()
    },
  }
}

const getReason = ({ error }: { error?: { metadata?: object | undefined } | undefined }) =>
  String((error?.metadata as { reason?: unknown } | undefined)?.reason)

const getCopy = ({ copies = [] }: Backup) => copies[1]

interface NodeEvent {
  readonly type: string
  readonly server: string
  readonly detail: string
}

const getEvents = ({ node, id }: BackupServer): NodeEvent[] =>
  JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8')).filter(({ server }: NodeEvent) => server === id)

/** The last event, which is about the backup of this name. */
function eventNamed(name: string, server: BackupServer): NodeEvent | undefined {
  const event = getEvents(server).at(-1)
  expect(event?.detail).toMatch(new RegExp(`^${name}: `))
  return event
}

test('a backup with damaged data does not keep the others from being copied, and the alert names it', async () => {
  await using fixture = await begin(({ node }) => damageRepository(node))
  const { node, server, remote, target } = fixture
  await server.backUp('meanwhile')
  await remote.start()

  await server.backUp('new')
  const list = await server.list()
  const { body: targets } = await node.client.asPanel('GET', panelEndpoints.listBackupTargets.path)
  const failure = await vi.waitFor(() => eventNamed('new', server))
  await node.client.send(deleteBackup, { params: { ...server.params, backup: list[2]?.id } })
  await server.backUp('newest')

  expect(list.map((backup) => [backup.name, getCopy(backup)?.state])).toEqual([
    ['new', 'stored'],
    ['meanwhile', 'stored'],
    ['damaged', 'failed'],
  ])
  expect(getReason(getCopy(list[2] as Backup) ?? {})).toContain('data is damaged in the folder of the node')
  expect(getCopy(list[2] as Backup)?.nextTryAt).toEqual(expect.any(String))
  // The target works.
  expect(targets.targets).toMatchObject([{ id: target }])
  expect(targets.targets[0].error).toBeUndefined()
  expect(failure).toMatchObject({
    type: 'backupFailed',
    detail: expect.stringMatching(
      /^new: .*NAS: the backup "damaged" \(2\d{3}-.*\) could not be copied: its data is damaged/,
    ),
  })
  await vi.waitFor(() => expect(getEvents(server).at(-1)).toMatchObject({ type: 'backupDone' }))
})

/** The file in the folder of the node that has the data of the damaged backup. */
function largestPack({ dataDir }: TestNode): string {
  const data = join(dataDir, 'backups', 'repository', 'data')
  const files = readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name))
  const getSize = (path: string) => (statSync(path).isFile() ? statSync(path).size : 0)
  return files.toSorted((a, b) => getSize(b) - getSize(a))[0] ?? ''
}

test.for([
  ['is missing', (path: string) => rmSync(path)],
  ['was cut off', (path: string) => truncateSync(path, 1_000)],
] as const)('a backup whose data %s does not keep the others from being copied', async ([, damage]) => {
  await using fixture = await begin(({ node }) => damage(largestPack(node)))
  const { server, remote } = fixture
  await remote.start()

  await server.backUp('new')

  const [fresh, damaged] = (await server.list()).map(getCopy)
  expect([fresh, damaged]).toMatchObject([{ state: 'stored' }, { state: 'failed' }])
  expect(getReason(damaged ?? {})).toContain('data is damaged in the folder of the node')
})

test('a retry copies the good ones, and its alert lasts while a damaged one is missing', async () => {
  await using fixture = await begin(({ node }) => damageRepository(node))
  const { node, server, remote, target } = fixture
  await server.backUp('meanwhile')
  await remote.start()
  const before = getEvents(server)
  const copy = async () =>
    await server.ended((await node.client.send(copyBackups, { params: { ...server.params, target } })).body)

  const first = await copy()
  const again = await copy()

  expect([first, again]).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
  expect(getReason(first)).toMatch(/the backup "damaged" \(.*\) could not be copied: its data is damaged/)
  expect((await server.list()).map((backup) => getCopy(backup)?.state)).toEqual(['stored', 'failed'])
  const added = getEvents(server).slice(before.length)
  expect(added).toMatchObject([{ type: 'backupFailed', detail: expect.stringContaining('"damaged"') }])
})

test('a backup that the folder of the node has lost fails its copy with the reason', async () => {
  await using fixture = await begin(({ node }) => {
    const snapshots = join(node.dataDir, 'backups', 'repository', 'snapshots')
    for (const name of readdirSync(snapshots)) rmSync(join(snapshots, name))
  })
  const { server, remote } = fixture
  await remote.start()

  await server.backUp('new')

  const [fresh, lost] = (await server.list()).map(getCopy)
  expect([fresh, lost]).toMatchObject([{ state: 'stored' }, { state: 'failed' }])
  expect(getReason(lost ?? {})).toContain('data is damaged in the folder of the node')
})
