import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import { putDefinition } from '@innkeeper/contract/definitions/server-definition'
import * as calls from '@innkeeper/contract/servers/files'
import { getStatus, installServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { emptyTrash, getTrash, restoreTrashEntry } from '@innkeeper/contract/servers/trash'
import { pino } from 'pino'
import * as ssh2 from 'ssh2'
import { expect, vi } from 'vitest'
import { DiskLimit } from '../files/space/disk-limit.ts'
import { program, TestNode } from '../testing/daemon.ts'
import { FakePanel } from '../testing/fake-panel.ts'
import { test as base } from '../testing/node-test.ts'
import { startWebHost } from '../testing/web-host.ts'
import { DiskLimits } from './disk-limits.ts'

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

const usedBytes = async (node: TestNode) =>
  (await node.client.send(calls.getDiskUsage, { params })).body.limit?.usedBytes as number
const sizeOn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

test('a file that will not fit by its announced size is refused before its first byte, and does not count', async ({
  node,
  inside,
}) => {
  const body = new PassThrough()
  const headers = { 'content-length': String(5 * mebi) }
  const refused = node.client.send(calls.putFile, { params: { id, path: 'a' }, headers, body })
  body.write(Buffer.alloc(1))

  const answer = await refused.finally(() => body.destroy())

  expect(answer).toMatchObject(tooLarge)
  expect([await usedBytes(node), readdirSync(inside)]).toEqual([0, []])
  expect((await put(node, 'b', 3 * mebi)).status).toBe(204)
})

test('a slow upload counts in each measurement, is ended at the limit, and is forgotten afterwards', async () => {
  await using node = await TestNode.start({ diskLimits: { everyMs: 20 } })
  await node.client.create(id, program('echo'), limited(4))
  const body = new PassThrough()
  const upload = node.client.send(calls.putFile, { params: { id, path: 'a' }, body })
  body.write(Buffer.alloc(3 * mebi))
  await vi.waitUntil(async () => (await usedBytes(node)) > 2 * mebi)
  const measuredAt = async () => (await node.client.send(calls.getDiskUsage, { params })).body.measuredAt
  const before = await measuredAt()
  await vi.waitUntil(async () => (await measuredAt()) !== before, { timeout: 10_000 })

  const during = await usedBytes(node)
  const other = await put(node, 'b', 2 * mebi)
  body.end(Buffer.alloc(2 * mebi))

  expect(during).toBeGreaterThan(2 * mebi)
  expect([await upload, other]).toMatchObject([tooLarge, tooLarge])
  expect(await usedBytes(node)).toBe(0)
  expect(readdirSync(join(node.dataDir, 'servers', id))).toEqual([])
})

test('an upload whose client goes away does not count any more', async ({ node, inside }) => {
  const body = new PassThrough()
  const leaving = new AbortController()
  const upload = node.client.send(calls.putFile, {
    params: { id, path: 'a' },
    headers: { 'content-length': String(3 * mebi) },
    body,
    signal: leaving.signal,
  })
  body.write(Buffer.alloc(mebi))
  await vi.waitUntil(async () => (await usedBytes(node)) === 3 * mebi)

  leaving.abort()

  await expect(upload).rejects.toThrow()
  await vi.waitUntil(async () => (await usedBytes(node)) === 0)
  expect(readdirSync(inside)).toEqual([])
})

test.for(['announced', 'chunked'])(
  'uploads at once keep the limit together, right after creation: %s',
  async (how, { node }) => {
    await node.client.create('0c0c0c0c', program('echo'), limited(4))
    const one = (at: number) => {
      const bytes = Buffer.alloc(mebi, String(at))
      const stream = new PassThrough()
      stream.end(bytes)
      const body = how === 'announced' ? bytes : stream
      return node.client.send(calls.putFile, { params: { id: '0c0c0c0c', path: String(at) }, body })
    }

    const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => one(at)))

    const stored = answers.filter(({ status }) => status === 204).length
    // Uploads without a Content-Length use space until they are refused.
    if (how === 'announced') expect(stored).toBe(4)
    expect(stored).toBeLessThanOrEqual(4)
    expect(answers.filter(({ status }) => status === 507)).toHaveLength(8 - stored)
    expect(sizeOn(join(node.dataDir, 'servers', '0c0c0c0c'))).toBe(stored * mebi)
  },
)

