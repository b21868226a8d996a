import { chownSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as files from '@innkeeper/contract/servers/files'
import * as calls from '@innkeeper/contract/servers/trash'
import { limits } from '@innkeeper/contract/text/limits'
import { expect, vi } from 'vitest'
import { type NodeClient, TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as base } from '../testing/node-test.ts'
import { defaultTrash } from './trash.ts'

const id = '0a0a0a0a'

const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    await use(join(node.dataDir, 'servers', id))
  },
})

async function save(client: NodeClient, path: string, body: string, username: string, headers = {}) {
  return await client.send(files.putFile, { params: { id, path }, body, ticket: { username }, headers })
}

interface Versions {
  readonly versions: readonly calls.FileVersion[]
  readonly current?: { readonly savedBy?: string; readonly bytes: number }
}

async function readVersions(client: NodeClient, path: string): Promise<Versions> {
  const { status, body } = await client.send(calls.getFileVersions, { params: { id, path } })
  expect(status).toBe(200)
  return body
}

async function open(client: NodeClient, entry: string, path: string) {
  return await client.send(calls.getTrashFile, { params: { id, entry, path } })
}

async function readContents(client: NodeClient, path: string): Promise<string[]> {
  const { versions } = await readVersions(client, path)
  return await Promise.all(versions.map(async ({ entry }) => String((await open(client, entry, path)).body)))
}

test('every save keeps the former content, with who saved it and who replaced it', async ({ node, inside }) => {
  const before = Date.now()
  await save(node.client, 'a.yml', 'one', 'ann')
  await save(node.client, 'a.yml', 'two!', 'bob')
  await save(node.client, 'a.yml', 'three', 'ann')
  writeFileSync(join(inside, 'a.yml'), 'by the server')
  const changed = await readVersions(node.client, 'a.yml')
  await save(node.client, 'a.yml', 'four', 'bob')

  const { versions, current } = await readVersions(node.client, 'a.yml')

  expect(changed.current).toEqual({ bytes: 13, savedAt: expect.any(String) })
  expect(current).toMatchObject({ bytes: 4, savedBy: 'bob' })
  expect(versions).toMatchObject([
    { bytes: 13, reason: 'overwritten', replacedBy: 'bob' },
    { bytes: 4, reason: 'overwritten', savedBy: 'bob', replacedBy: 'ann' },
    { bytes: 3, reason: 'overwritten', replacedBy: 'bob' },
  ])
  expect(versions[0]).not.toHaveProperty('savedBy')
  for (const { savedAt, replacedAt } of versions) {
    expect(Date.parse(savedAt)).toBeGreaterThanOrEqual(before - 1)
    expect(Date.parse(replacedAt)).toBeGreaterThanOrEqual(Date.parse(savedAt) - 1)
  }
  expect(await readContents(node.client, 'a.yml')).toEqual(['by the server', 'two!', 'one'])
})

test('authors are known after a restart, and after the version before is gone', async ({ node, inside: _ }) => {
  await save(node.client, 'a.yml', 'one', 'ann')
  await save(node.client, 'a.yml', 'two', 'bob')
  await save(node.client, 'a.yml', 'three', 'ann')
  await node.detach()
  await node.start()
  const { versions } = await readVersions(node.client, 'a.yml')

  await node.client.send(calls.deleteTrashEntry, { params: { id, entry: versions[1]?.entry } })

  const { versions: rest, current } = await readVersions(node.client, 'a.yml')
  expect(rest).toMatchObject([{ savedBy: 'bob', replacedBy: 'ann' }])
  expect(current).toMatchObject({ savedBy: 'ann' })
})

