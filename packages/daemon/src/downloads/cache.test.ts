import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { parsePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import { createFetcher } from '../network/fetch.ts'
import { openWorkshop, type StepFixture } from '../testing/step-fixture.ts'
import { Cache, type DownloadTarget, unusedRetentionMs } from './cache.ts'
import { parseDigest } from './digest.ts'

const content = Buffer.alloc(50_000, 'a server ')
const digest = parseDigest(createHash('sha1').update(content).digest('hex'))

const test = base.extend<{ fixture: StepFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  fixture: async ({}, use) => {
    await using fixture = await openWorkshop()
    await use(fixture)
  },
})

function known(fixture: StepFixture, path = '/v1/server.jar') {
  if (!digest) throw new Error('no digest')
  return { url: fixture.host.url(path), digest }
}

/** The directory of a server, as a download target. */
async function receiver(
  fixture: StepFixture,
  name: string,
): Promise<DownloadTarget & AsyncDisposable & { folder: string }> {
  const folder = join(fixture.folder, name)
  mkdirSync(folder)
  const files = await RootFs.open(folder)
  return {
    folder,
    files,
    say: (message) => void fixture.messages.push(message),
    signal: new AbortController().signal,
    fetch: createFetcher({ allow: [fixture.host.address], version: '0' }),
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  }
}

const keptAt = (fixture: StepFixture, path: string) =>
  join(fixture.node, 'cache', fixture.host.address.replace(':', '_'), path)

test('a file that one server needed is cached for the next, as a copy of its own', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  await using other = await receiver(fixture, 'other')
  fixture.host.answer('/v1/server.jar', (_, response) => response.end(content))
  const { cache } = fixture.sharedStore

  await cache.downloadTo(known(fixture), parsePath('server.jar'), one)
  writeFileSync(join(one.folder, 'server.jar'), 'changed by its server')
  await cache.downloadTo(known(fixture), parsePath('libs/a/b.jar'), other)

  expect(fixture.host.requests).toHaveLength(1)
  expect(readFileSync(join(other.folder, 'libs/a/b.jar')).equals(content)).toBe(true)
  expect(readdirSync(keptAt(fixture, 'v1'))).toEqual(['server.jar'])
  expect(statSync(join(fixture.node, 'cache')).mode & 0o777).toBe(0o700)
})

test('concurrent requests for a file share one download, and one of them may be aborted', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  await using other = await receiver(fixture, 'other')
  const aborting = new AbortController()
  const asked = Promise.withResolvers<() => void>()
  fixture.host.answer('/v1/server.jar', (_, response) => asked.resolve(() => response.end(content)))
  const { cache } = fixture.sharedStore

  const leaving = cache.downloadTo(known(fixture), parsePath('x'), { ...one, signal: aborting.signal })
  const staying = cache.downloadTo(known(fixture), parsePath('x'), other)
  const finish = await asked.promise
  aborting.abort(new Error('killed'))
  await expect(leaving).rejects.toThrow('killed')
  finish()
  await staying

  expect(fixture.host.requests).toHaveLength(1)
  expect(readFileSync(join(other.folder, 'x')).equals(content)).toBe(true)
  expect(existsSync(join(one.folder, 'x'))).toBe(false)
})

test('a request during the abort of a download starts a new one', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  const aborting = new AbortController()
  const begun = Promise.withResolvers<void>()
  fixture.host.answer('/v1/server.jar', (_, response) => {
    response.writeHead(200, { 'content-length': content.length, etag: '"1"' })
    response.write(content.subarray(0, 20_000), () => begun.resolve())
  })
  const { cache } = fixture.sharedStore
  const leaving = cache.downloadTo(known(fixture), parsePath('x'), { ...one, signal: aborting.signal })
  await begun.promise
  fixture.host.give('/v1/server.jar', content)

  aborting.abort(new Error('killed'))
  const coming = cache.downloadTo(known(fixture), parsePath('y'), one)

  await expect(leaving).rejects.toThrow('killed')
  await coming
  expect(readFileSync(join(one.folder, 'y')).equals(content)).toBe(true)
})

test('a download without subscribers ends', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  const aborting = new AbortController()
  const closed = Promise.withResolvers<void>()
  fixture.host.answer('/v1/server.jar', (_, response) => {
    response.on('close', () => closed.resolve())
    response.write('beginning', () => aborting.abort(new Error('killed')))
  })

  const running = fixture.sharedStore.cache.downloadTo(known(fixture), parsePath('x'), {
    ...one,
    signal: aborting.signal,
  })

  await expect(running).rejects.toThrow('killed')
  await closed.promise
  expect(readdirSync(one.folder)).toEqual([])
})