test('unfinished resumable uploads count with their whole size, also after a restart, until they are removed', async ({
  node,
  inside,
}) => {
  const begin = (path: string, bytes: number) => {
    const metadata = `path ${Buffer.from(path).toString('base64')}`
    const headers = { 'upload-length': String(bytes), 'upload-metadata': metadata, 'tus-resumable': '1.0.0' }
    return node.client.send(calls.createUpload, { params, headers })
  }
  const upload = String((await begin('a', 3 * mebi)).headers.location)
    .split('/')
    .at(-1)
  const on = { params: { id, upload }, headers: { 'tus-resumable': '1.0.0' } }
  const append = (from: number, bytes: number) => {
    const headers = { ...on.headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(from) }
    return node.client.send(calls.appendUpload, { ...on, headers, body: Buffer.alloc(bytes) })
  }
  await append(0, 2 * mebi)

  const beside = [await begin('b', 2 * mebi), await put(node, 'b', 2 * mebi)]
  await node.detach()
  await node.start()
  await vi.waitUntil(async () => (await usedBytes(node)) === 3 * mebi)
  const restarted = await begin('b', 2 * mebi)
  const finished = await append(2 * mebi, mebi)
  const used = await usedBytes(node)
  const second = String((await begin('b', mebi)).headers.location)
    .split('/')
    .at(-1)
  const full = await put(node, 'c', 1)
  await node.client.send(calls.removeUpload, { ...on, params: { id, upload: second } })

  expect([...beside, restarted, full]).toMatchObject([tooLarge, tooLarge, tooLarge, tooLarge])
  expect([finished.status, used, readdirSync(inside)]).toEqual([204, 3 * mebi, ['a']])
  expect((await put(node, 'c', 1)).status).toBe(204)
})

