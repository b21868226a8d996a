import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { logout } from '@innkeeper/contract/accounts/auth'
import { listServerActivity } from '@innkeeper/contract/activity/activity'
import { downloadBackup } from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import * as files from '@innkeeper/contract/servers/files'
import { describe, expect, vi } from 'vitest'
import { type TestPanel, type TestUser, test, testWith } from '../testing/test-panel.ts'

/** A panel with frequent re-authorization and small socket buffers. */
const quickTest = testWith({ socketRecheckMs: 100, lingerMs: 300 })

interface Sent {
  readonly method: string
  readonly path: string
  readonly as: TestUser
  readonly headers?: Record<string, string>
}

/** Sends a real request to the listening panel. */
async function open(testPanel: TestPanel, { method, path, as, headers = {} }: Sent) {
  const url = testPanel.panel.app.server.listening ? getUrl(testPanel) : (await testPanel.panel.listen()).url
  return httpRequest(url + path, { method, headers: { ...headers, authorization: `Bearer ${as.token}` } })
}

function getUrl(testPanel: TestPanel): string {
  const address = testPanel.panel.app.server.address()
  return `http://localhost:${typeof address === 'object' ? address?.port : ''}`
}

async function answered(request: ReturnType<typeof httpRequest>): Promise<IncomingMessage> {
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function readText(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** Sends data until the client disconnects. */
function trickle(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const timer = setInterval(() => response.write('x'), 20)
  response.once('close', () => clearInterval(timer))
}

const sizeOfMuch = 24 * 1024 * 1024

/** Chunks with different content, in sizes that match no buffer. */
function* getMuch(name: string): Generator<Buffer> {
  for (let [at, remaining] = [0, sizeOfMuch]; remaining > 0; at++) {
    const part = createHash('shake256', { outputLength: Math.min(remaining, 100_000 + 77 * at) })
    const bytes = part.update(`${name} ${at}`).digest()
    remaining -= bytes.length
    yield bytes
  }
}

test('the path of a file is decoded once and reaches the node unchanged', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const deep = Array.from({ length: 16 }, () => 'é'.repeat(120)).join('/')
  const everyByte = [...Buffer.from(deep)].map((byte) => `%${byte.toString(16)}`).join('')
  testPanel.node.answer(files.getFile, (_request, response) => void response.end('bytes'))
  const { url } = await testPanel.panel.listen()
  const ask = async (raw: string) => {
    const headers = { authorization: `Bearer ${admin.token}` }
    return (await fetch(`${url}/proxy/daemon/server/${id}/file${raw}`, { headers })).status
  }

  for (const raw of ['', '/', '/a%20b/%23%3F.txt', '/a%2Fb', '/%252e%252e', `/${everyByte}`]) {
    expect(await ask(raw), raw).toBe(200)
  }
  expect(testPanel.node.received.map((one) => one.url.replace(`/daemon/server/${id}/file`, ''))).toEqual([
    '/',
    '/',
    '/a%20b/%23%3F.txt',
    '/a/b',
    '/%252e%252e',
    `/${deep.split('/').map(encodeURIComponent).join('/')}`,
  ])
})

test.for(['/%', '/%zz', '/a%E0%A4', '/%ff'])(
  'a path that cannot be decoded is rejected: %s',
  async (raw, { testPanel }) => {
    const [admin, id] = [await testPanel.admin(), await testPanel.server()]

    for (const prefix of ['', '/proxy']) {
      const { status, refusal } = await testPanel.request(
        'GET',
        `${prefix}/daemon/server/${id}/file${raw}`,
        undefined,
        admin,
      )
      expect([status, refusal]).toEqual([400, 'ErrFieldInvalid'])
    }
    expect(testPanel.node.received).toEqual([])
  },
)

test('ranges, preconditions and resumable uploads are forwarded with their headers', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.getFile, (_request, response) => {
    const headers = { 'content-range': 'bytes 1-2/9', etag: '"7"', 'last-modified': 'x', 'accept-ranges': 'bytes' }
    response.writeHead(206, headers).end('12')
  })
  testPanel.node.answer(files.createUpload, (_request, response) => {
    const location = `/proxy/daemon/server/${id}/uploads/1`
    response.writeHead(201, { location, 'tus-resumable': '1.0.0', 'upload-offset': '0' }).end()
  })
  testPanel.node.answer(files.getUploadOffset, (_request, response) => {
    response.writeHead(200, { 'upload-offset': '5', 'upload-length': '9' }).end()
  })
  const ask = async (
    call: typeof files.getFile | typeof files.createUpload | typeof files.getUploadOffset,
    url: string,
    headers: object,
  ) =>
    await testPanel.panel.app.inject({
      method: call.method,
      url,
      headers: { authorization: `Bearer ${admin.token}`, ...headers },
    })
  const base = `/proxy/daemon/server/${id}`

  const part = await ask(files.getFile, `${base}/file/a`, { range: 'bytes=1-2', 'if-range': '"7"' })
  const begun = await ask(files.createUpload, `${base}/uploads`, {
    'tus-resumable': '1.0.0',
    'upload-length': '9',
    'upload-metadata': `path ${Buffer.from('world/a.dat').toString('base64')}`,
  })
  const offset = await ask(files.getUploadOffset, `${base}/uploads/${'0'.repeat(32)}`, { 'tus-resumable': '1.0.0' })

  expect([part.statusCode, part.headers['content-range'], part.headers.etag, part.body]).toEqual([
    206,
    'bytes 1-2/9',
    '"7"',
    '12',
  ])
  expect([begun.statusCode, begun.headers.location, begun.headers['tus-resumable']]).toEqual([
    201,
    `${base}/uploads/1`,
    '1.0.0',
  ])
  expect([offset.statusCode, offset.headers['upload-offset'], offset.headers['upload-length']]).toEqual([200, '5', '9'])
  expect(
    testPanel.node.received.map(({ headers }) => [headers.range, headers['if-range'], headers['upload-length']]),
  ).toEqual([
    ['bytes=1-2', '"7"', undefined],
    [undefined, undefined, '9'],
    [undefined, undefined, undefined],
  ])
})

