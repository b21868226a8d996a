import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { type BackupJob, cancelBackupJob, listBackupJobs } from '@innkeeper/contract/backups/backups'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getConsole } from '@innkeeper/contract/servers/node-servers'
import { pack } from 'tar-stream'
import { expect, vi } from 'vitest'
import { tarBytes } from '../testing/archive-bytes.ts'
import { TestNode } from '../testing/daemon.ts'
import { test } from '../testing/node-test.ts'

const [one, other] = ['0a0a0a01', '0a0a0a02']

function parseTar(text: string): Readable {
  const tar = pack()
  tar.entry({ name: 'world/level.dat' }, text)
  tar.finalize()
  return Readable.from(tar)
}

async function queue(node: TestNode, id: string): Promise<BackupJob> {
  await node.client.create(id, 'true')
  const { method, path } = panelEndpoints.queueImport
  const { status, body } = await node.client.asPanel(method, path.replace(':id', id), { backup: '0123456789abcdef' })
  expect(status).toBe(202)
  return body
}

const send = ({ client }: TestNode, id: string, job: BackupJob, body: Readable, signal?: AbortSignal) => {
  const { method, path } = panelEndpoints.importFiles
  const permissions = ['node'] as const
  return client.ask(method, path.replace(':id', id).replace(':job', job.id), {
    permissions: [...permissions],
    body,
    ...(signal && { signal }),
  })
}
async function readState({ client }: TestNode, id: string): Promise<Pick<BackupJob, 'state' | 'error'>> {
  const { body } = await client.send(listBackupJobs, { params: { id } })
  return body[0]
}

const inState = (node: TestNode, id: string, state: BackupJob['state']) =>
  vi.waitFor(async () => expect(await readState(node, id)).toMatchObject({ state }))

const findLevel = ({ dataDir }: TestNode, id: string) => {
  const path = join(dataDir, 'servers', id, 'world', 'level.dat')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

test('imports run one after another, and one that waits for its turn takes no files', async ({ node }) => {
  const [first, second] = [await queue(node, one), await queue(node, other)]
  await inState(node, one, 'running')

  expect(await readState(node, other)).toMatchObject({ state: 'waiting' })
  expect((await send(node, other, second, parseTar('b'))).body).toMatchObject({ error: { code: 'ErrNotFound' } })
  expect((await send(node, other, first, parseTar('b'))).body).toMatchObject({ error: { code: 'ErrNotFound' } })
  expect((await send(node, one, first, parseTar('a'))).status).toBe(204)
  await inState(node, other, 'running')
  expect((await send(node, other, second, parseTar('b'))).status).toBe(204)

  expect([findLevel(node, one), findLevel(node, other)]).toEqual(['a', 'b'])
  expect([await readState(node, one), await readState(node, other)]).toMatchObject([
    { state: 'done' },
    { state: 'done' },
  ])
})

test('an import whose files do not arrive fails, and the next one begins', async () => {
  await using node = await TestNode.start({ backups: { importWaitMs: 50 } })
  await queue(node, one)
  await queue(node, other)

  for (const id of [one, other]) {
    await inState(node, id, 'failed')
    expect(await readState(node, id)).toMatchObject({ error: { code: 'ErrTaskInterrupted' } })
  }
})

test('an import whose files break off fails, and stores none of them', async ({ node }) => {
  const job = await queue(node, one)
  await inState(node, one, 'running')
  const [body, abort] = [new PassThrough(), new AbortController()]
  const sending = send(node, one, job, body, abort.signal)
  sending.catch(() => {})
  body.write(Buffer.alloc(512))
  await vi.waitFor(async () => expect(await readState(node, one)).toMatchObject({ bytes: 512 }))

  abort.abort()

  await expect(sending).rejects.toThrow()
  await vi.waitFor(async () => {
    expect(await readState(node, one)).toMatchObject({ state: 'failed', error: { code: 'ErrTaskInterrupted' } })
  })
  expect(findLevel(node, one)).toBeUndefined()
})

test('a damaged tar is refused with the reason, and so is one whose job is canceled', async ({ node }) => {
  const damaged = await queue(node, one)
  await inState(node, one, 'running')
  const body = new PassThrough()
  body.write(Buffer.alloc(4_096, 'x'))
  expect((await send(node, one, damaged, body)).body).toMatchObject({ error: { code: 'ErrArchiveDamaged' } })

  const canceledJob = await queue(node, other)
  await inState(node, other, 'running')
  const endless = new PassThrough()
  endless.write(Buffer.alloc(512))
  const sending = send(node, other, canceledJob, endless)
  await node.client.send(cancelBackupJob, { params: { id: other, job: canceledJob.id } })

  expect((await sending).body).toMatchObject({ error: { code: 'ErrCancelled' } })
  expect(await readState(node, other)).toMatchObject({ state: 'cancelled' })
})

test('an import names in the console what it left out', async ({ node }) => {
  const job = await queue(node, one)
  await inState(node, one, 'running')
  const parts = [
    { name: 'world/level.dat', data: 'a' },
    { name: Buffer.from('caf\xe9', 'latin1'), data: 'b' },
    { name: 'out', type: '2', target: '../..' },
    { name: 'in', type: '2', target: 'world' },
  ]

  const { status } = await send(node, one, job, Readable.from([tarBytes(parts)]))

  expect([status, findLevel(node, one)]).toEqual([204, 'a'])
  const { body } = await node.client.send(getConsole, { params: { id: one } })
  expect(body.logs).toMatch(/left out, because .*: caf\ufffd, out\n/)
})

test('what another node sends cannot leave the folder of the server', async ({ node }) => {
  const job = await queue(node, one)
  await queue(node, other)
  await inState(node, one, 'running')
  const parts = [
    { name: `../${other}/planted`, data: 'x' },
    { name: '/tmp/innkeeper-planted', data: 'x' },
    { name: 'a/../../planted', data: 'x' },
    { name: 'down', type: '2', target: `../${other}` },
    { name: 'down/planted', data: 'x' },
    { name: 'same', type: '1', target: `../${other}/planted` },
    { name: 'device', type: '3' },
    { name: 'pipe', type: '6' },
    { name: 'world/level.dat', data: 'a' },
  ]

  const { status } = await send(node, one, job, Readable.from([tarBytes(parts)]))

  expect(status).toBeLessThan(500)
  expect(existsSync('/tmp/innkeeper-planted')).toBe(false)
  const servers = join(node.dataDir, 'servers')
  const planted = readdirSync(servers, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  const outside = planted.filter(({ parentPath }) => !join(parentPath, '/').startsWith(join(servers, one, '/')))
  expect(outside.map(({ name }) => name).toSorted()).toEqual([`${one}.json`, `${other}.json`])
  expect(planted.every((entry) => entry.isFile())).toBe(true)
})
