import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import * as calls from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { describe, expect, vi } from 'vitest'
import { type Answer, TestNode } from '../testing/daemon.ts'
import { test as onOwnNode, testOnSharedNode } from '../testing/node-test.ts'
import { maxUploadBytes } from '../uploads/uploads.ts'

const id = '0a0a0a0a'
const other = '0b0b0b0b'
const mebi = 1024 * 1024

/** A node with two servers, and the directory of the first one. */
const test = testOnSharedNode.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    for (const one of [id, other]) await node.client.create(one, 'true')
    await use(join(node.dataDir, 'servers', id))
    for (const one of [id, other]) await node.client.asPanel('DELETE', `/daemon/server/${one}`)
  },
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const tus = { 'tus-resumable': '1.0.0' }
const bytesType = { ...tus, 'content-type': 'application/offset+octet-stream' }
const getHash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A client's view of an upload. */
class Upload {
  readonly #node: TestNode
  readonly upload: string

  constructor(node: TestNode, upload: string) {
    this.#node = node
    this.upload = upload
  }

  static async begin(node: TestNode, path: string, size: number, more = ''): Promise<Upload> {
    const { status, headers, body } = await create(node, path, size, more)
    if (status !== 201) throw new Error(`no upload: ${status} ${JSON.stringify(body)}`)
    return new Upload(node, /\/uploads\/([0-9a-f]{32})$/.exec(String(headers.location))?.[1] ?? '')
  }

  append(from: number, body: unknown, on = id): Promise<Answer> {
    const headers = { ...bytesType, 'upload-offset': String(from) }
    return this.#node.client.send(calls.appendUpload, { params: { id: on, upload: this.upload }, headers, body })
  }

  look(on = id): Promise<Answer> {
    return this.#node.client.send(calls.getUploadOffset, { params: { id: on, upload: this.upload }, headers: tus })
  }

  async offset(): Promise<number> {
    return Number((await this.look()).headers['upload-offset'])
  }

  remove(on = id): Promise<Answer> {
    return this.#node.client.send(calls.removeUpload, { params: { id: on, upload: this.upload }, headers: tus })
  }
}

function create(
  node: TestNode,
  path: string,
  size: number,
  more = '',
  headers: Record<string, string> = {},
  body?: unknown,
) {
  const metadata = `path ${base64(path)}${more}`
  return node.client.send(calls.createUpload, {
    params: { id },
    headers: { ...tus, 'upload-length': String(size), 'upload-metadata': metadata, ...headers },
    body,
  })
}

/** The contents of the directory of unfinished uploads. */
const waiting = (node: TestNode, on = id): string[] => {
  const folder = join(node.dataDir, 'uploads', on)
  return existsSync(folder) ? readdirSync(folder) : []
}

test('a file is uploaded in pieces and appears when it is complete', async ({ node, inside }) => {
  const bytes = randomBytes(3 * mebi)
  const upload = await Upload.begin(node, 'mods/big.jar', bytes.length)

  const first = await upload.append(0, bytes.subarray(0, mebi))
  const listed = await node.client.send(calls.getUploads, { params: { id } })
  const before = readdirSync(inside)
  const last = await upload.append(mebi, bytes.subarray(mebi))

  expect([first.status, first.headers['upload-offset'], first.headers['tus-resumable']]).toEqual([
    204,
    `${mebi}`,
    '1.0.0',
  ])
  expect(listed.body).toMatchObject([{ id: upload.upload, path: '/mods/big.jar', offset: mebi, size: 3 * mebi }])
  expect(before).toEqual([])
  expect([last.status, last.headers['upload-offset']]).toEqual([204, `${3 * mebi}`])
  expect(getHash(readFileSync(join(inside, 'mods/big.jar')))).toBe(getHash(bytes))
  expect(statSync(join(inside, 'mods/big.jar')).mode & 0o777).toBe(0o644)
  expect((await node.client.send(calls.getUploads, { params: { id } })).body).toEqual([])
})

test('interrupted three times, twice by a crash of the daemon, an upload completes and is identical', {
  timeout: 60_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  await node.client.create(id, 'true')
  const inside = join(node.dataDir, 'servers', id)
  const bytes = randomBytes(24 * mebi)
  const upload = await Upload.begin(node, 'world.zip', bytes.length)

  for (const interrupt of ['kill', 'leave', 'kill'] as const) {
    const from = await upload.offset()
    const [body, leaving] = [new PassThrough(), new AbortController()]
    const sending = node.client
      .fetch(calls.appendUpload, {
        params: { id, upload: upload.upload },
        headers: { ...bytesType, 'upload-offset': String(from) },
        body,
        signal: leaving.signal,
      })
      .then(
        () => 'answered',
        () => 'broken off',
      )
    body.write(bytes.subarray(from, from + 6 * mebi))
    const file = join(node.dataDir, 'uploads', id, upload.upload)
    await vi.waitUntil(() => statSync(file).size > from + 4 * mebi, { timeout: 10_000 })
    if (interrupt === 'kill') {
      await node.kill()
      body.destroy()
      expect(await sending).toBe('broken off')
      await node.start()
    } else {
      leaving.abort()
      body.destroy()
      expect(await sending).toBe('broken off')
    }
    expect(readdirSync(inside)).toEqual([])
  }

  const from = await upload.offset()
  expect(from).toBeGreaterThan(12 * mebi)
  expect((await upload.append(from, bytes.subarray(from))).status).toBe(204)
  expect(getHash(readFileSync(join(inside, 'world.zip')))).toBe(getHash(bytes))
})

