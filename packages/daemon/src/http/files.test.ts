import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import * as calls from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { describe, expect, vi } from 'vitest'
import { maxSearches, maxSearchesPerServer, maxZipsPerServer } from '../file-jobs/file-operations.ts'
import { RootFs } from '../files/root.ts'
import { TestNode } from '../testing/daemon.ts'
import { testOnSharedNode } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const mebi = 1024 * 1024

/** A node with one server, and its directory. */
const test = testOnSharedNode.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    await use(join(node.dataDir, 'servers', id))
    await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  },
})

const at = (path: string) => ({ params: { id, path } })
const on = { params: { id } }
const get = ({ client }: TestNode, path: string, headers: Record<string, string> = {}) =>
  client.send(calls.getFile, { ...at(path), headers })
const put = ({ client }: TestNode, path: string, body: unknown, headers: Record<string, string> = {}) =>
  client.send(calls.putFile, { ...at(path), body, headers })
const getHash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

describe('a file', () => {
  test('of 64 MiB is returned byte for byte', async ({ node, inside }) => {
    const bytes = randomBytes(64 * mebi)

    const sent = await put(node, 'world.bin', bytes)
    const { body, headers, status } = await node.client.fetch(calls.getFile, at('/world.bin'))
    const back = Buffer.from(await body.arrayBuffer())

    expect([sent.status, status]).toEqual([204, 200])
    expect(getHash(back)).toBe(getHash(bytes))
    expect(headers).toMatchObject({
      'content-length': String(bytes.length),
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="world.bin"; filename*=UTF-8''world.bin`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'accept-ranges': 'bytes',
      etag: sent.headers.etag,
    })
    expect(readdirSync(inside)).toEqual(['world.bin'])
  })

  test('can be sent as a form, whatever else is in the form', async ({ node, inside }) => {
    const form = new FormData()
    form.set('note', 'before')
    form.set('file', new Blob(['the content\r\n--not the end']), '../../elsewhere.txt')
    const request = new Request('http://x', { method: 'PUT', body: form })
    const [type, body] = [request.headers.get('content-type') ?? '', Buffer.from(await request.arrayBuffer())]

    const answer = await put(node, 'here.txt', body, { 'content-type': type })

    expect(answer.status).toBe(204)
    expect(readFileSync(join(inside, 'here.txt'), 'utf8')).toBe('the content\r\n--not the end')
    expect(readdirSync(inside)).toEqual(['here.txt'])
  })

  test.for([
    [
      'no file in it',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
    ],
    [
      'no end',
      'multipart/form-data; boundary=x',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf',
    ],
    ['no boundary', 'multipart/form-data', 'x'],
  ])('in a form with %s is refused and leaves nothing', async ([, type = '', body], { node, inside }) => {
    const answer = await put(node, 'a.txt', body, { 'content-type': type })

    expect(answer.status).toBe(400)
    expect(readdirSync(inside)).toEqual([])
  })

  test('can be empty', async ({ node, inside }) => {
    expect((await put(node, 'empty', undefined)).status).toBe(204)

    expect(readFileSync(join(inside, 'empty'), 'utf8')).toBe('')
    expect(await get(node, 'empty')).toMatchObject({ status: 200, body: '', headers: { 'content-length': '0' } })
  })

  test('of any size is received with little memory', async ({ node, inside }) => {
    const part = Buffer.alloc(mebi, 'x')
    let most = 0
    async function* parts() {
      for (let at = 0; at < 384; at++) {
        most = Math.max(most, process.memoryUsage().arrayBuffers)
        yield part
      }
    }
    const before = process.memoryUsage().arrayBuffers

    const { status } = await put(node, 'large', Readable.from(parts()))

    expect(status).toBe(204)
    expect(statSync(join(inside, 'large')).size).toBe(384 * mebi)
    expect(most - before).toBeLessThan(192 * mebi)
  })

  test('whose upload is interrupted is unchanged', async ({ node, inside }) => {
    writeFileSync(join(inside, 'a.txt'), 'old')
    const [body, leaving] = [new PassThrough(), new AbortController()]
    const sending = put(node, 'a.txt', body, { 'content-length': '1000000' }).catch((error: Error) => error.name)
    const alone = node.client.fetch(calls.putFile, { ...at('a.txt'), body, signal: leaving.signal }).catch(() => 'left')
    void sending
    body.write(Buffer.alloc(300_000, 'x'))
    await vi.waitUntil(() => readdirSync(inside).length > 1)

    leaving.abort()
    body.destroy()

    await alone
    await vi.waitUntil(() => readdirSync(inside).length === 1)
    expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('old')
  })

  test('that shrinks while it is sent breaks the connection', async ({ node, inside }) => {
    writeFileSync(join(inside, 'shrinking'), Buffer.alloc(32 * mebi))
    const { body } = await node.client.fetch(calls.getFile, at('shrinking'))

    truncateSync(join(inside, 'shrinking'), mebi)

    await expect(body.arrayBuffer()).rejects.toThrow()
  })

  test.for<[string, number, string, string | undefined]>([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
    ['bytes=a-b', 200, '0123456789', undefined],
  ])('of ten bytes is requested with %s', async ([range, status, text, told], { node, inside }) => {
    writeFileSync(join(inside, 'ten'), '0123456789')

    const answer = await get(node, 'ten', { range })

    expect([answer.status, answer.body, answer.headers['content-range']]).toEqual([status, text, told])
  })

  test('that the client has is not sent again, and a range of another version is not used', async ({
    node,
    inside,
  }) => {
    writeFileSync(join(inside, 'a'), '0123456789')
    const { headers } = await get(node, 'a')
    const [etag, modified] = [String(headers.etag), String(headers['last-modified'])]

    expect(await get(node, 'a', { 'if-none-match': `"other", W/${etag}` })).toMatchObject({ status: 304, body: '' })
    expect((await get(node, 'a', { 'if-modified-since': modified })).status).toBe(304)
    expect((await get(node, 'a', { 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
    expect((await get(node, 'a', { range: 'bytes=1-2', 'if-range': etag })).body).toBe('12')
    expect((await get(node, 'a', { range: 'bytes=1-2', 'if-range': modified })).body).toBe('12')
    expect((await get(node, 'a', { range: 'bytes=1-2', 'if-range': '"other"' })).body).toBe('0123456789')
  })
})

describe('two editors of one file', () => {
  test('the second save is refused, and the first one stays', async ({ node, inside }) => {
    writeFileSync(join(inside, 'motd.txt'), 'as both read it')
    const version = { 'if-match': String((await get(node, 'motd.txt')).headers.etag) }

    const first = await put(node, 'motd.txt', 'the first', version)
    const second = await put(node, 'motd.txt', 'the second', version)
    const again = await put(node, 'motd.txt', 'the first, once more', { 'if-match': String(first.headers.etag) })

    expect(second).toMatchObject({ status: 412, body: { error: { code: 'ErrStaleVersion' } } })
    expect([first.status, again.status]).toEqual([204, 204])
    expect(readFileSync(join(inside, 'motd.txt'), 'utf8')).toBe('the first, once more')
    expect(readdirSync(inside)).toEqual(['motd.txt'])
  })

  test('of two concurrent saves of a version one is refused', async ({ node, inside }) => {
    writeFileSync(join(inside, 'motd.txt'), 'as both read it')
    const version = { 'if-match': String((await get(node, 'motd.txt')).headers.etag) }

    const saves = await Promise.all(['one', 'other'].map((text) => put(node, 'motd.txt', text, version)))

    expect(saves.map(({ status }) => status).sort()).toEqual([204, 412])
  })

  test('a new file does not replace one, and a file to replace must exist', async ({ node, inside }) => {
    writeFileSync(join(inside, 'a'), 'mine')

    expect((await put(node, 'a', 'x', { 'if-none-match': '*' })).body.error.code).toBe('ErrFileExists')
    expect((await put(node, 'b', 'x', { 'if-match': '*' })).body.error.code).toBe('ErrStaleVersion')
    expect((await put(node, 'a', 'yours', { 'if-match': '*' })).status).toBe(204)
    expect((await put(node, 'b', 'x', { 'if-none-match': '*' })).status).toBe(204)
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('yours')
  })
})

describe('a directory', () => {
  test('is listed in the format of published clients', async ({ node, inside }) => {
    mkdirSync(join(inside, 'cfg'))
    writeFileSync(join(inside, 'cfg/a.yml'), 'hello')
    writeFileSync(join(inside, 'cfg/.innkeeper-0-0.tmp'), 'ours')
    writeFileSync(Buffer.concat([Buffer.from(`${inside}/cfg/`), Buffer.from([0x66, 0xff])]), 'x')
    symlinkSync('a.yml', join(inside, 'cfg/link'))

    const [root, folder] = [await get(node, ''), await get(node, 'cfg')]

    expect(root.headers['content-type']).toContain('application/json')
    expect(root.body).toEqual([{ name: 'cfg', isFile: false, modifyTime: expect.any(Number) }])
    expect(folder.body[0]).toEqual({ name: '..', isFile: false })
    expect(folder.body.slice(1)).toEqual(
      expect.arrayContaining([
        { name: 'a.yml', isFile: true, size: 5, modifyTime: expect.any(Number), extension: '.yml' },
        { name: 'link', isFile: true, isLink: true, modifyTime: expect.any(Number) },
        { name: 'f\ufffd', isFile: true, size: 1, modifyTime: expect.any(Number), isOdd: true },
      ]),
    )
    expect(folder.body).toHaveLength(4)
  })

  test('is the same with a slash behind it, in front, or both', async ({ node: { client }, inside }) => {
    mkdirSync(join(inside, 'cfg'))
    writeFileSync(join(inside, 'cfg/a'), '')
    const ask = async (rest: string) =>
      (await client.ask('GET', `/daemon/server/${id}/file${rest}`, { ticket: { server: id } })).body.length

    expect(await Promise.all(['', '/', '/cfg', '/cfg/', '//cfg', '/%2Fcfg%2f', '/cfg/..'].map(ask))).toEqual([
      1, 1, 2, 2, 2, 2, 1,
    ])
  })

  test('of thousands of files is complete', async ({ node, inside }) => {
    for (let at = 0; at < 3000; at++) writeFileSync(join(inside, `file-${at}`), '')

    const { body } = await get(node, '')

    expect(new Set(body.map(({ name }: { name: string }) => name)).size).toBe(3000)
  })

  test('is created with its parents, and removed with its contents', async ({ node, inside }) => {
    const made = await node.client.send(calls.putFile, { ...at('a/b/c'), query: { folder: 'true' } })
    writeFileSync(join(inside, 'a/b/c/d'), '')

    const removed = await node.client.send(calls.deleteFile, at('a'))

    expect([made.status, removed.status]).toEqual([200, 204])
    expect(readdirSync(inside)).toEqual([])
  })

  test("that is missing accepts no file, and the server's directory cannot be deleted", async ({ node, inside }) => {
    writeFileSync(join(inside, 'a'), '')

    expect((await put(node, 'missing/a', 'x')).body.error.code).toBe('ErrFileNotFound')
    for (const path of ['', '/', '.', 'a/..']) {
      expect((await node.client.send(calls.deleteFile, at(path))).status, path).toBe(400)
    }
    expect(readdirSync(inside)).toEqual(['a'])
  })
})

test.for([
  'a\r\nSet-Cookie: a=b',
  'say "hi"; filename=evil',
  'größe ☃ 日本.txt',
  '\u202egpj.exe',
  "it's 100% (new)",
  '%2e%2e%2f',
  'a#b?c&d=e+f',
  '..\\..\\windows',
])('a file named %j keeps its name, which has no effect elsewhere', async (name, { node, inside }) => {
  const isOdd = /[\r\n]/.test(name)

  const sent = await put(node, name, 'content')
  const got = await get(node, name)

  if (isOdd) {
    expect([sent.status, got.status]).toEqual([400, 404])
    expect(readdirSync(inside)).toEqual([])
    return
  }
  expect(readdirSync(inside)).toEqual([name])
  expect([got.status, got.body]).toEqual([200, 'content'])
  expect(String(got.headers['content-disposition'])).toMatch(
    /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w%!#$&+.^`|~-]*$/,
  )
})

test.for(['Icon\r', 'a\tb', 'c\nd'])(
  'an existing file named %j can be used, but not created',
  async (name, { node, inside }) => {
    writeFileSync(join(inside, name), 'old')

    const saved = await put(node, name, 'new')
    const { body } = await get(node, name)
    const listed = await get(node, '')
    const moved = await node.client.send(calls.moveFile, { ...on, body: { from: name, to: 'plain' } })
    const back = await node.client.send(calls.moveFile, { ...on, body: { from: 'plain', to: name } })
    writeFileSync(join(inside, name), '')
    const jobs = await node.client.send(calls.deleteFile, at(name))

    expect([saved.status, body, moved.status, back.status, jobs.status]).toEqual([204, 'new', 204, 400, 204])
    expect(listed.body).toEqual([expect.objectContaining({ name })])
    expect(listed.body[0]).not.toHaveProperty('isOdd')
    expect(readdirSync(inside)).toEqual(['plain'])
  },
)

describe('escaping the root', () => {
  /** Every endpoint with a path. */
  const everyCall = (path: string): [Endpoint, object][] => [
    [calls.getFile, at(path)],
    [calls.putFile, { ...at(path), body: 'x' }],
    [calls.putFile, { ...at(path), query: { folder: '' } }],
    [calls.deleteFile, at(path)],
    [calls.archiveFiles, { ...at('new.zip'), body: [path] }],
    [calls.archiveFiles, { ...at(`${path}/new.zip`), body: ['mine'] }],
    [calls.extractFile, { ...at(path), query: { destination: '' } }],
    [calls.extractFileByGet, { ...at('mine'), query: { destination: path } }],
    [calls.moveFile, { ...on, body: { from: path, to: 'stolen' } }],
    [calls.moveFile, { ...on, body: { from: 'mine', to: path, existing: 'replace' } }],
    [calls.searchFiles, { ...on, query: { path, text: 'secret' } }],
    [calls.downloadArchive, { ...on, body: [path] }],
    [calls.createUpload, { ...on, headers: uploading(path) }],
  ]
  const uploading = (path: string) => ({
    'upload-length': '1',
    'upload-metadata': `path ${Buffer.from(path).toString('base64')},existing ${Buffer.from('replace').toString('base64')}`,
  })

  test.for([
    '../secret.txt',
    '/../../secret.txt',
    'a/../../secret.txt',
    '..',
    'out/secret.txt',
    'mine\0.txt',
    `${'x'.repeat(256)}`,
    `${'x/'.repeat(2100)}a`,
  ])('is refused by every endpoint: %s', async (path, { node, inside }) => {
    const outside = join(inside, '..')
    writeFileSync(join(outside, 'secret.txt'), 'the treasure')
    writeFileSync(join(inside, 'mine'), 'mine')
    symlinkSync('..', join(inside, 'out'))
    const before = readdirSync(outside).sort()

    for (const [call, asking] of everyCall(path)) {
      const { status, body } = await node.client.send(call, asking)
      expect([400, 404], `${call.method} ${call.path} ${JSON.stringify(body)}`).toContain(status)
      expect(JSON.stringify(body)).not.toContain('treasure')
    }
    expect(readdirSync(outside).sort()).toEqual(before)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('the treasure')
    expect(readdirSync(inside).sort()).toEqual(['mine', 'out'])
    expect(readFileSync(join(inside, 'mine'), 'utf8')).toBe('mine')
  })

  test.for(['..%2f..%2fsecret.txt', '%2e%2e/secret.txt', '..%2Fsecret.txt', 'a/%2e%2e%2f%2e%2e/secret.txt'])(
    'is refused in any encoding: %s',
    async (raw, { node: { client }, inside }) => {
      writeFileSync(join(inside, '../secret.txt'), 'the treasure')

      for (const method of ['GET', 'PUT', 'DELETE'] as const) {
        const answer = await client.ask(method, `/daemon/server/${id}/file/${raw}`, { ticket: { server: id } })
        expect(answer).toMatchObject({ status: 400, body: { error: { code: 'ErrIllegalFileAccess' } } })
      }
      expect(readFileSync(join(inside, '../secret.txt'), 'utf8')).toBe('the treasure')
    },
  )

  test.for(['%', '%zz', 'a%E0%A4', '%ff', '%c0%af'])(
    'that cannot be decoded is refused: %s',
    async (raw, { node: { client }, inside }) => {
      const answer = await client.ask('PUT', `/daemon/server/${id}/file/${raw}`, { ticket: { server: id }, body: 'x' })

      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'ErrFieldInvalid' } } })
      expect(readdirSync(inside)).toEqual([])
    },
  )

  test('is not decoded twice', async ({ node: { client }, inside }) => {
    writeFileSync(join(inside, '../secret.txt'), 'the treasure')

    const answer = await client.ask('GET', `/daemon/server/${id}/file/%252e%252e%252fsecret.txt`, {
      ticket: { server: id },
    })

    expect(answer.status).toBe(404)
  })

  test('pipes are listed, deleted, and nothing else', async ({ node, inside }) => {
    const { execFileSync } = await import('node:child_process')
    execFileSync('mkfifo', [join(inside, 'pipe')])

    expect((await get(node, '')).body).toMatchObject([{ name: 'pipe', isOdd: true }])
    expect((await get(node, 'pipe')).body.error.code).toBe('ErrNotAFile')
    expect((await put(node, 'pipe', 'x')).body.error.code).toBe('ErrNotAFile')
    expect((await node.client.send(calls.deleteFile, at('pipe'))).status).toBe(204)
  })
})

