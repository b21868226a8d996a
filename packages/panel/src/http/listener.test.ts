import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { endpoint, Redirect } from '@innkeeper/contract/api/endpoint'
import { authPages } from '@innkeeper/contract/http/auth-pages'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { getConfig, getHealth, getReadiness, getUserSettings, putUserSetting } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import pino from 'pino'
import { describe, expect } from 'vitest'
import { z } from 'zod'
import { DatabaseNotAvailable } from '../database/errors.ts'
import { TestPanel, test } from '../testing/test-panel.ts'
import { createListener } from './listener.ts'

async function withWebApp(options: Parameters<typeof TestPanel.start>[0] = {}): Promise<TestPanel> {
  const testPanel = await TestPanel.start()
  await testPanel.stop()
  const webDir = join(testPanel.folder, 'web')
  await mkdir(join(webDir, 'assets'), { recursive: true })
  await writeFile(join(testPanel.folder, 'secret.tar'), 'outside')
  await writeFile(join(webDir, 'index.html'), '<title>App</title>')
  await writeFile(join(webDir, 'favicon.svg'), '<svg/>')
  await writeFile(join(webDir, 'assets', 'main-abc123.js'), 'let a = 1')
  await writeFile(join(webDir, 'assets', 'main-abc123.js.gz'), gzipSync('let a = 1'))
  return TestPanel.start({ webDir, ...options })
}

/** Sends a raw request, and resolves to the first chunk of the response. */
async function sendRaw(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  const [head] = await once(socket, 'data')
  socket.destroy()
  return String(head)
}

/** Sends a request with `Connection: close`, and returns the whole answer. */
async function sendRawAndRead(url: string, request: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(request)
  return await text(socket)
}

test('a request with two Host headers is rejected, also for a live socket', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const { url } = await testPanel.panel.listen()
  const upgrade =
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eA==\r\n'
  const hosts = 'Host: panel.example.org\r\nhOST: evil.example\r\n'
  const authorization = `Authorization: Bearer ${admin.token}\r\n`

  const answers = await Promise.all([
    sendRaw(url, `GET /api/config HTTP/1.1\r\n${hosts}\r\n`),
    sendRaw(url, `GET /nothing HTTP/1.1\r\n${hosts}\r\n`),
    sendRaw(url, `GET /proxy/daemon/socket/${id} HTTP/1.1\r\n${hosts}${authorization}${upgrade}\r\n`),
  ])

  for (const answer of answers) {
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).toContain('"ErrFieldInvalid"')
  }
  expect(testPanel.node.sockets.size).toBe(0)
})