test('a client that missed the last response learns that the file arrived, and so does one whose daemon crashed at that moment', async ({
  node,
  inside,
}) => {
  const done = await Upload.begin(node, 'done', 4)
  await done.append(0, 'done')
  const nearly = await Upload.begin(node, 'nearly', 6)
  writeFileSync(join(node.dataDir, 'uploads', id, nearly.upload), 'nearly')

  expect(await done.look()).toMatchObject({ status: 200, headers: { 'upload-offset': '4', 'upload-length': '4' } })
  expect(await nearly.offset()).toBe(6)

  expect(readFileSync(join(inside, 'nearly'), 'utf8')).toBe('nearly')
  expect((await done.append(4, '')).status).toBe(204)
})

test('a reconnecting client does not wait for its lost connection', async ({ node, inside }) => {
  const upload = await Upload.begin(node, 'a', 10)
  const body = new PassThrough()
  const lost = upload.append(0, body).then(
    ({ status }) => status,
    () => 'broken off',
  )
  body.write('01234')
  await vi.waitUntil(() => statSync(join(node.dataDir, 'uploads', id, upload.upload)).size === 5)

  const from = await upload.offset()
  const answer = await upload.append(from, '56789')

  expect([from, answer.status]).toEqual([5, 204])
  expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('0123456789')
  body.end('56789')
  expect([409, 'broken off']).toContain(await lost)
})

test('of two concurrent writers of a piece at most one succeeds', async ({ node, inside }) => {
  const upload = await Upload.begin(node, 'a', mebi)
  const bytes = randomBytes(mebi)

  await Promise.all(
    [upload.append(0, bytes), upload.append(0, bytes), upload.append(0, bytes)].map((one) => one.catch(() => {})),
  )
  const from = await upload.offset()
  if (from < mebi) await upload.append(from, bytes.subarray(from))

  expect(getHash(readFileSync(join(inside, 'a')))).toBe(getHash(bytes))
})

test('small files are sent with the create request, and empty ones need nothing more', async ({ node, inside }) => {
  const small = await create(node, 'small', 5, '', bytesType, 'small')
  const empty = await create(node, 'empty', 0)

  expect([small.status, small.headers['upload-offset'], empty.status]).toEqual([201, '5', 201])
  expect(readFileSync(join(inside, 'small'), 'utf8')).toBe('small')
  expect(readFileSync(join(inside, 'empty'), 'utf8')).toBe('')
})

test('an upload that would create a blank name is refused before anything is sent', async ({ node, inside }) => {
  for (const path of ['  ', 'mods/ ', ' /a.txt']) {
    const { status, body } = await create(node, path, 1)
    expect(status).toBe(400)
    expect(body.error).toMatchObject({ code: 'ErrFieldRequired', metadata: { field: 'name' } })
  }
  expect(readdirSync(inside)).toEqual([])
})

describe('an existing target', () => {
  test('is refused before anything is sent, unless requested otherwise', async ({ node, inside }) => {
    writeFileSync(join(inside, 'a.txt'), 'old')
    mkdirSync(join(inside, 'folder'))
    const wish = (existing: string) => `,existing ${base64(existing)}`

    expect((await create(node, 'a.txt', 1)).body.error.code).toBe('ErrFileExists')
    expect((await create(node, 'folder', 1, wish('replace'))).body.error.code).toBe('ErrNotAFile')
    expect((await create(node, 'a.txt', 1, wish('nonsense'))).status).toBe(400)
    await (await Upload.begin(node, 'a.txt', 3, wish('keepBoth'))).append(0, 'two')
    await (await Upload.begin(node, 'a.txt', 3, wish('replace'))).append(0, 'new')

    expect(readdirSync(inside).sort()).toEqual(['a (2).txt', 'a.txt', 'folder'])
    expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('new')
    expect(waiting(node).filter((name) => !name.endsWith('.json'))).toEqual([])
  })

  test('that appeared meanwhile is kept, and the uploaded bytes are not lost', async ({ node, inside }) => {
    const upload = await Upload.begin(node, 'a', 4)
    writeFileSync(join(inside, 'a'), 'theirs')

    const answer = await upload.append(0, 'mine')
    expect(answer).toMatchObject({ status: 409, body: { error: { code: 'ErrFileExists' } } })
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('theirs')
  })
})