test('a path of 4,096 percent-encoded bytes is accepted', async ({ node: { client }, inside }) => {
  const folder = Array.from({ length: 15 }, () => 'é'.repeat(120)).join('/')
  const path = `${folder}/${'é'.repeat(120)}`
  mkdirSync(join(inside, folder), { recursive: true })
  const raw = [...Buffer.from(path)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  expect(Buffer.byteLength(path)).toBeGreaterThan(3800)

  const answer = await client.ask('PUT', `/daemon/server/${id}/file/${raw}`, { ticket: { server: id }, body: 'deep' })

  expect(answer.status).toBe(204)
  expect(readFileSync(join(inside, path), 'utf8')).toBe('deep')
})

test('several paths are downloaded as one streamed zip', async ({ node, inside }) => {
  const { execFileSync } = await import('node:child_process')
  mkdirSync(join(inside, 'world/region'), { recursive: true })
  const bytes = randomBytes(5 * mebi)
  writeFileSync(join(inside, 'world/region/r.mca'), bytes)
  writeFileSync(join(inside, 'world/level.dat'), 'level')
  writeFileSync(join(inside, 'not.this'), 'x')

  const { status, headers, body } = await node.client.fetch(calls.downloadArchive, { ...on, body: ['world'] })
  const zip = join(node.dataDir, 'got.zip')
  writeFileSync(zip, Buffer.from(await body.arrayBuffer()))

  expect(status).toBe(200)
  expect(headers['content-disposition']).toContain('filename="world.zip"')
  execFileSync('unzip', ['-q', zip, '-d', join(node.dataDir, 'unpacked')])
  expect(getHash(readFileSync(join(node.dataDir, 'unpacked/world/region/r.mca')))).toBe(getHash(bytes))
  expect(existsSync(join(node.dataDir, 'unpacked/not.this'))).toBe(false)
})

test('an unread download does not prevent the daemon from exiting', async () => {
  await using node = await TestNode.start()
  await node.client.create(id, 'true')
  writeFileSync(join(node.dataDir, 'servers', id, 'world.bin'), randomBytes(32 * mebi))
  const { body } = await node.client.fetch(calls.getFile, at('/world.bin'))

  await node.detach()

  await expect(body.bytes()).rejects.toThrow()
})

test('concurrent zips per server are limited, and another one starts when one has ended', async ({
  node: { client },
  inside,
}) => {
  writeFileSync(join(inside, 'world.bin'), randomBytes(32 * mebi))
  const zip = () => client.fetch(calls.downloadArchive, { ...on, body: ['world.bin'] })

  const running = [await zip(), await zip()]
  const refused = await client.send(calls.downloadArchive, { ...on, body: ['world.bin'] })
  running[0]?.body.destroy()
  const later = await vi.waitFor(async () => {
    const answer = await zip()
    if (answer.status !== 200) await answer.body.dump()
    expect(answer.status).toBe(200)
    return answer
  }, 20_000)

  expect(running.map(({ status }) => status)).toEqual([200, 200])
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'ErrTooManyRequests' } } })
  const missing = await client.send(calls.searchFiles, { ...on, query: { text: 'world' } })
  expect(missing.body.found).toHaveLength(1)
  for (const answer of [...running, later]) answer.body.destroy()
  await vi.waitFor(async () => {
    const { status } = await client.send(calls.downloadArchive, { ...on, body: ['missing'] })
    expect(status).toBe(404)
  }, 20_000)
})