test.for([
  'https://elsewhere.example/uploads',
  '//elsewhere.example/proxy/daemon/server',
  '/proxy/daemon/server/00000000/uploads/1',
  '/api/users/1',
])('a node cannot send an upload to %s', async (location, { testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.createUpload, (_request, response) => {
    response.writeHead(201, { location, 'tus-resumable': '1.0.0' }).end()
  })

  const { statusCode, headers } = await testPanel.panel.app.inject({
    method: 'POST',
    url: `/proxy/daemon/server/${id}/uploads`,
    headers: { authorization: `Bearer ${admin.token}`, 'tus-resumable': '1.0.0', 'upload-length': '9' },
  })

  expect([statusCode, headers.location]).toEqual([201, undefined])
})

test('files are downloaded and never displayed, whatever headers the node sends', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.getFile, (request, response) => {
    if (request.url?.endsWith('away'))
      return void response.writeHead(302, { location: 'https://elsewhere.example' }).end()
    const headers = { 'content-type': 'text/html', 'content-security-policy': '', 'content-disposition': 'inline' }
    response.writeHead(200, headers).end('<script>alert(1)</script>')
  })
  const ask = (path: string) =>
    testPanel.panel.app.inject({
      url: `/proxy/daemon/server/${id}/file/${path}`,
      headers: { authorization: `Bearer ${admin.token}` },
    })

  expect((await ask('a.html')).headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
  const away = await ask('away')
  expect([away.statusCode, away.headers.location]).toEqual([502, undefined])
})

