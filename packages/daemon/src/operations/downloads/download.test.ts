import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { test as base, describe, expect } from 'vitest'
import {
  DownloadProgress,
  formatSize,
  maxProgressIntervalMs,
  progressIntervalMs,
} from '../../downloads/download-progress.ts'
import { getFileName } from '../../downloads/file-name.ts'
import { maxDownloadBytes } from '../../downloads/transfer.ts'
import { openWorkshop, type StepFixture } from '../../testing/step-fixture.ts'
import { startWebHost } from '../../testing/web-host.ts'

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

const content = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) & 0xff))

/** Serves `content` with range requests; each of `breaks` ends one response after this many bytes. */
function brittle(breaks: readonly number[], headers: Readonly<Record<string, string>> = { etag: '"v1"' }) {
  const left = [...breaks]
  return (request: IncomingMessage, response: ServerResponse) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === headers.etag
    const start = isSame ? from : 0
    const isPart = request.headers.range !== undefined && isSame
    response.writeHead(isPart ? 206 : 200, {
      ...headers,
      'content-length': content.length - start,
      ...(isPart ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
    })
    const end = left.shift()
    if (end === undefined) response.end(content.subarray(start))
    else response.write(content.subarray(start, start + end), () => response.destroy())
  }
}

const get = (fixture: StepFixture, path = '/server.jar') => [{ type: 'download', files: [fixture.host.url(path).href] }]
const ranges = (fixture: StepFixture) => fixture.host.requests.map(({ headers }) => headers.range)