test('a zip that fails to start releases its slot', async ({ node: { client }, inside }) => {
  writeFileSync(join(inside, 'a'), 'a')

  for (let time = 0; time <= maxZipsPerServer; time++) {
    const missing = await client.send(calls.downloadArchive, { ...on, body: ['missing'] })
    expect(missing).toMatchObject({ status: 404, body: { error: { code: 'ErrFileNotFound' } } })
  }

  expect((await client.fetch(calls.downloadArchive, { ...on, body: ['a'] })).status).toBe(200)
})

describe('searches', () => {
  const others = Array.from({ length: maxSearches / maxSearchesPerServer }, (_, at) => `0b0b0b0${at}`)

  /** Blocks every search at its first step until `release`, and counts those that have begun. */
  async function withBlockedSearches(
    use: (blocked: { readonly running: number; readonly peak: number; release(): void }) => Promise<void>,
  ) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const blocked = { running: 0, peak: 0, release }
    const walk = RootFs.prototype.walk
    const spy = vi.spyOn(RootFs.prototype, 'walk').mockImplementation(async function* (this: RootFs, ...input) {
      blocked.running++
      blocked.peak = Math.max(blocked.peak, blocked.running)
      try {
        await released
        yield* walk.apply(this, input)
      } finally {
        blocked.running--
      }
    })
    try {
      await use(blocked)
    } finally {
      release()
      spy.mockRestore()
    }
  }

  test('of one server run a few at once, and others in order', async ({ node: { client }, inside }) => {
    writeFileSync(join(inside, 'world.bin'), '')
    const search = (signal?: AbortSignal) =>
      client.send(calls.searchFiles, { ...on, query: { text: 'world' }, ...(signal && { signal }) })

    await withBlockedSearches(async (blocked) => {
      const leaving = new AbortController()
      const running = Array.from({ length: maxSearchesPerServer }, () => search())
      await vi.waitFor(() => expect(blocked.running).toBe(maxSearchesPerServer))
      const left = expect(search(leaving.signal)).rejects.toThrow()
      const waiting = [search(), search()]
      // Everything sent before has arrived when this is answered.
      await client.send(calls.getFile, at('world.bin'))
      expect(blocked.running).toBe(maxSearchesPerServer)

      leaving.abort()
      await left
      blocked.release()
      const answers = await Promise.all([...running, ...waiting])

      expect(answers.map(({ body }) => body.found.length)).toEqual(answers.map(() => 1))
      expect(blocked.peak).toBe(maxSearchesPerServer)
    })
  })

  test('of all servers of a node are limited', async ({ node: { client }, inside }) => {
    writeFileSync(join(inside, 'world.bin'), '')
    for (const other of others) await client.create(other, 'true')
    const all = [...others, id].flatMap((server) => Array.from({ length: maxSearchesPerServer }, () => server))

    await withBlockedSearches(async (blocked) => {
      const runSearch = all.map((server) =>
        client.send(calls.searchFiles, { params: { id: server }, query: { text: 'world' } }),
      )
      await vi.waitFor(() => expect(blocked.running).toBe(maxSearches))
      await client.send(calls.getFile, at('world.bin'))
      expect(blocked.running).toBe(maxSearches)

      blocked.release()
      const answers = await Promise.all(runSearch)

      expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200))
      expect(blocked.peak).toBe(maxSearches)
    })
    for (const other of others) await client.asPanel('DELETE', `/daemon/server/${other}`)
  })
})

