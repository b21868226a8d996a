import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/files'
import { getStatus, installServer, startServer } from '@innkeeper/contract/node-servers'
import { putDefinition } from '@innkeeper/contract/server-definition'
import { emptyTrash } from '@innkeeper/contract/trash'
import { expect, vi } from 'vitest'
import { program, TestNode } from '../testing/daemon.ts'
import { test as base } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const mebi = 1024 ** 2

/** A node on a file system without quotas, and the folder of its server, which may have 4 MiB. */
const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, { command: program('echo'), stop: 'stop' }, limited(4))
    await use(join(node.dataDir, 'servers', id))
  },
})

const limited = (disk: number | undefined) => ({ environment: { type: 'standard', limits: { disk } } })
const put = (node: TestNode, path: string, bytes: number) =>
  node.client.send(calls.putFile, { params: { id, path }, body: Buffer.alloc(bytes, 'x') })
const tooLarge = { status: 507, body: { error: { code: 'ErrDiskLimit', metadata: { max: 4 } } } }

test('a write beyond the limit is refused, the old file stays whole, and nothing is left of the new one', async ({
  node,
  inside,
}) => {
  await put(node, 'a', 3 * mebi)

  const replaced = await put(node, 'a', 2 * mebi)
  const created = await put(node, 'b', 2 * mebi)
  const small = await put(node, 'c', 1000)

  expect([replaced, created]).toMatchObject([tooLarge, tooLarge])
  expect(small.status).toBe(204)
  expect(readdirSync(inside).toSorted()).toEqual(['a', 'c'])
  expect(readFileSync(join(inside, 'a')).equals(Buffer.alloc(3 * mebi, 'x'))).toBe(true)
})

test('an upload that will not fit is refused before its first byte', async ({ node, inside }) => {
  const headers = {
    'upload-length': String(5 * mebi),
    'upload-metadata': `path ${Buffer.from('b').toString('base64')}`,
    'tus-resumable': '1.0.0',
  }

  expect(await node.client.send(calls.createUpload, { params, headers })).toMatchObject(tooLarge)
  expect(readdirSync(inside)).toEqual([])
})

test('copies and archives stop at the limit and leave nothing', async ({ node, inside }) => {
  mkdirSync(join(inside, 'from'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(inside, 'from', name), Buffer.alloc(mebi, name))
  spawnSync('tar', ['-cf', join(node.dataDir, 'large.tar'), '-C', inside, 'from'])
  writeFileSync(join(inside, 'archive.tar.gz'), spawnSync('gzip', ['-c', join(node.dataDir, 'large.tar')]).stdout)
  const jobs = [
    { kind: 'copy', paths: ['from'], destination: 'copies', existing: 'keepBoth' },
    { kind: 'extract', path: 'archive.tar.gz', destination: 'extracted', existing: 'replace' },
  ]
  for (const name of ['copies', 'extracted']) mkdirSync(join(inside, name))

  for (const body of jobs) {
    const { body: job } = await node.client.send(calls.startFileJob, { params, body })
    const ended = await vi.waitUntil(async () => {
      const { body: all } = await node.client.send(calls.getFileJobs, { params })
      return all.find((one: calls.FileJob) => one.id === job.id && one.state !== 'running')
    })
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'ErrDiskLimit' } })
  }

  expect([readdirSync(join(inside, 'copies')), readdirSync(join(inside, 'extracted'))]).toEqual([[], []])
})

test('steps of an install stop at the limit', async ({ node }) => {
  const body = {
    type: 'test',
    ...limited(1),
    run: { command: program('echo') },
    install: [{ type: 'writefile', target: 'a', text: 'x'.repeat(2 * mebi) }],
  }
  await node.client.create('0b0b0b0b', { command: program('echo') }, body)

  const installed = await node.client.send(installServer, { params: { id: '0b0b0b0b' }, query: { wait: true } })

  const reason = expect.stringContaining('MiB of disk space')
  expect(installed).toMatchObject({ status: 409, body: { error: { code: 'ErrStepFailed', metadata: { reason } } } })
})

test('a server that has nearly reached its limit is reported, until it has space again, and still starts', async () => {
  await using node = await TestNode.start({ diskLimits: { everyMs: 50 } })
  const { client } = node
  await client.create(id, { command: program('echo'), stop: 'stop' }, limited(4))
  const inside = join(node.dataDir, 'servers', id)
  const viewer = await client.watch(id)
  const lowSpace = async () => (await client.send(getStatus, { params })).body.lowDiskSpace

  writeFileSync(join(inside, 'world'), Buffer.alloc(5 * mebi))
  await viewer.untilText('nearly reached its limit of disk space: 5 of 4 MiB')
  await viewer.until('the status', ({ received }) =>
    received.some(
      (message) => 'type' in message && message.type === 'status' && message.data.lowDiskSpace !== undefined,
    ),
  )
  const full = await lowSpace()
  const usage = await client.send(calls.getDiskUsage, { params })
  const started = await client.send(startServer, { params, query: { wait: true } })
  writeFileSync(join(inside, 'world'), '')
  await vi.waitFor(async () => expect(await lowSpace()).toBeUndefined())

  expect(full).toEqual({ usedBytes: 5 * mebi, limitBytes: 4 * mebi })
  expect(usage.body).toMatchObject({ limit: full, freeBytes: 0 })
  expect(started.status).toBe(204)
  const events = () => JSON.parse(readFileSync(join(node.dataDir, 'events.json'), 'utf8'))
  await vi.waitFor(() =>
    expect(events()).toMatchObject([
      { type: 'diskLimit', server: id, detail: '5 of 4 MiB are in use' },
      { type: 'diskLimitDone', server: id },
    ]),
  )
})

test('deleted files count until the trash is empty', async ({ node, inside }) => {
  await put(node, 'a', 3 * mebi)
  await node.client.send(calls.deleteFile, { params: { id, path: 'a' } })

  expect(readdirSync(inside)).toEqual([])
  expect(await put(node, 'b', 3 * mebi)).toMatchObject(tooLarge)
  await node.client.send(emptyTrash, { params })
  await vi.waitFor(async () => expect((await put(node, 'b', 3 * mebi)).status).toBe(204), { timeout: 20_000 })
})

test('a changed limit applies at once', async ({ node, inside }) => {
  await put(node, 'a', 3 * mebi)
  const run = { command: program('echo') }

  await node.client.send(putDefinition, { params, body: { type: 'test', run, ...limited(8) } })
  const raised = await put(node, 'b', 3 * mebi)
  await node.client.send(putDefinition, { params, body: { type: 'test', run, ...limited(undefined) } })
  const removed = await put(node, 'c', 9 * mebi)

  expect([raised.status, removed.status]).toEqual([204, 204])
  expect(readdirSync(inside).toSorted()).toEqual(['a', 'b', 'c'])
  expect((await node.client.send(calls.getDiskUsage, { params })).body.limit).toBeUndefined()
})
