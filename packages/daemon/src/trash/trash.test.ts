import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import * as files from '@innkeeper/contract/servers/files'
import { installServer } from '@innkeeper/contract/servers/node-servers'
import * as calls from '@innkeeper/contract/servers/trash'
import { expect, vi } from 'vitest'
import { type NodeClient, TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as base } from '../testing/node-test.ts'
import { defaultTrash } from './trash.ts'

const id = '0a0a0a0a'
const params = { id }

const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    await use(join(node.dataDir, 'servers', id))
  },
})

const asUser = { ticket: { username: 'ann' } }

async function entries(client: NodeClient): Promise<calls.TrashEntry[]> {
  return (await client.send(calls.getTrash, { params })).body.entries
}

async function remove(client: NodeClient, path: string): Promise<string> {
  const { headers } = await client.send(files.deleteFile, { params: { id, path }, ...asUser })
  return String(headers[files.trashEntryHeader])
}

async function restore(client: NodeClient, entry: string, body: object = {}): Promise<number> {
  return (await client.send(calls.restoreTrashEntry, { params: { id, entry }, body })).status
}

async function job(client: NodeClient, work: object): Promise<files.FileJob> {
  const started = await client.send(files.startFileJob, { params, body: work, ...asUser })
  return await vi.waitUntil(
    async () => {
      const { body } = await client.send(files.getFileJobs, { params })
      return body.find((one: files.FileJob) => one.id === started.body.id && one.state !== 'running')
    },
    { timeout: 15_000, interval: 20 },
  )
}

test('a deleted folder is taken back with everything in it, and nothing is copied', async ({ node, inside }) => {
  mkdirSync(join(inside, 'world/region'), { recursive: true })
  writeFileSync(join(inside, 'world/region/r.mca'), 'region')
  const { ino } = statSync(join(inside, 'world/region/r.mca'))

  const entry = await remove(node.client, 'world')
  const listed = await vi.waitUntil(async () => (await entries(node.client)).find(({ bytes }) => bytes === 6))

  expect(existsSync(join(inside, 'world'))).toBe(false)
  expect(listed).toMatchObject({
    id: entry,
    path: '/world',
    paths: 1,
    isFolder: true,
    reason: 'deleted',
    author: 'ann',
  })
  expect(await restore(node.client, entry)).toBe(204)
  expect(statSync(join(inside, 'world/region/r.mca')).ino).toBe(ino)
  expect(await entries(node.client)).toEqual([])
  expect(readdirSync(join(node.dataDir, 'servers/.trash', id))).toEqual([])
})

test('one job is one entry, and missing parent folders are created again', async ({ node, inside }) => {
  mkdirSync(join(inside, 'a/b'), { recursive: true })
  for (const path of ['a/b/1', 'a/b/2', '3']) writeFileSync(join(inside, path), path)

  const { trash } = await job(node.client, { kind: 'delete', paths: ['a/b/1', 'a/b/2', '3'] })
  await remove(node.client, 'a')

  expect(trash).toHaveLength(1)
  expect(await entries(node.client)).toMatchObject([{ path: '/a' }, { path: '/a/b/1', paths: 3, bytes: 11 }])
  expect(await restore(node.client, String(trash?.[0]))).toBe(204)
  expect(['a/b/1', 'a/b/2', '3'].map((path) => readFileSync(join(inside, path), 'utf8'))).toEqual([
    'a/b/1',
    'a/b/2',
    '3',
  ])
})

test('a file whose place is taken comes back beside it, or replaces it', async ({ node, inside }) => {
  writeFileSync(join(inside, 'a.txt'), 'first')
  const first = await remove(node.client, 'a.txt')
  writeFileSync(join(inside, 'a.txt'), 'second')
  const second = await remove(node.client, 'a.txt')
  mkdirSync(join(inside, 'a.txt'))

  await restore(node.client, first)
  expect(readFileSync(join(inside, 'a (2).txt'), 'utf8')).toBe('first')

  await remove(node.client, 'a.txt')
  writeFileSync(join(inside, 'a.txt'), 'third')
  await restore(node.client, second, { existing: 'replace' })
  expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('second')
  expect((await entries(node.client))[0]).toMatchObject({ path: '/a.txt', reason: 'overwritten', bytes: 5 })
})

test('nothing is moved back when a file exists and that is to be refused', async ({ node, inside }) => {
  mkdirSync(join(inside, 'a'))
  for (const path of ['a/1', 'a/2', 'b']) writeFileSync(join(inside, path), 'old')
  const { trash } = await job(node.client, { kind: 'delete', paths: ['a/1', 'a/2', 'b'] })
  const refused = async () => {
    const params = { id, entry: trash?.[0] }
    const { status, body } = await node.client.send(calls.restoreTrashEntry, { params, body: { existing: 'refuse' } })
    return [status, body.error?.code, body.error?.metadata]
  }

  writeFileSync(join(inside, 'a/2'), 'new')
  expect(await refused()).toEqual([409, 'ErrFileExists', { path: '/a/2' }])
  rmSync(join(inside, 'a/2'))
  mkdirSync(join(inside, 'b'))
  expect(await refused()).toEqual([409, 'ErrFileExists', { path: '/b' }])
  expect([readdirSync(inside).toSorted(), readdirSync(join(inside, 'a'))]).toEqual([['a', 'b'], []])
  expect(await entries(node.client)).toHaveLength(1)

  rmdirSync(join(inside, 'b'))
  expect((await refused())[0]).toBe(204)
  expect(readdirSync(join(inside, 'a')).toSorted()).toEqual(['1', '2'])
})