describe('a download step', () => {
  test.for(['..', 'v1/../../x', '%2e%2E/x', '.\t./x', 'a\\..\\..\\x', '1%2e/.%2e/x'])(
    'a value of %j does not lead to another place of the host',
    async (value, { fixture }) => {
      fixture.values.set('version', value)
      const files = [`${fixture.host.url('/project/').href}\${version}/server.jar`]

      const failure = await fixture.getFailure([{ type: 'download', files }])

      expect(failure).toContain('a value leads out of the address')
      expect(fixture.host.requests).toEqual([])
    },
  )

  test('a value may be a whole URL, or several parts of its path', async ({ fixture }) => {
    for (const path of ['/a/../b.txt', '/b.txt', '/v/1..2/c.txt'])
      fixture.host.answer(new URL(path, 'http://x').pathname, (_, response) => response.end('content'))
    fixture.values.set('whole', fixture.host.url('/a/').href.concat('../b.txt')).set('version', 'v/1..2')

    await fixture.run([{ type: 'download', files: ['${whole}', `${fixture.host.url('/').href}\${version}/c.txt`] }])

    expect(readdirSync(fixture.folder).toSorted()).toEqual(['b.txt', 'c.txt'])
  })

  test('saves files under the names in their URLs', async ({ fixture }) => {
    for (const name of ['one', 'two']) fixture.host.answer(`/files/${name}.txt`, (_, response) => response.end(name))
    const files = ['one', 'two'].map((name) => fixture.host.url(`/files/${name}.txt?x=1`).href).join('  ')

    await fixture.run([{ type: 'download', files }])

    expect(readdirSync(fixture.folder).toSorted()).toEqual(['one.txt', 'two.txt'])
    expect(readFileSync(join(fixture.folder, 'two.txt'), 'utf8')).toBe('two')
    expect(fixture.messages[0]).toBe(`Downloading: ${fixture.host.url('/files/one.txt?x=1').href}`)
    expect(fixture.messages[1]).toBe('Downloaded one.txt (3 bytes)')
  })

  test('resumes where a connection broke', async ({ fixture }) => {
    fixture.host.answer('/server.jar', brittle([100_000, 50_000]))

    await fixture.run(get(fixture))

    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
    expect(readdirSync(fixture.folder)).toEqual(['server.jar'])
    expect(ranges(fixture)[0]).toBeUndefined()
    expect(ranges(fixture).slice(1)).toEqual([
      expect.stringMatching(/^bytes=[1-9]/),
      expect.stringMatching(/^bytes=[1-9]/),
    ])
    expect(fixture.host.requests[1]?.headers['if-range']).toBe('"v1"')
    expect(fixture.messages.join('\n')).toContain('Retrying (2 of 3)')
  })

  test('fails clearly when every connection breaks, and the next run resumes', async ({ fixture }) => {
    fixture.host.answer('/server.jar', brittle([90_000, 90_000, 90_000]))

    const failure = await fixture.getFailure(get(fixture))
    const [partial] = readdirSync(fixture.folder)
    await fixture.run(get(fixture))

    expect(failure).toMatch(
      /^Step 1 of 1 \(download\) failed: http.*server\.jar failed 3 times. Last error: the connection.*was interrupted/,
    )
    expect(partial).toMatch(/^\.server\.jar\.[0-9a-f]{12}\.part$/)
    expect(readdirSync(fixture.folder)).toEqual(['server.jar'])
    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
    expect(ranges(fixture).at(-1)).toMatch(/^bytes=[1-9]/)
  })

  test('starts again when the host has another version', async ({ fixture }) => {
    fixture.host.answer('/server.jar', brittle([1000, 1000, 1000]))
    await fixture.getFailure(get(fixture))
    fixture.host.answer('/server.jar', brittle([], { etag: '"v2"' }))

    await fixture.run(get(fixture))

    expect(readdirSync(fixture.folder)).toEqual(['server.jar'])
    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
  })

  test('starts again when the version changes between two attempts', async ({ fixture }) => {
    const second = brittle([], { etag: '"v2"' })
    fixture.host.answer('/server.jar', (request, response) => {
      brittle([1000])(request, response)
      fixture.host.answer('/server.jar', second)
    })

    await fixture.run(get(fixture))

    expect(readdirSync(fixture.folder)).toEqual(['server.jar'])
    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
  })

  test('starts again with a host without range requests', async ({ fixture }) => {
    let answers = 0
    fixture.host.answer('/server.jar', (_, response) => {
      response.writeHead(200, { 'content-length': content.length, 'accept-ranges': 'none' })
      if (answers++ === 0) response.write(content.subarray(0, 5000), () => response.destroy())
      else response.end(content)
    })

    await fixture.run(get(fixture))

    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
  })

  test('a body shorter than promised is an error', async ({ fixture }) => {
    fixture.host.answer('/server.jar', (_, response) => {
      // Chunked and truncated: only the missing end is detectable.
      response.write('half', () => response.destroy())
    })

    expect(await fixture.getFailure(get(fixture))).toContain('failed 3 times')
    expect(readdirSync(fixture.folder)).not.toContain('server.jar')
  })

  test('a file that is too large is not downloaded', async ({ fixture }) => {
    fixture.host.answer('/server.jar', (_, response) => {
      response.writeHead(200, { 'content-length': maxDownloadBytes + 1 }).flushHeaders()
    })

    expect(await fixture.getFailure(get(fixture))).toContain('server.jar has 64 GiB, the limit is 64 GiB')
    expect(readdirSync(fixture.folder)).toEqual([])
  })

  test('a file that does not fit on the disk is not downloaded', async ({ fixture }) => {
    // More than any test disk has free, and less than the limit.
    fixture.host.answer('/server.jar', (_, response) => {
      response.writeHead(200, { 'content-length': maxDownloadBytes }).flushHeaders()
    })
    const { RootFs } = await import('../../files/root.ts')
    await using files = await RootFs.open(fixture.folder)
    const nearlyFull = new Proxy(files, {
      get: (target, name) => {
        if (name === 'freeBytes') return async () => 1024 ** 2
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })

    expect(await fixture.getFailure(get(fixture), { files: nearlyFull })).toContain(
      'the disk is full: server.jar needs 64 GiB more, 1 MiB are free',
    )
  })

  test.for([
    [404, 'responded with 404 Not Found'],
    [500, 'responded with 500 Internal Server Error'],
    [418, 'responded with 418'],
  ] as const)('status %d ends the list and is reported', async ([status, expected], { fixture }) => {
    fixture.host.answer('/server.jar', (_, response) => response.writeHead(status).end('an error page'))

    expect(await fixture.getFailure(get(fixture))).toContain(expected)
    expect(readdirSync(fixture.folder)).toEqual([])
    expect(fixture.host.requests).toHaveLength(1)
  })

  test('a redirect to a private address is refused', async ({ fixture }) => {
    await using inner = await startWebHost()
    fixture.host.answer('/server.jar', (_, response) =>
      response.writeHead(302, { location: inner.url('/').href }).end(),
    )

    expect(await fixture.getFailure(get(fixture))).toContain('is not on the public internet')
    expect(inner.requests).toEqual([])
  })

  test('user and password of a URL are not printed', async ({ fixture }) => {
    const secret = `http://me:hunter2@${fixture.host.address}/missing`

    const failure = await fixture.getFailure([{ type: 'download', files: secret }])

    expect(failure).toContain('404')
    expect([failure, ...fixture.messages].join()).not.toContain('hunter2')
    expect(fixture.host.requests[0]?.headers.authorization).toMatch(/^Basic /)
  })

  test('a malicious name stays in the directory, and replaces no directory', async ({ fixture }) => {
    const serve = (disposition: string) =>
      fixture.host.answer('/get', (_, response) => response.setHeader('content-disposition', disposition).end('x'))
    for (const disposition of ['attachment; filename="../../x.jar"', 'attachment; filename=/etc/y.jar']) {
      serve(disposition)
      await fixture.run(get(fixture, '/get'))
    }
    mkdirSync(join(fixture.folder, 'taken'))
    serve('attachment; filename=taken')

    expect(await fixture.getFailure(get(fixture, '/get'))).toContain('there is already a directory named taken')
    expect(
      readdirSync(fixture.folder)
        .filter((name) => !name.startsWith('.'))
        .toSorted(),
    ).toEqual(['taken', 'x.jar', 'y.jar'])
  })

  test('replaces the file of an earlier install once the new one is complete', async ({ fixture }) => {
    writeFileSync(join(fixture.folder, 'server.jar'), 'old')
    fixture.host.answer('/server.jar', brittle([10, 10, 10]))

    await fixture.getFailure(get(fixture))
    const between = readFileSync(join(fixture.folder, 'server.jar'), 'utf8')
    await fixture.run(get(fixture))

    expect(between).toBe('old')
    expect(readFileSync(join(fixture.folder, 'server.jar')).equals(content)).toBe(true)
  })

  test('can be aborted while it runs', async ({ fixture }) => {
    const aborting = new AbortController()
    const enough = new Error('enough')
    fixture.host.answer('/server.jar', (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('x', () => aborting.abort(enough))
    })

    await expect(fixture.run(get(fixture), { signal: aborting.signal })).rejects.toBe(enough)
  })
})

describe('the name of a download', () => {
  const url = new URL('http://example.com/files/a%20b.jar?x=/c')

  test.for([
    [undefined, 'a b.jar'],
    ['attachment', 'a b.jar'],
    ['attachment; filename=plain.jar', 'plain.jar'],
    ['attachment; filename="with space.jar"; size=1', 'with space.jar'],
    ['attachment; filename="quo\\"te.jar"', 'quo"te.jar'],
    ["attachment; filename=ascii.jar; filename*=UTF-8''%C3%A9t%C3%A9.jar", 'été.jar'],
    ['attachment; filename="../../x"', 'x'],
    ['attachment; filename="..\\\\..\\\\x"', 'x'],
    ["attachment; filename*=UTF-8''..%2f..%2fx", 'x'],
    ['attachment; filename=/etc/passwd', 'passwd'],
    ['attachment; filename=""', 'a b.jar'],
    ['attachment; filename=".."', 'a b.jar'],
    ['attachment; filename="x/"', 'a b.jar'],
    ["attachment; filename*=UTF-8''%00%0a", 'a b.jar'],
    [`attachment; filename="${'x'.repeat(500)}.jar"`, `${'x'.repeat(196)}.jar`],
  ] as const)('%s is %s', ([disposition, expected]) => {
    expect(getFileName(disposition, url)).toBe(expected)
  })

  test('is from the first URL that has one', () => {
    expect(getFileName(undefined, new URL('http://a/'), new URL('http://a/b/c'))).toBe('c')
    expect(getFileName(undefined, new URL('http://a/%2e%2e%2f'), new URL('http://a'))).toBe('download')
  })
})

describe('the progress of a download', () => {
  test('is printed every 10 %, periodically in between, and not too often', () => {
    let now = 0
    const messages: string[] = []
    const progress = new DownloadProgress(
      'a.jar',
      0,
      1000,
      (message) => messages.push(message),
      () => now,
    )

    progress.add(500)
    now = progressIntervalMs
    progress.add(5)
    now += progressIntervalMs
    progress.add(5)
    now += maxProgressIntervalMs
    progress.add(5)

    expect(messages).toEqual(['Downloading a.jar: 50 % of 1000 bytes', 'Downloading a.jar: 51 % of 1000 bytes'])
  })

  test('is an amount when the total is unknown', () => {
    let now = 0
    const messages: string[] = []
    const progress = new DownloadProgress(
      'a',
      0,
      undefined,
      (message) => messages.push(message),
      () => now,
    )

    now = maxProgressIntervalMs
    progress.add(3 * 1024 ** 2)

    expect(messages).toEqual(['Downloading a: 3 MiB so far'])
  })

  test.for([
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1536, '1.5 KiB'],
    [81 * 1024 ** 2, '81 MiB'],
  ] as const)('%d bytes are %s', ([bytes, expected]) => {
    expect(formatSize(bytes)).toBe(expected)
  })
})