test('a version that is saved again makes a version itself, and does not overwrite a newer save', async ({
  node,
  inside,
}) => {
  await save(node.client, 'a.yml', 'one', 'ann')
  const { headers } = await save(node.client, 'a.yml', 'two', 'ann')
  const [version] = (await readVersions(node.client, 'a.yml')).versions
  const { body } = await open(node.client, String(version?.entry), 'a.yml')
  await save(node.client, 'a.yml', 'three', 'bob')

  const stale = await save(node.client, 'a.yml', String(body), 'ann', { 'if-match': String(headers.etag) })
  expect(stale.body.error.code).toBe('ErrStaleVersion')
  expect(await readContents(node.client, 'a.yml')).toEqual(['two', 'one'])
  await save(node.client, 'a.yml', String(body), 'ann', { 'if-match': '*' })

  expect(readFileSync(join(inside, 'a.yml'), 'utf8')).toBe('one')
  expect(await readContents(node.client, 'a.yml')).toEqual(['three', 'two', 'one'])
})

test('the newest versions of each file are kept', async () => {
  await using node = await TestNode.start({ trash: { ...defaultTrash, maxVersions: 3 } })
  await node.client.create(id, 'true')

  for (const at of [0, 1, 2, 3, 4, 5]) await save(node.client, 'a.yml', `a${at}`, 'ann')
  for (const at of [0, 1]) await save(node.client, 'b.yml', `b${at}`, 'ann')

  await vi.waitUntil(async () => (await readVersions(node.client, 'a.yml')).versions.length === 3)
  expect(await readContents(node.client, 'a.yml')).toEqual(['a4', 'a3', 'a2'])
  expect(await readContents(node.client, 'b.yml')).toEqual(['b0'])
})

test('saves at the same time lose nothing', async ({ node, inside }) => {
  await save(node.client, 'a.yml', 'first', 'ann')
  const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`)

  await Promise.all(texts.map((text) => save(node.client, 'a.yml', text, text)))

  const contents = await readContents(node.client, 'a.yml')
  const currentText = readFileSync(join(inside, 'a.yml'), 'utf8')
  expect([...contents, currentText].toSorted()).toEqual(['first', ...texts].toSorted())
  const { versions, current } = await readVersions(node.client, 'a.yml')
  expect(current?.savedBy).toBe(currentText)
  expect(versions.map(({ savedBy }) => savedBy ?? 'first')).toEqual(contents)
})

test.for([
  'a b.yml',
  '..a',
  '-rf',
  '%2e%2e',
  'a?b#c&d',
  '"quoted" \\ \'$(x)`',
  '設定 ⚙️.yml',
  '.json',
  '0123456789abcdef',
  'x'.repeat(limits.nameBytes),
])('a file named %s has versions', async (name, { node, inside: _ }) => {
  const path = `plugins/${name}`
  await node.client.send(files.putFile, { params: { id, path: 'plugins' }, query: { folder: 'true' } })
  await save(node.client, path, 'old', 'ann')

  await save(node.client, path, 'new', 'ann')

  expect(await readContents(node.client, path)).toEqual(['old'])
})

test('a path of the greatest length has versions', async ({ node, inside: _ }) => {
  const names = Array.from({ length: 15 }, () => 'd'.repeat(limits.nameBytes))
  const folder = names.join('/')
  const path = `${folder}/${'f'.repeat(limits.pathBytes - folder.length - 2)}`
  await node.client.send(files.putFile, { params: { id, path: folder }, query: { folder: 'true' } })
  await save(node.client, path, 'old', 'ann')

  await save(node.client, path, 'new', 'ann')
  await node.detach()
  await node.start()

  expect(await readContents(node.client, path)).toEqual(['old'])
  // Its absolute path is too long for the test to remove it.
  expect((await node.client.asPanel('DELETE', `/daemon/server/${id}`)).status).toBe(204)
})

test('versions are found through links, and after the file or its folder was deleted', async ({ node, inside }) => {
  mkdirSync(join(inside, 'config'))
  writeFileSync(join(inside, 'config/a.yml'), 'one')
  symlinkSync('config', join(inside, 'linked'))
  symlinkSync('linked/a.yml', join(inside, 'link.yml'))

  await save(node.client, 'link.yml', 'two', 'ann')
  await node.client.send(files.deleteFile, { params: { id, path: 'config/a.yml' } })
  writeFileSync(join(inside, 'config/a.yml'), 'three')
  await node.client.send(files.deleteFile, { params: { id, path: 'config' } })

  expect(await readContents(node.client, 'config/a.yml')).toEqual(['three', 'two', 'one'])
  const deleted = await readVersions(node.client, 'config/a.yml')
  expect(deleted.versions.map(({ reason }) => reason)).toEqual(['deleted', 'deleted', 'overwritten'])
  expect(deleted).not.toHaveProperty('current')
  mkdirSync(join(inside, 'config'))
  expect((await readVersions(node.client, 'linked/a.yml')).versions).toEqual(deleted.versions)
})

