import { test as base, describe, expect } from 'vitest'
import { startWebHost, type WebHost } from '../testing/web-host.ts'
import { createFetcher, type Fetcher, maxRedirects, redactUrl } from './fetch.ts'
import { FetchError } from './fetch-error.ts'

const test = base.extend<{ host: WebHost; other: WebHost; fetch: Fetcher }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  host: async ({}, use) => {
    await using host = await startWebHost()
    await use(host)
  },
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  other: async ({}, use) => {
    await using other = await startWebHost()
    await use(other)
  },
  fetch: async ({ host }, use) => {
    await use(createFetcher({ allow: [host.address], version: '1.2.3' }))
  },
})

const plenty = { maxBytes: 1_000_000 }

async function readText(fetching: ReturnType<Fetcher>): Promise<string> {
  await using fetched = await fetching
  const parts: Uint8Array[] = []
  for await (const part of fetched.body) parts.push(part)
  return Buffer.concat(parts).toString()
}

async function readProblem(fetching: ReturnType<Fetcher>): Promise<string> {
  try {
    return await readText(fetching)
  } catch (error) {
    if (error instanceof FetchError) return error.problem
    throw error
  }
}

test('a file is fetched with its headers, and the User-Agent is sent', async ({ host, fetch }) => {
  host.answer('/a', (_, response) => response.setHeader('etag', '"1"').end('hello'))

  await using fetched = await fetch(host.url('/a?b=c'), { ...plenty, headers: { range: 'bytes=0-' } })

  expect(fetched).toMatchObject({ status: 200, headers: { etag: '"1"' }, url: host.url('/a?b=c') })
  expect(host.requests[0]?.url).toBe('/a?b=c')
  expect(host.requests[0]?.headers).toMatchObject({ 'user-agent': 'Innkeeper/1.2.3', range: 'bytes=0-' })
})

describe('a non-public address', () => {
  test.for([
    'http://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://127.1:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://017700000001:PORT/',
    'http://0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[64:ff9b::7f00:1]:PORT/',
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'https://192.168.0.1/',
    'file:///etc/passwd',
    'ftp://example.com/a',
    'data:text/plain,hello',
  ])('%s is refused without a connection', async (text, { host }) => {
    const fetch = createFetcher({ allow: [], version: '1' })

    const problem = await readProblem(fetch(new URL(text.replace('PORT', String(host.port))), plenty))

    expect(problem).toBe('forbidden')
    expect(host.requests).toEqual([])
  })

  test('a name with a private address is refused, even if it has a public one too', async ({ host }) => {
    const resolve = async () => ['93.184.216.34', '127.0.0.1']
    const fetch = createFetcher({ allow: [], version: '1', resolve })

    expect(await readProblem(fetch(new URL(`http://rebind.example:${host.port}/`), plenty))).toBe('forbidden')
    expect(host.requests).toEqual([])
  })

  test('a name is resolved once, so that it cannot resolve to something else when connecting', async ({ host }) => {
    let asked = 0
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2'])
    host.answer('/', (request, response) => response.end(request.socket.localAddress))
    const fetch = createFetcher({ allow: [host.address], version: '1', resolve })

    expect(await readText(fetch(new URL(`http://rebind.example:${host.port}/`), plenty))).toBe('127.0.0.1')
    expect(asked).toBe(1)
    expect(host.requests[0]?.headers.host).toBe(`rebind.example:${host.port}`)
  })

  test('an allowed name may have any address, on that port only', async ({ host, other }) => {
    const resolve = async () => ['127.0.0.1']
    const fetch = createFetcher({ allow: [`Mirror.example:${host.port}`], version: '1', resolve })
    host.answer('/', (_, response) => response.end('mirrored'))

    expect(await readText(fetch(new URL(`http://mirror.example:${host.port}/`), plenty))).toBe('mirrored')
    expect(await readProblem(fetch(new URL(`http://mirror.example:${other.port}/`), plenty))).toBe('forbidden')
  })

  test('redirects are followed only to allowed addresses', async ({ host, other, fetch }) => {
    host.answer('/first', (_, response) => response.writeHead(302, { location: 'second?x=1' }).end('moved'))
    host.answer('/second', (_, response) => response.end('here'))
    host.answer('/out', (_, response) => response.writeHead(301, { location: other.url('/').href }).end())
    host.answer('/file', (_, response) => response.writeHead(307, { location: 'file:///etc/passwd' }).end())
    host.answer('/bad', (_, response) => response.writeHead(302, { location: 'http://[' }).end())

    await using fetched = await fetch(host.url('/first'), plenty)
    expect(fetched.url.href).toBe(host.url('/second?x=1').href)
    expect(await readProblem(fetch(host.url('/out'), plenty))).toBe('forbidden')
    expect(await readProblem(fetch(host.url('/file'), plenty))).toBe('forbidden')
    expect(await readProblem(fetch(host.url('/bad'), plenty))).toBe('redirects')
    expect(other.requests).toEqual([])
  })
})

