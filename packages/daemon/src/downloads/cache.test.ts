import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limits } from '@innkeeper/contract/limits'
import { test as base, expect } from 'vitest'
import { parsePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import { createFetcher } from '../network/fetch.ts'
import { openWorkshop, type Workshop } from '../testing/workshop.ts'
import { Cache, type DownloadTarget } from './cache.ts'
import { parseDigest } from './digest.ts'

const content = Buffer.alloc(50_000, 'a server ')
const digest = parseDigest(createHash('sha1').update(content).digest('hex'))

const test = base.extend<{ shop: Workshop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  shop: async ({}, use) => {
    await using shop = await openWorkshop()
    await use(shop)
  },
})

function known(shop: Workshop, path = '/v1/server.jar') {
  if (!digest) throw new Error('no digest')
  return { url: shop.host.url(path), digest }
}

/** The directory of a server, as a download target. */
async function receiver(shop: Workshop, name: string): Promise<DownloadTarget & AsyncDisposable & { folder: string }> {
  const folder = join(shop.folder, name)
  mkdirSync(folder)
  const files = await RootFs.open(folder)
  return {
    ...{ folder, files, say: (message) => void shop.said.push(message), signal: new AbortController().signal },
    fetch: createFetcher({ allow: [shop.host.address], version: '0' }),
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  }
}

const keptAt = (shop: Workshop, path: string) => join(shop.node, 'cache', shop.host.address.replace(':', '_'), path)

test('a file that one server needed is cached for the next, as a copy of its own', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  await using other = await receiver(shop, 'other')
  shop.host.answer('/v1/server.jar', (_, response) => response.end(content))
  const { cache } = shop.sharedStore

  await cache.downloadTo(known(shop), parsePath('server.jar'), one)
  writeFileSync(join(one.folder, 'server.jar'), 'changed by its server')
  await cache.downloadTo(known(shop), parsePath('libs/a/b.jar'), other)

  expect(shop.host.asked).toHaveLength(1)
  expect(readFileSync(join(other.folder, 'libs/a/b.jar')).equals(content)).toBe(true)
  expect(readdirSync(keptAt(shop, 'v1'))).toEqual(['server.jar'])
  expect(statSync(join(shop.node, 'cache')).mode & 0o777).toBe(0o700)
})

test('concurrent requests for a file share one download, and one of them may be aborted', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  await using other = await receiver(shop, 'other')
  const giveUp = new AbortController()
  const asked = Promise.withResolvers<() => void>()
  shop.host.answer('/v1/server.jar', (_, response) => asked.resolve(() => response.end(content)))
  const { cache } = shop.sharedStore

  const leaving = cache.downloadTo(known(shop), parsePath('x'), { ...one, signal: giveUp.signal })
  const staying = cache.downloadTo(known(shop), parsePath('x'), other)
  const finish = await asked.promise
  giveUp.abort(new Error('killed'))
  await expect(leaving).rejects.toThrow('killed')
  finish()
  await staying

  expect(shop.host.asked).toHaveLength(1)
  expect(readFileSync(join(other.folder, 'x')).equals(content)).toBe(true)
  expect(existsSync(join(one.folder, 'x'))).toBe(false)
})

test('a request during the abort of a download starts a new one', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  const giveUp = new AbortController()
  const begun = Promise.withResolvers<void>()
  shop.host.answer('/v1/server.jar', (_, response) => {
    response.writeHead(200, { 'content-length': content.length, etag: '"1"' })
    response.write(content.subarray(0, 20_000), () => begun.resolve())
  })
  const { cache } = shop.sharedStore
  const leaving = cache.downloadTo(known(shop), parsePath('x'), { ...one, signal: giveUp.signal })
  await begun.promise
  shop.host.give('/v1/server.jar', content)

  giveUp.abort(new Error('killed'))
  const coming = cache.downloadTo(known(shop), parsePath('y'), one)

  await expect(leaving).rejects.toThrow('killed')
  await coming
  expect(readFileSync(join(one.folder, 'y')).equals(content)).toBe(true)
})

test('a download without subscribers ends', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  const giveUp = new AbortController()
  const closed = Promise.withResolvers<void>()
  shop.host.answer('/v1/server.jar', (_, response) => {
    response.on('close', () => closed.resolve())
    response.write('beginning', () => giveUp.abort(new Error('killed')))
  })

  const running = shop.sharedStore.cache.downloadTo(known(shop), parsePath('x'), { ...one, signal: giveUp.signal })

  await expect(running).rejects.toThrow('killed')
  await closed.promise
  expect(readdirSync(one.folder)).toEqual([])
})