test.for(['damaged', 'cut off', 'gone'])('a cached file that is %s is downloaded again', async (what, { fixture }) => {
  await using one = await receiver(fixture, 'one')
  fixture.host.answer('/v1/server.jar', (_, response) => response.end(content))
  const { cache } = fixture.sharedStore
  await cache.downloadTo(known(fixture), parsePath('a'), one)
  const cached = keptAt(fixture, 'v1/server.jar')
  if (what === 'damaged') writeFileSync(cached, Buffer.from(content).fill('x', 10, 20))
  else if (what === 'cut off') writeFileSync(cached, content.subarray(0, 100))
  else rmSync(cached)

  await cache.downloadTo(known(fixture), parsePath('b'), one)

  expect(readFileSync(join(one.folder, 'b')).equals(content)).toBe(true)
  expect(fixture.host.requests).toHaveLength(2)
})

test('a file with another checksum is not used', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  writeFileSync(join(one.folder, 'server.jar'), 'from before')
  fixture.host.answer('/v1/server.jar', (_, response) => response.end('something else'))

  const running = fixture.sharedStore.cache.downloadTo(known(fixture), parsePath('server.jar'), one)

  await expect(running).rejects.toThrow(
    /^server\.jar does not match the checksum published by 127\.0\.0\.1: its sha1 is .* and should be/,
  )
  expect(readFileSync(join(one.folder, 'server.jar'), 'utf8')).toBe('from before')
  expect(readdirSync(keptAt(fixture, 'v1'))).toEqual([])
})

test('the least recently used files are removed first when the cache is too large', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  const directory = join(fixture.node, 'small')
  const cache = await Cache.open(directory, 2.5 * content.length)
  for (const name of ['a', 'b', 'c']) fixture.host.answer(`/${name}`, (_, response) => response.end(content))
  const downloadTo = async (name: string, usedAt: number) => {
    await cache.downloadTo(known(fixture, `/${name}`), parsePath(name), one)
    utimesSync(join(directory, fixture.host.address.replace(':', '_'), name), usedAt, usedAt)
  }

  mkdirSync(join(directory, 'compiled'))
  writeFileSync(join(directory, 'compiled/program'), Buffer.alloc(3 * content.length))
  await downloadTo('a', 2_000)
  await downloadTo('b', 1_000)
  await downloadTo('c', 3_000)

  expect(readdirSync(join(directory, fixture.host.address.replace(':', '_'))).toSorted()).toEqual(['a', 'c'])
  expect(readdirSync(join(directory, 'compiled'))).toEqual(['program'])
  await cache.close()
})

test('unused files are removed after a while, but not partial downloads in progress', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  for (const name of ['a', 'b']) {
    fixture.host.answer(`/${name}`, (_, response) => response.end(content))
    await fixture.sharedStore.cache.downloadTo(known(fixture, `/${name}`), parsePath(name), one)
  }
  const idle = (name: string, ms: number) => {
    const at = (Date.now() - ms) / 1000
    utimesSync(keptAt(fixture, name), at, at)
  }
  for (const name of ['.c.0123456789ab.part', '.d.0123456789ab.part']) writeFileSync(keptAt(fixture, name), 'begun')
  idle('a', unusedRetentionMs)
  idle('b', unusedRetentionMs - 60_000)
  idle('.d.0123456789ab.part', unusedRetentionMs)

  await fixture.sharedStore.cache.prune()

  expect(readdirSync(keptAt(fixture, '')).toSorted()).toEqual(['.c.0123456789ab.part', 'b'])
})

test('two URLs never have the same cache path, and none leads outside', async ({ fixture }) => {
  await using one = await receiver(fixture, 'one')
  const paths = ['/a%2fb', '/a_b', '/a%20b', '/..%2f..%2fx', '/a_b?version=2', '/.hidden']
  for (const path of paths) {
    fixture.host.answer(new URL(path, 'http://x').pathname, (_, response) => response.end(content))
    await fixture.sharedStore.cache.downloadTo(known(fixture, path), parsePath('x'), one)
  }

  expect(fixture.host.requests).toHaveLength(paths.length)
  expect(readdirSync(join(fixture.node, 'cache'))).toEqual([fixture.host.address.replace(':', '_')])
})