test('the former content of an overwritten file is kept', async ({ node, inside }) => {
  writeFileSync(join(inside, 'a.txt'), 'old')
  const put = (body: string) => node.client.send(files.putFile, { params: { id, path: 'a.txt' }, body, ...asUser })

  await put('new')
  await put('newest')

  const [last, former] = await entries(node.client)
  expect(former).toMatchObject({ path: '/a.txt', reason: 'overwritten', author: 'ann', bytes: 3 })
  await restore(node.client, String(former?.id))
  expect(readFileSync(join(inside, 'a (2).txt'), 'utf8')).toBe('old')
  await restore(node.client, String(last?.id), { existing: 'replace' })
  expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('new')
})

test('what an archive replaces is one entry', async ({ node, inside }) => {
  for (const name of ['1', '2']) writeFileSync(join(inside, name), 'old')
  await job(node.client, { kind: 'archive', paths: ['1', '2'], destination: 'a.zip' })
  for (const name of ['1', '2']) writeFileSync(join(inside, name), 'changed')

  const { trash } = await job(node.client, { kind: 'extract', path: 'a.zip', destination: '', existing: 'replace' })

  expect(await entries(node.client)).toMatchObject([{ id: trash?.[0], reason: 'extracted', paths: 2, bytes: 14 }])
  await restore(node.client, String(trash?.[0]), { existing: 'replace' })
  expect(['1', '2'].map((name) => readFileSync(join(inside, name), 'utf8'))).toEqual(['changed', 'changed'])
})

test('what a reinstallation replaces is kept', async ({ node }) => {
  const other = '0b0b0b0b'
  const install = [{ type: 'writefile', target: 'server.properties', text: 'fresh' }]
  await node.client.create(other, 'true', { install })
  const inside = join(node.dataDir, 'servers', other)
  writeFileSync(join(inside, 'server.properties'), 'mine')

  await node.client.send(installServer, { params: { id: other }, query: { wait: true } })

  const { body } = await node.client.send(calls.getTrash, { params: { id: other } })
  expect(readFileSync(join(inside, 'server.properties'), 'utf8')).toBe('fresh')
  expect(body.entries).toMatchObject([{ path: '/server.properties', reason: 'reinstalled', bytes: 4 }])
})

test('entries are deleted permanently, one or all, and with their server', async ({ node, inside }) => {
  const ids: string[] = []
  for (const name of ['1', '2', '3']) {
    writeFileSync(join(inside, name), name)
    ids.push(await remove(node.client, name))
  }
  const place = join(node.dataDir, 'servers/.trash', id)

  await node.client.send(calls.deleteTrashEntry, { params: { id, entry: ids[0] } })
  expect((await entries(node.client)).map((entry) => entry.id)).toEqual([ids[2], ids[1]])
  expect(await restore(node.client, String(ids[0]))).toBe(404)

  await node.client.send(calls.emptyTrash, { params })
  expect(readdirSync(place)).toEqual([])

  writeFileSync(join(inside, '4'), '4')
  await remove(node.client, '4')
  await node.client.asPanel('DELETE', `/daemon/server/${id}`)
  expect(existsSync(place)).toBe(false)
})

test('only who may change files restores and deletes, and who may view them lists', async ({ node, inside }) => {
  writeFileSync(join(inside, 'a'), 'a')
  const entry = await remove(node.client, 'a')
  const as = (permission: 'viewServerFiles' | 'viewServerConsole') => ({ ticket: { rights: [permission] } })

  expect((await node.client.send(calls.getTrash, { params, ...as('viewServerFiles') })).status).toBe(200)
  expect((await node.client.send(calls.getTrash, { params, ...as('viewServerConsole') })).status).toBe(403)
  for (const call of [calls.restoreTrashEntry, calls.deleteTrashEntry, calls.emptyTrash]) {
    const answer = await node.client.send(call, { params: { id, entry }, body: {}, ...as('viewServerFiles') })
    expect(answer.status).toBe(403)
  }
})

test('without a trash, files are deleted permanently', async () => {
  await using node = await TestNode.start({ trash: { ...defaultTrash, days: 0, maxBytes: 0 } })
  await node.client.create(id, 'true')
  writeFileSync(join(node.dataDir, 'servers', id, 'a'), 'a')

  const { status, headers } = await node.client.send(files.deleteFile, { params: { id, path: 'a' } })

  expect([status, headers[files.trashEntryHeader]]).toEqual([204, undefined])
  expect(await entries(node.client)).toEqual([])
})

