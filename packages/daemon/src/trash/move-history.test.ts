import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as files from '@innkeeper/contract/servers/files'
import * as calls from '@innkeeper/contract/servers/trash'
import { expect, vi } from 'vitest'
import { parsePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import type { NodeClient } from '../testing/daemon.ts'
import { testOnClearedNode as base } from '../testing/node-test.ts'
import { test as sftpTest, theServer, toVoidPromise } from '../testing/sftp-host.ts'

const id = '0a0a0a0a'
const params = { id }

const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    const inside = join(node.dataDir, 'servers', id)
    mkdirSync(join(inside, 'plugins'))
    await use(inside)
  },
})

async function save(client: NodeClient, path: string, body: string, username = 'ann'): Promise<void> {
  const { status } = await client.send(files.putFile, { params: { id, path }, body, ticket: { username } })
  expect(status).toBeLessThan(300)
}

async function move(client: NodeClient, from: string, to: string, existing: 'refuse' | 'replace' = 'refuse') {
  expect((await client.send(files.moveFile, { params, body: { from, to, existing } })).status).toBe(204)
}

async function job(client: NodeClient, body: object): Promise<void> {
  const started = await client.send(files.startFileJob, { params, body, ticket: { username: 'ann' } })
  const isDone = async () => {
    const { body: jobs } = await client.send(files.getFileJobs, { params })
    return jobs.some((one: files.FileJob) => one.id === started.body.id && one.state === 'done')
  }
  await vi.waitUntil(isDone, { timeout: 15_000, interval: 20 })
}

async function readVersions(client: NodeClient, path: string): Promise<{ versions: calls.FileVersion[] }> {
  return (await client.send(calls.getFileVersions, { params: { id, path } })).body
}

/** The former contents, read the way the editor does. */
async function readContents(client: NodeClient, path: string): Promise<string[]> {
  const { versions } = await readVersions(client, path)
  const read = async ({ entry, path: former = path }: calls.FileVersion) =>
    String((await client.send(calls.getTrashFile, { params: { id, entry, path: former } })).body)
  return await Promise.all(versions.map(read))
}

test('versions follow a file that is renamed, moved with others, and whose folder is renamed', async ({
  node,
  inside: _,
}) => {
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'a.yml', 'two', 'bob')
  await move(node.client, 'a.yml', 'b.yml')
  await save(node.client, 'b.yml', 'three')
  await job(node.client, { kind: 'move', paths: ['b.yml'], destination: 'plugins' })
  await move(node.client, 'plugins', 'mods')
  await save(node.client, 'mods/b.yml', 'four')
  await node.detach()
  await node.start()

  expect(await readContents(node.client, 'mods/b.yml')).toEqual(['three', 'two', 'one'])
  const { versions } = await readVersions(node.client, 'mods/b.yml')
  expect(versions.map(({ path, savedBy }) => [path, savedBy])).toEqual([
    [undefined, 'ann'],
    ['/b.yml', 'bob'],
    ['/a.yml', undefined],
  ])
})

test('the user who saved a file is known after it was renamed', async ({ node, inside: _ }) => {
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'a.yml', 'two', 'bob')
  await move(node.client, 'a.yml', 'b.yml')

  expect(await readVersions(node.client, 'b.yml')).toMatchObject({ current: { savedBy: 'bob' } })
  await save(node.client, 'b.yml', 'three')
  expect((await readVersions(node.client, 'b.yml')).versions[0]).toMatchObject({ savedBy: 'bob', replacedBy: 'ann' })
})

test('a file that takes a former path does not give its contents to the file that was there', async ({
  node,
  inside: _,
}) => {
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'a.yml', 'two')
  await move(node.client, 'a.yml', 'b.yml')
  // Times have a resolution of a millisecond.
  await vi.waitUntil(() => new Date().toISOString() > lastMove(node.dataDir))
  await save(node.client, 'a.yml', 'another')
  await save(node.client, 'a.yml', 'another one')

  expect(await readContents(node.client, 'b.yml')).toEqual(['one'])
  expect(await readContents(node.client, 'a.yml')).toEqual(['another', 'one'])
})

test('a file that another one replaces keeps its versions, as programs save that write a temporary file', async ({
  node,
  inside: _,
}) => {
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'a.yml', 'two')
  await save(node.client, 'a.yml.part', 'three')

  await move(node.client, 'a.yml.part', 'a.yml', 'replace')

  expect(await readContents(node.client, 'a.yml')).toEqual(['two', 'one'])
})