test.for([
  ...['attachment; filename="../../evil"', 'attachment; filename="..\\\\evil"', 'attachment; filename=/etc/evil'],
  ...[`attachment; filename="a"; filename*=UTF-8''..%2Fevil`, `attachment; filename="a"; filename*=UTF-8''..%5cevil`],
  ...['attachment; filename="a"; filename="evil"', 'inline; filename="evil"'],
])('a node cannot name a file as %j', async (disposition, { testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(downloadBackup, (_request, response) => {
    response.writeHead(200, { 'content-disposition': disposition }).end('bytes')
  })

  const { headers } = await testPanel.panel.app.inject({
    url: `/proxy/daemon/server/${id}/backup/download/0123456789abcdef?path=a`,
    headers: { authorization: `Bearer ${admin.token}` },
  })

  expect(headers['content-disposition']).toBe('attachment')
})

test.for([
  ['with a content length', { 'content-length': String(sizeOfMuch) }],
  ['with chunked encoding', {}],
] as const)('a slow transfer arrives unchanged next to other ones: %s', async ([, sized], { testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.getFile, async (request, response) => {
    response.writeHead(200, { ...sized, 'content-type': 'application/octet-stream' })
    for (const part of getMuch(request.url?.slice(-1) ?? '')) {
      if (!response.write(part)) await once(response, 'drain')
    }
    response.end()
  })
  await testPanel.panel.listen()
  const load = async (name: string) => {
    const request = await open(testPanel, {
      method: 'GET',
      path: `/proxy/daemon/server/${id}/file/${name}`,
      as: admin,
    })
    request.end()
    const sum = createHash('sha256')
    for await (const chunk of await answered(request)) {
      sum.update(chunk as Buffer)
      // Other requests work in the meantime, with much data on its way.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return sum.digest('hex')
  }

  const sums = await Promise.all(['a', 'b', 'c'].map(load))

  expect(sums).toEqual(
    ['a', 'b', 'c'].map((name) => {
      const sum = createHash('sha256')
      for (const part of getMuch(name)) sum.update(part)
      return sum.digest('hex')
    }),
  )
})

quickTest('an upload rejected in the middle gets an error response', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  testPanel.node.answer(files.putFile, (_request, response) => {
    const body = JSON.stringify({ error: { code: 'ErrStaleVersion' } })
    response.writeHead(412, { 'content-type': 'application/json' }).end(body)
  })
  const headers = { 'content-length': String(64 * 1024 * 1024) }
  const request = await open(testPanel, {
    method: 'PUT',
    path: `/proxy/daemon/server/${id}/file/a`,
    as: admin,
    headers,
  })
  request.on('error', () => {})
  request.write(Buffer.alloc(4 * 1024 * 1024))

  const response = await answered(request)

  expect(response.statusCode).toBe(412)
  expect(await readText(response)).toContain('ErrStaleVersion')
  // The response does not wait for the rest.
  await once(request, 'close')
})

describe('a refused request with a body leaves its connection to the next request, of another user', () => {
  const bodies: readonly (readonly [method: string, path: string, bytes: number])[] = [
    ['POST', 'console', 4],
    ['POST', 'console', 200_000],
    ['POST', 'data', 200_000],
    ['POST', 'tasks', 200_000],
    ['POST', 'move', 200_000],
    ['POST', 'file-jobs', 200_000],
    ['PUT', 'file/a', 200_000],
    ['PUT', 'no-such-call', 200_000],
  ]

  quickTest.for(bodies)('%s %s, %i bytes', async ([method, path, bytes], { testPanel }) => {
    const id = await testPanel.server()
    const [admin, viewer, stranger] = [
      await testPanel.admin(),
      await testPanel.createUser({ on: { [id]: ['viewServerStats'] } }),
      await testPanel.createUser({}),
    ]
    testPanel.node.answer(files.getFile, trickle)
    const { url } = await testPanel.panel.listen()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (as: TestUser, verb: string, below: string) =>
      httpRequest(`${url}/proxy/daemon/server/${id}/${below}`, {
        agent,
        method: verb,
        headers: { authorization: `Bearer ${as.token}`, 'content-type': 'text/plain' },
      })
    const ports = new Set<number | undefined>()
    for (const as of [viewer, stranger]) {
      const request = ask(as, method, path)
      // The body arrives after its refusal, in pieces.
      request.flushHeaders()
      request.write('x'.repeat(bytes / 2))
      const response = answered(request)
      setTimeout(() => request.end('x'.repeat(bytes / 2)), 30)
      expect((await response).statusCode).toBeGreaterThanOrEqual(400)
      ports.add((await response).socket.localPort)
      await readText(await response)
    }

    const download = ask(admin, 'GET', 'file/a')
    download.end()
    const response = await answered(download)
    ports.add(response.socket.localPort)
    const end = once(response, 'close').then(() => 'broken off')
    const longer = new Promise((resolve) => setTimeout(() => resolve('goes on'), 3 * 300))

    expect(await Promise.race([end, longer])).toBe('goes on')
    expect(ports.size).toBe(1)
    agent.destroy()
  })
})

describe('revoking', () => {
  quickTest('a download is aborted soon after its permission was revoked', async ({ testPanel }) => {
    const id = await testPanel.server()
    const user = await testPanel.createUser({ on: { [id]: ['viewServerFiles', 'startServer'] } })
    testPanel.node.answer(files.getFile, trickle)
    const request = await open(testPanel, { method: 'GET', path: `/proxy/daemon/server/${id}/file/a`, as: user })
    request.end()
    const response = await answered(request)
    const reading = readText(response).then(
      () => 'ended as if it were whole',
      () => 'broken off',
    )

    await testPanel.grant(user.id, id, ['startServer'])

    const late = new Promise((resolve) => setTimeout(() => resolve('still running'), 5_000).unref())
    expect(await Promise.race([reading, late])).toBe('broken off')
  })

  quickTest('an upload is aborted soon after its user logged out, and another one continues', async ({ testPanel }) => {
    const id = await testPanel.server()
    const [leaving, staying] = [await testPanel.admin(), await testPanel.admin()]
    const ends: Record<string, string> = {}
    testPanel.node.answer(files.putFile, async (request, response) => {
      const name = request.url?.slice(-1) ?? ''
      ends[name] = 'running'
      await readText(request).then(
        () => (ends[name] = 'whole'),
        () => (ends[name] = 'broken off'),
      )
      response.writeHead(204).end()
    })
    const send = async (as: TestUser, name: string) => {
      const headers = { 'content-length': '100000' }
      const request = await open(testPanel, {
        method: 'PUT',
        path: `/proxy/daemon/server/${id}/file/${name}`,
        as,
        headers,
      })
      request.on('error', () => {})
      request.write('a part')
      return request
    }
    const [first, second] = [await send(leaving, 'a'), await send(staying, 'b')]
    const refused = answered(first)
    await vi.waitUntil(() => ends.a === 'running' && ends.b === 'running')

    await testPanel.send(logout, {}, leaving)

    const response = await Promise.race([
      refused,
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 5_000).unref()),
    ])
    expect(response?.statusCode).toBe(401)
    await vi.waitUntil(() => ends.a === 'broken off')
    expect(ends.b).toBe('running')
    second.end(Buffer.alloc(100_000 - 'a part'.length))
    expect((await answered(second)).statusCode).toBe(204)
    first.destroy()
  })
})