test('a mirror is used instead of its service, also after redirects, wherever it is', async ({ host, other }) => {
  const fetch = createFetcher({
    allow: [],
    version: '1',
    mirrors: { mojang: host.url('/m').href, github: other.url('/').href },
  })
  host.answer('/m/list.json', (_, response) =>
    response.writeHead(302, { location: 'https://github.com/a/b?c=d' }).end(),
  )
  other.answer('/a/b', (request, response) => response.end(`mirrored ${request.url}`))

  expect(await readText(fetch(new URL('https://piston-meta.mojang.com/list.json'), plenty))).toBe('mirrored /a/b?c=d')
})

test('too many redirects are an error', async ({ host, fetch }) => {
  host.answer('/loop', (_, response) => response.writeHead(302, { location: '/loop' }).end())

  expect(await readProblem(fetch(host.url('/loop'), plenty))).toBe('redirects')
  expect(host.requests).toHaveLength(maxRedirects + 1)
})

test('a secret header is sent to its host, not to redirect targets', async ({ host, other }) => {
  const fetch = createFetcher({ allow: [host.address, other.address], version: '1' })
  host.answer('/', (_, response) => response.writeHead(302, { location: '/here' }).end())
  host.answer('/here', (_, response) => response.writeHead(302, { location: other.url('/').href }).end())
  other.answer('/', (_, response) => response.end())

  await using _ = await fetch(host.url('/'), { ...plenty, headers: { 'x-api-key': 'secret', range: 'bytes=1-' } })

  expect(host.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['secret', 'secret'])
  expect(other.requests[0]?.headers).toMatchObject({ range: 'bytes=1-' })
  expect(other.requests[0]?.headers).not.toHaveProperty('x-api-key')
})

test('user and password of a URL are sent to its host, not to redirect targets, and not shown', async ({
  host,
  other,
}) => {
  host.answer('/private', (_, response) => response.writeHead(302, { location: other.url('/public').href }).end())
  other.answer('/public', (_, response) => response.end())
  const fetch = createFetcher({ allow: [host.address, other.address], version: '1' })
  const url = new URL(`http://me:p%40ss@${host.address}/private?a=1&access_token=abc#part`)

  await readText(fetch(url, plenty))

  expect(host.requests[0]?.headers.authorization).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  expect(other.requests).toHaveLength(1)
  expect(other.requests[0]?.headers.authorization).toBeUndefined()
  expect(redactUrl(url)).toBe(`http://${host.address}/private?a=1&access_token=***`)
})

test('a body larger than the limit ends, whatever its headers say', async ({ host, fetch }) => {
  host.answer('/', (_, response) => {
    response.write('12345')
    response.end('67890')
  })

  expect(await readProblem(fetch(host.url('/'), { maxBytes: 9 }))).toBe('tooLarge')
  expect(await readProblem(fetch(host.url('/'), { maxBytes: 10 }))).toBe('1234567890')
})

test('a broken connection, an unreachable host and one that does not respond are different errors', async ({
  host,
}) => {
  host.answer('/broken', (_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('half', () => response.destroy())
  })
  host.answer('/silent', () => {})
  host.answer('/stuck', (_, response) => void response.writeHead(200, { 'content-length': '100' }).write('half'))
  const gone = await startWebHost()
  await gone[Symbol.asyncDispose]()
  const allow = [host.address, gone.address]
  const fetch = createFetcher({ allow, version: '1', idleMs: 100 })
  const hasty = createFetcher({ allow, version: '1', totalMs: 100 })

  expect(await readProblem(fetch(host.url('/broken'), plenty))).toBe('broken')
  expect(await readProblem(fetch(gone.url('/'), plenty))).toBe('unreachable')
  expect(await readProblem(fetch(host.url('/silent'), plenty))).toBe('slow')
  expect(await readProblem(fetch(host.url('/stuck'), plenty))).toBe('slow')
  expect(await readProblem(hasty(host.url('/stuck'), plenty))).toBe('slow')
})

test('it can be aborted at any time, also during name resolution', async ({ host, fetch }) => {
  const enough = new Error('enough')
  const giveUp = new AbortController()
  host.answer('/silent', () => giveUp.abort(enough))
  const lookingUp = createFetcher({ allow: [], version: '1', resolve: () => new Promise(() => {}) })
  const soon = new AbortController()

  const silent = expect(readText(fetch(host.url('/silent'), { ...plenty, signal: giveUp.signal }))).rejects.toBe(enough)
  const unresolved = expect(
    readText(lookingUp(new URL('http://slow.example/'), { ...plenty, signal: soon.signal })),
  ).rejects.toBe(enough)
  soon.abort(enough)

  await Promise.all([silent, unresolved])
})