test('what a killed daemon left is completed when the next one starts', async ({ node, inside }) => {
  writeFileSync(join(inside, 'kept'), 'kept')
  writeFileSync(join(inside, 'replaced'), 'same')
  const kept = await remove(node.client, 'kept')
  await node.detach()
  const place = join(node.dataDir, 'servers/.trash', id)
  const record = { paths: 1, isFolder: false, discardedAt: new Date().toISOString() }
  const entry = (name: string, more: object) => {
    mkdirSync(join(place, name))
    writeFileSync(join(place, `${name}.json`), JSON.stringify({ ...record, ...more }))
  }
  // Killed between the record and the rename, with a record only, and while it was deleting.
  entry('00000000000000aa', { path: '/lost/a', reason: 'deleted' })
  mkdirSync(join(place, '00000000000000aa/lost'))
  writeFileSync(join(place, '00000000000000bb.json'), JSON.stringify({ ...record, path: '/b', reason: 'deleted' }))
  mkdirSync(join(place, '00000000000000cc.deleted'))
  // Killed between the second link of a file and its replacement.
  entry('00000000000000dd', { path: '/replaced', reason: 'overwritten' })
  linkSync(join(inside, 'replaced'), join(place, '00000000000000dd/replaced'))
  // Without its record.
  mkdirSync(join(place, '00000000000000ee/plugins'), { recursive: true })
  writeFileSync(join(place, '00000000000000ee/plugins/a.jar'), 'jar')

  await node.start()

  const listed = await entries(node.client)
  expect(listed.map((one) => one.path).toSorted()).toEqual(['/kept', '/plugins/a.jar'])
  // The files of the entry without a record are counted in the background.
  const names = ['00000000000000ee', '00000000000000ee.json', kept, `${kept}.json`]
  await vi.waitFor(() => expect(readdirSync(place).toSorted()).toEqual(names.toSorted()), { timeout: 10_000 })
  await restore(node.client, '00000000000000ee')
  expect(readFileSync(join(inside, 'plugins/a.jar'), 'utf8')).toBe('jar')
  expect(readFileSync(join(inside, 'replaced'), 'utf8')).toBe('same')
})

test('the trash of one server that cannot be read does not keep expired entries of others', async ({
  node,
  inside,
}) => {
  writeFileSync(join(inside, 'a'), 'a')
  const entry = await remove(node.client, 'a')
  await node.detach()
  const record = join(node.dataDir, 'servers/.trash', id, `${entry}.json`)
  const discardedAt = new Date(Date.now() - 100 * 24 * 60 * 60 * 1000).toISOString()
  writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), discardedAt }))
  // Before the other one, whatever the order of the directory.
  const broken = ['00000000', '0a0a0a09', 'ffffffff'].map((name) => join(node.dataDir, 'servers/.trash', name))
  for (const path of broken) writeFileSync(path, 'no directory')

  await node.start()

  await vi.waitFor(() => expect(existsSync(record)).toBe(false))
  for (const path of broken) rmSync(path)
})

test('what was overwritten outlives a restart, also if the file has another name', async ({ node, inside }) => {
  writeFileSync(join(inside, 'a.txt'), 'old')
  linkSync(join(inside, 'a.txt'), join(inside, 'b.txt'))
  await node.client.send(files.putFile, { params: { id, path: 'a.txt' }, body: 'new', ...asUser })

  await node.detach()
  await node.start()

  expect(await entries(node.client)).toMatchObject([{ path: '/a.txt', reason: 'overwritten' }])
  expect(readFileSync(join(inside, 'b.txt'), 'utf8')).toBe('old')
})

test('a file that was overwritten through a link comes back where it was, also after a restart', async ({
  node,
  inside,
}) => {
  mkdirSync(join(inside, 'config'))
  writeFileSync(join(inside, 'config/a.txt'), 'old')
  symlinkSync('config/a.txt', join(inside, 'link.txt'))
  await node.client.send(files.putFile, { params: { id, path: 'link.txt' }, body: 'new', ...asUser })

  await node.detach()
  await node.start()
  const [entry] = await entries(node.client)
  await restore(node.client, String(entry?.id), { existing: 'replace' })

  expect(entry).toMatchObject({ path: '/config/a.txt', reason: 'overwritten' })
  expect(readFileSync(join(inside, 'config/a.txt'), 'utf8')).toBe('old')
  expect(readdirSync(inside).toSorted()).toEqual(['config', 'link.txt'])
})

test('a name that requests must not have does not keep the trash from loading', async ({ node, inside }) => {
  for (const folder of ['from/a', 'to/a']) mkdirSync(join(inside, folder), { recursive: true })
  for (const folder of ['from/a', 'to/a']) writeFileSync(join(inside, folder, 'line\nbreak'), folder)
  await job(node.client, { kind: 'copy', paths: ['from/a'], destination: 'to', existing: 'replace' })

  await node.detach()
  await node.start()
  const listed = await entries(node.client)
  await restore(node.client, String(listed[0]?.id), { existing: 'replace' })

  expect(listed).toMatchObject([{ path: '/to/a/line\nbreak', reason: 'overwritten' }])
  expect(readFileSync(join(inside, 'to/a/line\nbreak'), 'utf8')).toBe('to/a')
})