test('find a part of a name, ignoring case, anywhere', async ({ node: { client }, inside }) => {
  mkdirSync(join(inside, 'plugins/Essentials'), { recursive: true })
  writeFileSync(join(inside, 'plugins/Essentials/config.yml'), '')
  writeFileSync(join(inside, 'plugins/essentials.JAR'), '')
  symlinkSync('..', join(inside, 'plugins/out'))

  const { body } = await client.send(calls.searchFiles, { ...on, query: { path: 'plugins', text: 'ESSENTIAL' } })
  const none = await client.send(calls.searchFiles, { ...on, query: { text: 'no such thing' } })

  expect(body.isComplete).toBe(true)
  expect(body.found).toHaveLength(2)
  expect(body.found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'Essentials', path: '/plugins', isFile: false }),
      expect.objectContaining({ name: 'essentials.JAR', path: '/plugins', isFile: true }),
    ]),
  )
  expect(none.body).toEqual({ found: [], isComplete: true })
})

test('the disk usage of a server is measured', async ({ node: { client }, inside }) => {
  mkdirSync(join(inside, 'a'))
  writeFileSync(join(inside, 'a/b'), Buffer.alloc(1000))
  writeFileSync(join(inside, 'c'), Buffer.alloc(500))

  const { body } = await client.send(calls.getDiskUsage, on)

  expect(body).toEqual({
    bytes: 1500,
    files: 2,
    folders: 1,
    freeBytes: expect.any(Number),
    measuredAt: expect.any(String),
  })
})