test('a deleted file has its versions again when it is restored, also beside another one or with its folder', async ({
  node,
  inside,
}) => {
  const remove = async (path: string) => {
    const { headers } = await node.client.send(files.deleteFile, { params: { id, path } })
    return String(headers[files.trashEntryHeader])
  }
  const restore = async (entry: string) => {
    expect((await node.client.send(calls.restoreTrashEntry, { params: { id, entry }, body: {} })).status).toBe(204)
  }
  for (const text of ['one', 'two', 'three']) await save(node.client, 'plugins/a.yml', text)

  await restore(await remove('plugins/a.yml'))
  expect(await readContents(node.client, 'plugins/a.yml')).toEqual(['two', 'one'])

  const entry = await remove('plugins/a.yml')
  writeFileSync(join(inside, 'plugins/a.yml'), 'another file')
  await restore(entry)
  expect(readFileSync(join(inside, 'plugins/a (2).yml'), 'utf8')).toBe('three')
  expect(await readContents(node.client, 'plugins/a (2).yml')).toEqual(['two', 'one'])

  await restore(await remove('plugins'))
  expect(await readContents(node.client, 'plugins/a (2).yml')).toEqual(['two', 'one'])
})

test('only moves of files with versions are stored, until their versions are gone', async ({ node, inside: _ }) => {
  const stored = join(node.dataDir, 'servers/.trash', id, 'moves.json')
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'other.yml', 'one')
  await move(node.client, 'other.yml', 'others.yml')
  expect(existsSync(stored)).toBe(false)

  await save(node.client, 'a.yml', 'two')
  await move(node.client, 'others.yml', 'other.yml')
  expect(existsSync(stored)).toBe(false)
  await move(node.client, 'a.yml', 'b.yml')
  expect(existsSync(stored)).toBe(true)

  await node.client.send(calls.emptyTrash, { params })
  expect(existsSync(stored)).toBe(false)
  expect(await readContents(node.client, 'b.yml')).toEqual([])
})

test('versions follow a file out of a folder of which several files were replaced at once', async ({
  node,
  inside,
}) => {
  for (const name of ['1', '2']) writeFileSync(join(inside, name), `old ${name}`)
  await job(node.client, { kind: 'archive', paths: ['1', '2'], destination: 'a.zip' })
  await job(node.client, { kind: 'extract', path: 'a.zip', destination: '', existing: 'replace' })

  await move(node.client, '2', 'renamed')

  expect(await readContents(node.client, 'renamed')).toEqual(['old 2'])
})

test('a damaged list of moves loses no versions of current paths', async ({ node, inside: _ }) => {
  await save(node.client, 'a.yml', 'one')
  await save(node.client, 'a.yml', 'two')
  await move(node.client, 'a.yml', 'b.yml')
  await save(node.client, 'b.yml', 'three')
  await node.detach()
  writeFileSync(join(node.dataDir, 'servers/.trash', id, 'moves.json'), '[{')

  await node.start()

  expect(await readContents(node.client, 'b.yml')).toEqual(['two'])
})

sftpTest.for([
  ['keeps', true],
  ['does not keep', false],
] as const)('versions follow renames over SFTP on a node that %s files of it', async ([, isKept], { host, user }) => {
  host.keepsFiles = isKept
  mkdirSync(host.inside('config'))
  writeFileSync(host.inside('config/a.yml'), 'one')
  {
    await using saved = await RootFs.open(host.inside(), { discarded: host.trash.sink(theServer, {}) })
    await saved.writeFile(parsePath('config/a.yml'), 'two')
  }
  await using session = await host.connect({ username: user })
  const sftp = await session.files()

  await toVoidPromise((done) => sftp.rename('/config/a.yml', '/config/b.yml', done))
  await toVoidPromise((done) => sftp.rename('/config', '/conf', done))
  await toVoidPromise((done) => sftp.ext_openssh_rename('/conf/b.yml', '/c.yml', done))

  const { versions } = await host.trash.of(theServer).versions(parsePath('c.yml'), undefined)
  expect(versions).toMatchObject([{ path: '/config/a.yml', bytes: 3 }])
})

function lastMove(dataDir: string): string {
  const moves = JSON.parse(readFileSync(join(dataDir, 'servers/.trash', id, 'moves.json'), 'utf8'))
  return moves.at(-1).at
}