test.for(['damaged', 'cut off', 'gone'])('a cached file that is %s is downloaded again', async (what, { shop }) => {
  await using one = await receiver(shop, 'one')
  shop.host.answer('/v1/server.jar', (_, response) => response.end(content))
  const { cache } = shop.sharedStore
  await cache.downloadTo(known(shop), parsePath('a'), one)
  const cached = keptAt(shop, 'v1/server.jar')
  if (what === 'damaged') writeFileSync(cached, Buffer.from(content).fill('x', 10, 20))
  else if (what === 'cut off') writeFileSync(cached, content.subarray(0, 100))
  else rmSync(cached)

  await cache.downloadTo(known(shop), parsePath('b'), one)

  expect(readFileSync(join(one.folder, 'b')).equals(content)).toBe(true)
  expect(shop.host.asked).toHaveLength(2)
})

test('a file with another checksum is not used', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  writeFileSync(join(one.folder, 'server.jar'), 'from before')
  shop.host.answer('/v1/server.jar', (_, response) => response.end('something else'))

  const running = shop.sharedStore.cache.downloadTo(known(shop), parsePath('server.jar'), one)

  await expect(running).rejects.toThrow(
    /^server\.jar does not match the checksum published by 127\.0\.0\.1: its sha1 is .* and should be/,
  )
  expect(readFileSync(join(one.folder, 'server.jar'), 'utf8')).toBe('from before')
  expect(readdirSync(keptAt(shop, 'v1'))).toEqual([])
})

test('the least recently used files are removed first when the cache is too large', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  const directory = join(shop.node, 'small')
  const cache = await Cache.open(directory, 2.5 * content.length)
  for (const name of ['a', 'b', 'c']) shop.host.answer(`/${name}`, (_, response) => response.end(content))
  const downloadTo = async (name: string, usedAt: number) => {
    await cache.downloadTo(known(shop, `/${name}`), parsePath(name), one)
    utimesSync(join(directory, shop.host.address.replace(':', '_'), name), usedAt, usedAt)
  }

  mkdirSync(join(directory, 'compiled'))
  writeFileSync(join(directory, 'compiled/program'), Buffer.alloc(3 * content.length))
  await downloadTo('a', 2_000)
  await downloadTo('b', 1_000)
  await downloadTo('c', 3_000)

  expect(readdirSync(join(directory, shop.host.address.replace(':', '_'))).toSorted()).toEqual(['a', 'c'])
  expect(readdirSync(join(directory, 'compiled'))).toEqual(['program'])
  await cache.close()
})

test('unused files are removed after a while, but not partial downloads in progress', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  for (const name of ['a', 'b']) {
    shop.host.answer(`/${name}`, (_, response) => response.end(content))
    await shop.sharedStore.cache.downloadTo(known(shop, `/${name}`), parsePath(name), one)
  }
  const idle = (name: string, ms: number) => {
    const at = (Date.now() - ms) / 1000
    utimesSync(keptAt(shop, name), at, at)
  }
  for (const name of ['.c.0123456789ab.part', '.d.0123456789ab.part']) writeFileSync(keptAt(shop, name), 'begun')
  idle('a', limits.downloadCacheKeptMs)
  idle('b', limits.downloadCacheKeptMs - 60_000)
  idle('.d.0123456789ab.part', limits.downloadCacheKeptMs)

  await shop.sharedStore.cache.prune()

  expect(readdirSync(keptAt(shop, '')).toSorted()).toEqual(['.c.0123456789ab.part', 'b'])
})

test('two URLs never have the same cache path, and none leads outside', async ({ shop }) => {
  await using one = await receiver(shop, 'one')
  const paths = ['/a%2fb', '/a_b', '/a%20b', '/..%2f..%2fx', '/a_b?version=2', '/.hidden']
  for (const path of paths) {
    shop.host.answer(new URL(path, 'http://x').pathname, (_, response) => response.end(content))
    await shop.sharedStore.cache.downloadTo(known(shop, path), parsePath('x'), one)
  }

  expect(shop.host.asked).toHaveLength(paths.length)
  expect(readdirSync(join(shop.node, 'cache'))).toEqual([shop.host.address.replace(':', '_')])
})