test('fast measurements are repeated soon', async ({ node, inside }) => {
  const bytes = async () => (await node.client.send(calls.getDiskUsage, on)).body.bytes
  writeFileSync(join(inside, 'a'), Buffer.alloc(500))
  expect(await bytes()).toBe(500)

  await put(node, 'b', Buffer.alloc(300))

  await expect.poll(bytes, { timeout: 5_000 }).toBe(800)
})

test('a file is moved, and replaces another one only on request', async ({ node: { client }, inside }) => {
  for (const name of ['a', 'b', 'c']) writeFileSync(join(inside, name), name)
  const move = async (from: string, to: string, existing?: string) =>
    (await client.send(calls.moveFile, { ...on, body: { from, to, ...(existing && { existing }) } })).status

  expect(await move('a', 'b')).toBe(409)
  expect(await move('a', 'new')).toBe(204)
  expect(await move('b', 'c', 'replace')).toBe(204)
  expect(await move('c', 'missing/c')).toBe(404)
  expect(await move('', 'x')).toBe(400)

  expect(readdirSync(inside).sort()).toEqual(['c', 'new'])
  expect(readFileSync(join(inside, 'c'), 'utf8')).toBe('b')
})

describe('a blank name', () => {
  test.for(['  ', ' \u00a0', 'mods/ ', ' /a.txt', '\u200b'])(
    '(%j) is refused for new files and directories',
    async (path, { node, inside }) => {
      mkdirSync(join(inside, 'mods'))
      writeFileSync(join(inside, 'single.txt'), 'kept')
      const body = { from: 'single.txt', to: path }

      const answers = [
        await put(node, path, 'x'),
        await node.client.send(calls.putFile, { ...at(path), query: { folder: 'true' } }),
        await node.client.send(calls.moveFile, { ...on, body }),
      ]

      for (const { status, body } of answers) {
        expect(status).toBe(400)
        expect(body.error).toMatchObject({ code: 'ErrFieldRequired', metadata: { field: 'name' } })
      }
      expect(readdirSync(inside).sort()).toEqual(['mods', 'single.txt'])
      expect(readdirSync(join(inside, 'mods'))).toEqual([])
    },
  )

  test('that exists already can be read, changed, renamed and deleted', async ({ node, inside }) => {
    mkdirSync(join(inside, '   '))
    writeFileSync(join(inside, '  '), 'before')

    expect((await put(node, '  ', 'after')).status).toBe(204)
    expect((await put(node, '   /a.txt', 'new')).status).toBe(204)
    expect(readFileSync(join(inside, '  '), 'utf8')).toBe('after')
    expect((await get(node, '   ')).body).toMatchObject([{ name: '..' }, { name: 'a.txt' }])
    await node.client.send(calls.moveFile, { ...on, body: { from: '  ', to: 'named.txt' } })
    await node.client.send(calls.deleteFile, at('   '))
    expect(readdirSync(inside)).toEqual(['named.txt'])
  })
})

test('nothing is accessible without its permission', async ({ node: { client }, inside }) => {
  writeFileSync(join(inside, 'a'), 'secret')
  const reader = { permissions: ['viewServerFiles' as const] }
  const other = { permissions: ['viewServerConsole' as const] }

  expect((await client.send(calls.getFile, { ...at('a'), ...other })).body.error.code).toBe('ErrMissingScope')
  expect((await client.send(calls.putFile, { ...at('a'), ...reader, body: 'x' })).body.error.code).toBe(
    'ErrMissingScope',
  )
  expect((await client.send(calls.deleteFile, { ...at('a'), ...reader })).body.error.code).toBe('ErrMissingScope')
  expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('secret')
})

test('a body over the limit is refused, and the client gets the response', async ({ node, inside }) => {
  const answer = await node.client.send(calls.startFileJob, { ...on, body: 'x'.repeat(limits.definitionBytes + 1) })

  expect(answer).toMatchObject({ status: 413, body: { error: { code: 'ErrBodyTooLarge' } } })
  expect(readdirSync(inside)).toEqual([])
})