test.for([
  ['GET', '/%00', {}, 400],
  ['GET', '/api/users%00', {}, 400],
  ['GET', '/auth/login%00', {}, 400],
  ['GET', '/assets/%2e%2e/%2e%2e/index.html', {}, 404],
  ['GET', '/favicon.svg', { range: 'bytes=99999999-' }, 416],
  ['GET', '/favicon.svg', { 'if-match': '"x"' }, 412],
  ['GET', '/', { range: 'bytes=99999999-' }, 416],
  ['GET', '/favicon.svg', { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' }, 412],
  ['QUERY', '/api/config', {}, 400],
  ['QUERY', '/', {}, 400],
  ['PROPFIND', '/api/config', {}, 404],
] as const)('%s %s with %j is refused, and is no error in the log', async ([method, path, headers, status]) => {
  const errors: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void errors.push(line) })
  const withFiles = await withWebApp({ log })
  const { url } = await withFiles.panel.listen()
  errors.length = 0
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)

  const answer = await sendRaw(url, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n`)

  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(errors).toEqual([])
  await withFiles.stop()
})

test.for(['/', '/assets/', '/theme/', '/docs/', '/api/catalog/templates/', '/api/templates/', '/api/downloads/'])(
  'no name below %s leads to a file outside of the web app',
  async (prefix) => {
    const withFiles = await withWebApp({})
    const admin = await withFiles.admin()
    const { url } = await withFiles.panel.listen()
    const climbs = ['../', '..%2f', '%2e%2e/', '%2e%2e%2f', '..%5c', '..%252f', '....//', './../', '%00/../', '//../']
    const credentials = `Host: x\r\nAuthorization: Bearer ${admin.token}\r\nConnection: close\r\n`

    for (const climb of climbs) {
      for (const name of [`${climb}secret.tar`, `${climb.repeat(3)}secret.tar`, `en_US${climb}${climb}secret.tar`]) {
        const answer = await sendRawAndRead(url, `GET ${prefix}${name} HTTP/1.1\r\n${credentials}\r\n`)
        expect(answer, name).not.toContain('outside')
        expect(answer, name).not.toMatch(/^HTTP\/1.1 5/)
      }
    }
    await withFiles.stop()
  },
)

test.for(['/', '/api/config', '/api/self', '/api/nothing'])(
  '%s has all security headers',
  async (path, { testPanel }) => {
    const { headers } = await testPanel.request('GET', path)

    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'self';script-src 'self';script-src-attr 'none';style-src 'self' 'unsafe-inline';img-src 'self' data: blob:;font-src 'self';connect-src 'self';object-src 'none';base-uri 'self';form-action 'self';frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'origin-agent-cluster': '?1',
      'referrer-policy': 'same-origin',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-frame-options': 'DENY',
      'x-permitted-cross-domain-policies': 'none',
      'x-xss-protection': '0',
    })
  },
)

describe('unknown paths', () => {
  test.for([
    ['GET', '/api'],
    ['GET', '/api/'],
    ['GET', '/api/nothing'],
    ['GET', '/api/servers/00000000/nothing'],
    ['POST', '/api/config'],
    ['DELETE', '/api/servers'],
    ['GET', '/auth/nothing'],
    ['GET', '/oauth2/token'],
    ['POST', '/oauth2/nothing'],
    ['GET', '/proxy/nothing'],
    ['GET', '/proxy'],
    ['GET', '/theme/x.tar'],
    ['GET', '/assets/gone.js'],
    ['POST', '/server'],
    ['GET', '/%61pi/nothing'],
  ] as const)('%s %s is not found, with a JSON error', async ([method, url], { testPanel }) => {
    const { status, refusal, headers } = await testPanel.request(method, url)

    expect([status, refusal]).toEqual([404, 'ErrNotFound'])
    expect(headers['cache-control']).toBe('no-store')
  })

  test('a path that cannot be decoded is not found', async ({ testPanel }) => {
    expect((await testPanel.request('GET', '/api/%zz')).status).toBe(404)
  })
})

describe('bodies', () => {
  test.for([
    ['{"email":', 'ErrInvalidJson'],
    ['', 'ErrInvalidJson'],
    ['[]', 'ErrInvalidJson'],
    ['"text"', 'ErrInvalidJson'],
    ['{"__proto__":{"isAdmin":true},"email":"a","password":"b"}', 'ErrInvalidJson'],
    ['{"\\u005f_proto__":{},"email":"a","password":"b"}', 'ErrInvalidJson'],
    ['{"email":"a"}', 'ErrFieldRequired'],
    ['{"email":{},"password":"b"}', 'ErrFieldInvalid'],
    [`{"email":${'['.repeat(500)}${']'.repeat(500)}}`, 'ErrInvalidJson'],
  ] as const)('%s is rejected with %s', async ([payload, code], { testPanel }) => {
    const headers = { 'content-type': 'application/json' }

    const response = await testPanel.panel.app.inject({ method: 'POST', url: '/auth/login', headers, payload })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({ error: { code } })
  })

  test('a cross-site form is not accepted as JSON', async ({ testPanel }) => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const headers = { 'content-type': type }
      const payload = '{"email":"a@example.org","password":"b"}'
      const response = await testPanel.panel.app.inject({ method: 'POST', url: '/auth/login', headers, payload })

      expect(response.json()).toMatchObject({ error: { code: 'ErrInvalidJson' } })
    }
  })

  test('a body that is too large is rejected', async ({ testPanel }) => {
    const body = { email: 'x'.repeat(1_100_000), password: 'x' }

    expect(await testPanel.request('POST', '/auth/login', body)).toMatchObject({
      status: 413,
      refusal: 'ErrBodyTooLarge',
    })
  })

  test('a large body of an anonymous client is rejected before it is read', async ({ testPanel }) => {
    const { url } = await testPanel.panel.listen()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      'POST /api/servers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{',
    )

    const [head] = await once(socket, 'data')

    expect(String(head)).toMatch(/^HTTP\/1.1 401 /)
    socket.destroy()
  })

  test('a request that offers a protocol upgrade gets a normal response', async ({ testPanel }) => {
    const { url } = await testPanel.panel.listen()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n')

    const [head] = await once(socket, 'data')

    expect(String(head)).toMatch(/^HTTP\/1.1 200 /)
    socket.destroy()
  })

  test('settings with unusual keys are stored', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    for (const key of ['__proto__', 'constructor', 'a b', 'ä/ö']) {
      expect((await testPanel.send(putUserSetting, { params: { key }, body: { value: key } }, user)).status).toBe(204)
    }

    const { answer } = await testPanel.send(getUserSettings, {}, user)
    expect(answer.map(({ key }) => key).sort()).toEqual(['__proto__', 'a b', 'constructor', 'ä/ö'].sort())
    expect(({} as { value?: unknown }).value).toBeUndefined()
  })
})

describe('answers', () => {
  test('only declared fields of a response are sent', async () => {
    const app = await listenerWith((registerRoute) => {
      const declared = endpoint('GET', '/api/x', {
        access: 'public',
        response: z.object({ visible: z.string() }),
      })
      registerRoute(declared, () => ({ visible: 'yes', secret: 'no' }) as { visible: string })
    })

    expect((await app.inject({ url: '/api/x' })).json()).toEqual({ visible: 'yes' })
    await app.close()
  })

  test('an internal error is returned without details', async () => {
    const app = await listenerWith((registerRoute) => {
      registerRoute(endpoint('GET', '/api/x', { access: 'public' }), () => {
        throw new Error('secret of the inside')
      })
    })

    const response = await app.inject({ url: '/api/x' })

    expect(response.statusCode).toBe(500)
    expect(response.body).toBe('{"error":{"msg":"Unknown error","code":"ErrUnknownError"}}')
    await app.close()
  })

  test('a database failure is returned as ErrDatabaseNotAvailable', async () => {
    const app = await listenerWith((registerRoute) => {
      registerRoute(endpoint('GET', '/api/x', { access: 'public' }), () => {
        throw new Error('query failed', { cause: new DatabaseNotAvailable('disk I/O error') })
      })
    })
    const response = await app.inject({ url: '/api/x' })
    expect([response.statusCode, response.json().error.code]).toEqual([503, 'ErrDatabaseNotAvailable'])
    await app.close()
  })

  test('a route without an authorization rule stops the start', async () => {
    const starting = listenerWith((registerRoute) => {
      const broken = { ...endpoint('GET', '/api/x', { access: 'public' }), access: undefined }
      registerRoute(broken as never, () => undefined as never)
    })

    await expect(starting).rejects.toThrow('GET /api/x has no access rule')
  })

  test('responses are not cacheable, and pages allow no foreign scripts and frames', async ({ testPanel }) => {
    const { headers } = await testPanel.send(getConfig, {})

    expect(headers['cache-control']).toBe('no-store')
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toMatch(/script-src 'self'(;|$)/)
    expect(policy).not.toMatch(/unsafe-eval|upgrade-insecure-requests|script-src[^;]*unsafe-inline/)
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('health', () => {
  test('liveness and readiness are ok while the node responds', async ({ testPanel }) => {
    expect((await testPanel.send(getHealth, {})).answer).toEqual({ alive: true })
    expect((await testPanel.send(getReadiness, {})).answer).toEqual({ ready: true })
  })

  test('a panel whose local node is offline is not ready, and does not log it each time', async () => {
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
    const testPanel = await TestPanel.start({ log })
    await testPanel.node.stop()
    lines.splice(0)

    expect((await testPanel.send(getReadiness, {})).refusal).toBe('ErrServiceNotAvailable')
    expect((await testPanel.send(getHealth, {})).status).toBe(200)
    expect(lines.filter((line) => line.includes('stack'))).toEqual([])
    await testPanel.stop()
  })
})

describe('the web app', () => {
  test('serves the page for every unknown path, not cacheable', async () => {
    const testPanel = await withWebApp()

    for (const url of ['/', '/server/0badcafe', ...authPages, '/index.html', '/errors/404', '/apiary']) {
      const { status, answer, headers } = await testPanel.request('GET', url)
      expect([url, status, answer]).toEqual([url, 200, '<title>App</title>'])
      expect(headers['cache-control']).toBe('no-cache')
      expect(headers['content-security-policy']).toBeDefined()
    }
    await testPanel.stop()
  })

  test('serves hashed files as immutable, and compressed as built', async () => {
    const testPanel = await withWebApp()

    const url = '/assets/main-abc123.js'
    const response = await testPanel.panel.app.inject({ url, headers: { 'accept-encoding': 'gzip' } })

    expect(response.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': expect.stringContaining('javascript'),
      'cache-control': 'public, max-age=31536000, immutable',
    })
    const { headers } = await testPanel.request('GET', '/favicon.svg')
    expect(headers['cache-control']).toBe('public, max-age=0')
    await testPanel.stop()
  })

  test('does not serve files outside its folder', async () => {
    const testPanel = await withWebApp()

    for (const url of ['/../panel.db', '/..%2fpanel.db', '/assets/..%2f..%2fpanel.db', '/%2e%2e/panel.db']) {
      const { status, answer } = await testPanel.request('GET', url)
      expect([200, 404]).toContain(status)
      expect(JSON.stringify(answer)).not.toContain('SQLite')
    }
    await testPanel.stop()
  })

  test('serves build instructions when it is not built', async ({ testPanel }) => {
    const { status, answer } = await testPanel.request('GET', '/')

    expect(status).toBe(200)
    expect(String(answer)).toContain('npm run build')
  })
})

/** A listener with endpoints of the test. */
function listenerWith(routes: Parameters<typeof createListener>[0]['routes']) {
  const unused = {} as never
  return createListener({
    access: unused,
    reauthentication: unused,
    requests: unused,
    usage: unused,
    targets: unused,
    sockets: unused,
    masterUrl: () => undefined,
    auditRecorder: () => undefined,
    nodeAuthenticator: { authenticate: () => Promise.reject(new Error('no node asks')) },
    nodes: unused,
    tunnels: unused,
    apiDocument: async () => ({}),
    trustProxy: [],
    serverUids: undefined,
    themes: unused,
    companyName: unused,
    webDir: undefined,
    tls: undefined,
    connectionLimits: connectionLimits().panel,
    log: pino({ level: 'silent' }),
    routes,
  })
}

test('the web app manifest has the name of the company', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const values = { 'panel.settings.companyName': 'Northwind Games' }
  await testPanel.send(postSettings, { body: values }, admin)

  const { status, answer } = await testPanel.request('GET', '/manifest.json')

  expect(status).toBe(200)
  expect(answer).toMatchObject({ name: 'Northwind Games', short_name: 'Northwind Ga', start_url: '/server' })
})

test('an endpoint can redirect a browser, and set cookies with it', async () => {
  const start = endpoint('GET', '/auth/elsewhere', { access: 'public', response: Redirect })
  const listener = await listenerWith((registerRoute) => {
    registerRoute(start, ({ cookies }) => {
      cookies.setPendingLogin('a-token')
      return { location: 'https://login.example.org/authorize?state=1' }
    })
  })

  const reply = await listener.inject('/auth/elsewhere')

  expect([reply.statusCode, reply.body]).toEqual([303, ''])
  expect(reply.headers).toMatchObject({
    location: 'https://login.example.org/authorize?state=1',
    'set-cookie': expect.stringContaining('a-token'),
    'cache-control': 'no-store',
  })
  await listener.close()
})