test('copies that run at once keep the limit together', async ({ node, inside }) => {
  mkdirSync(join(inside, 'from'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(inside, 'from', name), Buffer.alloc(mebi / 2, name))
  for (const name of ['one', 'two']) mkdirSync(join(inside, name))
  const copy = (destination: string) =>
    node.client.send(calls.startFileJob, {
      params,
      body: { kind: 'copy', paths: ['from'], destination, existing: 'keepBoth' },
    })

  await Promise.all(['one', 'two'].map(copy))
  const states = await vi.waitUntil(async () => {
    const { body: jobs } = await node.client.send(calls.getFileJobs, { params })
    return jobs.every((job: calls.FileJob) => job.state !== 'running') && jobs.map((job: calls.FileJob) => job.state)
  })

  expect(states).toContain('failed')
  expect(sizeOn(inside)).toBeLessThanOrEqual(4 * mebi)
})

test('a download of an install ends at the limit, whether its size is announced or not', async () => {
  await using host = await startWebHost()
  await using node = await TestNode.start({ downloads: { allow: [host.address] } })
  host.give('/announced', Buffer.alloc(5 * mebi))
  host.answer('/chunked', (_, response) => {
    response.write(Buffer.alloc(3 * mebi))
    response.end(Buffer.alloc(2 * mebi))
  })
  for (const [at, name] of ['announced', 'chunked'].entries()) {
    const install = [{ type: 'download', files: [host.url(`/${name}`).href] }]
    await node.client.create(`0d0d0d0${at}`, program('echo'), { ...limited(4), install })
    const on = { id: `0d0d0d0${at}` }

    const installed = await node.client.send(installServer, { params: on, query: { wait: true } })

    const reason = expect.stringContaining('MiB of disk space')
    expect(installed).toMatchObject({ status: 409, body: { error: { code: 'ErrStepFailed', metadata: { reason } } } })
    expect(readdirSync(join(node.dataDir, 'servers', on.id))).toEqual([])
  }
})

test('a folder counts also while the trash does not know its size yet', async ({ node, inside }) => {
  mkdirSync(join(inside, 'world'))
  await put(node, 'world/a', 3 * mebi)

  await node.client.send(calls.deleteFile, { params: { id, path: 'world' } })
  const other = await put(node, 'b', 2 * mebi)

  expect(other).toMatchObject(tooLarge)
})

test('what is written over SFTP and uploaded at once keeps the limit together', async () => {
  const panel = new FakePanel()
  const { email } = panel.addUser({ permissions: { [id]: ['sftpServer', 'putServerFiles'] } })
  await using node = await TestNode.start({ panel })
  await node.client.create(id, program('echo'), limited(4))
  const port = await node.daemon.serveSftp({ host: '127.0.0.1', port: 0 })
  const client = new ssh2.Client()
  client.connect({
    host: '127.0.0.1',
    ...(port !== undefined && { port }),
    username: `${email}#${id}`,
    password: 'long enough',
  })
  await once(client, 'ready')
  const sftp = await promisify<ssh2.SFTPWrapper>(client.sftp.bind(client))()
  const write = promisify<string, Buffer>(sftp.writeFile.bind(sftp))
  const bytes = Buffer.alloc(1.5 * mebi)

  const writes = [0, 1, 2, 3].map((at) => (at % 2 === 0 ? write(`s${at}`, bytes) : put(node, `u${at}`, bytes.length)))
  await Promise.allSettled(writes)

  expect(sizeOn(join(node.dataDir, 'servers', id))).toBeLessThanOrEqual(4 * mebi)
  expect(sizeOn(join(node.dataDir, 'servers', id))).toBeGreaterThan(0)
  client.end()
})

test('what is restored from the trash, and a former version, count once', async ({ node, inside }) => {
  await put(node, 'a', mebi)
  await put(node, 'a', mebi)
  await node.client.send(calls.deleteFile, { params: { id, path: 'a' } })
  const { body: trash } = await node.client.send(getTrash, { params })

  for (const entry of trash.entries) {
    const on = { id, entry: entry.id }
    await node.client.send(restoreTrashEntry, { params: on, body: { existing: 'keepBoth' } })
  }

  expect(readdirSync(inside)).toHaveLength(2)
  await vi.waitUntil(async () => (await put(node, 'b', 2 * mebi)).status === 204, { timeout: 10_000 })
  expect(await put(node, 'c', 1)).toMatchObject(tooLarge)
})

test('measurements that take long hold up no others', async () => {
  const slow = Promise.withResolvers<number>()
  const fakeServer = (id: string) => ({
    id,
    isBeingRemoved: false,
    definition: { onChange() {} },
    onStatus() {},
    onRemoved() {},
    diskLimit: new DiskLimit(() => 4 * mebi),
  })
  const servers = ['0a0a0a01', '0a0a0a02', '0a0a0a03', '0b0b0b0b'].map(fakeServer)
  const measure = (id: string) => (id === '0b0b0b0b' ? Promise.resolve(mebi) : slow.promise)
  const limits = new DiskLimits({
    servers: { servers, onAdded: () => () => {} },
    quotas: { missing: 'no quotas' },
    fileOperations: { on: (id: string) => ({ usage: { measure: () => measure(id) } }) },
    trash: { of: () => ({ usedBytes: async () => 0 }) },
    events: { add() {} },
    log: pino({ level: 'silent' }),
    everyMs: 10,
    sharedMs: 10,
  } as never)
  const [first, , , last] = servers

  await vi.waitFor(() => expect(last?.diskLimit.space?.usedBytes).toBe(mebi))

  expect(first?.diskLimit.space).toBeUndefined()
  slow.resolve(3 * mebi)
  await limits.close()
  expect(first?.diskLimit.space?.usedBytes).toBe(3 * mebi)
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