test.for<[string, Record<string, string>, number]>([
  ['no length', { 'upload-length': '' }, 400],
  ['half a byte', { 'upload-length': '1.5' }, 400],
  ['less than nothing', { 'upload-length': '-1' }, 400],
  ['more than may be', { 'upload-length': String(maxUploadBytes + 1) }, 413],
  ['no path', { 'upload-metadata': `existing ${base64('refuse')}` }, 400],
  ['a way out', { 'upload-metadata': `path ${base64('../a')}` }, 400],
  ['a path of invalid UTF-8', { 'upload-metadata': 'path //79' }, 400],
  ['invalid metadata', { 'upload-metadata': 'path a b c' }, 400],
  ['another protocol', { 'tus-resumable': '0.2.2' }, 412],
])('an upload of %s is refused', async ([, headers, status], { node, inside }) => {
  expect((await create(node, 'a', 1, '', headers)).status).toBe(status)

  expect(readdirSync(inside)).toEqual([])
  expect(waiting(node)).toEqual([])
})

test('a piece at a wrong offset is refused, and nothing is written', async ({ node, inside }) => {
  const upload = await Upload.begin(node, 'a', 10)
  await upload.append(0, '0123')

  expect(await upload.append(0, '0123')).toMatchObject({ status: 409, body: { error: { code: 'ErrUploadOffset' } } })
  expect((await upload.append(7, '789')).status).toBe(409)
  expect((await upload.append(4, 'too many bytes')).status).toBe(413)
  const headers = { ...tus, 'upload-offset': '4', 'content-type': 'text/plain' }
  const params = { id, upload: upload.upload }
  expect((await node.client.send(calls.appendUpload, { params, headers, body: 'x' })).status).toBe(400)
  expect(await upload.offset()).toBe(4)
  expect(readdirSync(inside)).toEqual([])
})

test('an upload of one server does not exist for another', async ({ node, inside }) => {
  const upload = await Upload.begin(node, 'a', 4)

  expect((await upload.look(other)).status).toBe(404)
  expect((await upload.append(0, 'mine', other)).body.error.code).toBe('ErrUploadNotFound')
  expect((await upload.remove(other)).body.error.code).toBe('ErrUploadNotFound')
  expect((await node.client.send(calls.getUploads, { params: { id: other } })).body).toEqual([])
  expect(await upload.offset()).toBe(0)
  expect(readdirSync(inside)).toEqual([])
})

onOwnNode('an upload is deleted on request, with its server, and after it has expired', async ({ node }) => {
  await node.client.create(id, 'true')
  const [input, old, kept] = [
    await Upload.begin(node, 'a', 4),
    await Upload.begin(node, 'b', 4),
    await Upload.begin(node, 'c', 4),
  ]
  await old.append(0, 'ol')
  const longAgo = new Date(Date.now() - limits.uploadKeptMs - 1000)
  for (const name of [old.upload, `${old.upload}.json`])
    utimesSync(join(node.dataDir, 'uploads', id, name), longAgo, longAgo)

  expect((await input.remove()).status).toBe(204)
  await node.detach()
  await node.start()

  await vi.waitUntil(() => waiting(node).every((name) => name.startsWith(kept.upload)))
  expect((await input.look()).status).toBe(404)
  expect((await old.look()).status).toBe(404)
  expect(await kept.offset()).toBe(0)
  await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  expect(waiting(node)).toEqual([])
  expect(existsSync(join(node.dataDir, 'servers', id))).toBe(false)
})

test('concurrent uploads are limited', async ({ node, inside }) => {
  const folder = join(node.dataDir, 'uploads', id)
  mkdirSync(folder, { recursive: true })
  const facts = JSON.stringify({ path: '/x', existing: 'refuse', size: 1, createdAt: new Date().toISOString() })
  for (let at = 0; at < limits.uploadsPerServer; at++)
    writeFileSync(join(folder, `${randomBytes(16).toString('hex')}.json`), facts)

  const { status, body } = await create(node, 'a', 1)

  expect([status, body.error.code]).toEqual([409, 'ErrTooMany'])
  expect(readdirSync(inside)).toEqual([])
})

test('concurrent create requests stay within the limit per server', async ({ node, inside }) => {
  expect(readdirSync(inside)).toEqual([])
  const count = limits.uploadsPerServer + 10

  const answers = await Promise.all(Array.from({ length: count }, (_, at) => create(node, `file-${at}`, 10)))

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(limits.uploadsPerServer)
})

onOwnNode('space that other uploads have reserved is not available', async ({ node, skip }) => {
  await node.client.create(id, 'true')
  const folder = join(node.dataDir, 'uploads')
  mkdirSync(folder, { recursive: true })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'tmpfs', folder])
  skip(mounted.status !== 0, 'only root may mount a small disk')
  try {
    const [first, second] = [await Upload.begin(node, 'first', 5 * mebi), await create(node, 'second', 5 * mebi)]

    expect(second).toMatchObject({ status: 507, body: { error: { code: 'ErrDisk' } } })
    await first.remove()
    expect((await create(node, 'second', 5 * mebi)).status).toBe(201)
  } finally {
    spawnSync('umount', ['-l', folder])
  }
})