test('an entry gives its own files only', async ({ node, inside }) => {
  writeFileSync(join(node.dataDir, 'secret'), 'secret')
  mkdirSync(join(inside, 'world'))
  symlinkSync(join(node.dataDir, 'secret'), join(inside, 'world/absolute'))
  symlinkSync('../../../../../secret', join(inside, 'world/relative'))
  symlinkSync('../..', join(inside, 'world/up'))
  writeFileSync(join(inside, 'world/mine'), 'mine')
  const { headers } = await node.client.send(files.deleteFile, { params: { id, path: 'world' } })
  const entry = String(headers[files.trashEntryHeader])

  expect((await open(node.client, entry, 'world/mine')).body).toBe('mine')
  for (const path of ['world/absolute', 'world/relative', `world/up/${entry}.json`, '../secret', `../${entry}.json`]) {
    const { status, body } = await open(node.client, entry, path)
    expect([status, body.error?.code], path).toEqual([400, 'ErrIllegalFileAccess'])
  }
  for (const path of ['world', '', 'world/none', 'none/none'])
    expect((await open(node.client, entry, path)).status, path).toBeGreaterThanOrEqual(400)
  expect((await open(node.client, '0000000000000000', 'world/mine')).status).toBe(404)
  expect((await readVersions(node.client, 'world/absolute')).versions).toEqual([])
})

test.skipIf(process.getuid?.() !== 0)(
  'a version that is a file of another user, by a hard link, is not sent',
  async ({ node, inside }) => {
    const outside = join(node.dataDir, 'outside')
    writeFileSync(outside, 'secret')
    chownSync(outside, 12_345, 12_345)
    linkSync(outside, join(inside, 'a.yml'))
    await save(node.client, 'a.yml', 'new', 'ann')

    const [version] = (await readVersions(node.client, 'a.yml')).versions
    const { status, body } = await open(node.client, String(version?.entry), 'a.yml')

    expect([status, body.error?.code]).toEqual([400, 'ErrIllegalFileAccess'])
  },
)

test('who may view files views versions, of their own server only', async ({ node, inside }) => {
  const other = '0b0b0b0b'
  await node.client.create(other, 'true')
  writeFileSync(join(inside, 'a.yml'), 'one')
  await save(node.client, 'a.yml', 'two', 'ann')
  const [version] = (await readVersions(node.client, 'a.yml')).versions
  const params = { id, path: 'a.yml', entry: version?.entry }

  for (const call of [calls.getFileVersions, calls.getTrashFile]) {
    expect((await node.client.send(call, { params, ticket: { rights: ['viewServerFiles'] } })).status).toBe(200)
    expect((await node.client.send(call, { params, ticket: { rights: ['viewServerConsole'] } })).status).toBe(403)
  }
  const { status } = await node.client.send(calls.getTrashFile, { params: { ...params, id: other } })
  expect(status).toBe(404)
  const { body } = await node.client.send(calls.getFileVersions, { params: { id: other, path: 'a.yml' } })
  expect(body).toEqual({ versions: [] })
})

test('without a trash there are no versions', async () => {
  await using node = await TestNode.start({ trash: { ...defaultTrash, days: 0 } })
  await node.client.create(id, 'true')
  await save(node.client, 'a.yml', 'one', 'ann')

  await save(node.client, 'a.yml', 'two', 'ann')

  expect((await readVersions(node.client, 'a.yml')).versions).toEqual([])
  rmSync(join(node.dataDir, 'servers', id, 'a.yml'))
  expect(await readVersions(node.client, 'a.yml')).toEqual({ versions: [] })
})