test('file operations are recorded with their paths', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const at = (path: string) => ({ params: { id, path } })
  const on = { params: { id } }
  testPanel.node.refuse(files.deleteFile, new Refusal('ErrFileNotFound'))

  await testPanel.request('PUT', `/proxy/daemon/server/${id}/file/cfg/a%20b.yml`, 'x', admin)
  await testPanel.send(files.deleteFile, at('gone'), admin)
  await testPanel.send(files.moveFile, { ...on, body: { from: 'a', to: 'b' } }, admin)
  await testPanel.send(
    files.startFileJob,
    { ...on, body: { kind: 'copy', paths: ['a', 'b', 'c'], destination: 'd' } },
    admin,
  )
  await testPanel.send(files.extractFileByGet, { ...at('x.zip'), query: {} }, admin)
  await testPanel.send(files.createDownload, { ...on, body: { paths: ['world'] } }, admin)
  await testPanel.send(files.getFile, at('read'), admin)

  const { answer } = await testPanel.send(listServerActivity, { ...on, query: { limit: 50, page: 1 } as never }, admin)
  expect(answer.activity.map(({ action, target, result }) => [action, target, result]).reverse()).toEqual([
    ['server.file.write', 'cfg/a b.yml', 'done'],
    ['server.file.delete', 'gone', 'refused'],
    ['server.file.move', 'a → b', 'done'],
    ['server.file.work', 'copy a, b +1 → d', 'done'],
    ['server.file.extract', 'x.zip', 'done'],
    ['server.file.download', 'world', 'done'],
  ])
})
