import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusals } from '@innkeeper/contract/errors/refusals'
import * as calls from '@innkeeper/contract/servers/files'
import { expect, vi } from 'vitest'
import { tarBytes } from '../testing/archive-bytes.ts'
import type { TestNode } from '../testing/daemon.ts'
import { testOnClearedNode as base } from '../testing/node-test.ts'
import { maxRunningJobs, maxWaitingJobs } from './file-jobs.ts'

const id = '0a0a0a0a'
const on = { params: { id } }
const mebi = 1024 * 1024
const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    await use(join(node.dataDir, 'servers', id))
  },
})

async function start({ client }: TestNode, request: object): Promise<string> {
  const { status, body } = await client.send(calls.startFileJob, { ...on, body: request })
  if (status !== 202) throw new Error(`no job: ${status} ${JSON.stringify(body)}`)
  return body.id
}

/** Waits until a job has ended and returns it. */
async function ended({ client }: TestNode, job: string): Promise<calls.FileJob> {
  return await vi.waitUntil(
    async () => {
      const { body } = await client.send(calls.getFileJobs, on)
      return body.find((one: calls.FileJob) => one.id === job && one.state !== 'running') as calls.FileJob | undefined
    },
    { timeout: 15_000 },
  )
}

/** Files that take seconds to compress: a job on them can be canceled before it ends. */
function fill(inside: string): void {
  mkdirSync(join(inside, 'world'))
  for (let index = 0; index < 8; index++) {
    writeFileSync(join(inside, `world/${index}`), randomBytes(12 * mebi).toString('hex'))
  }
}

/** Waits until the first job has processed something. */
async function untilBegun({ client }: TestNode): Promise<void> {
  const hasBytes = async () => (await client.send(calls.getFileJobs, on)).body[0].bytes > 0
  await vi.waitUntil(hasBytes, { timeout: 15_000, interval: 10 })
}

test('a job reports what was packed, copied, moved and deleted', async ({ node, inside }) => {
  mkdirSync(join(inside, 'world/region'), { recursive: true })
  mkdirSync(join(inside, 'backups'))
  writeFileSync(join(inside, 'world/region/r.mca'), 'region')
  writeFileSync(join(inside, 'world/level.dat'), 'level')

  const packed = await ended(
    node,
    await start(node, { kind: 'archive', paths: ['world'], destination: 'backups/w.zip' }),
  )
  const copied = await ended(node, await start(node, { kind: 'copy', paths: ['world'], destination: 'backups' }))
  const moved = await ended(node, await start(node, { kind: 'move', paths: ['world/level.dat'], destination: '' }))
  const opened = await ended(node, await start(node, { kind: 'extract', path: 'backups/w.zip', destination: '' }))
  const deleted = await ended(node, await start(node, { kind: 'delete', paths: ['backups', 'level.dat'] }))

  expect([packed, copied, moved, opened, deleted].map(({ state, error }) => error ?? state)).toEqual(
    Array(5).fill('done'),
  )
  expect(copied).toMatchObject({ entries: 4, totalEntries: 4, bytes: 11, totalBytes: 11, path: 'world', paths: 1 })
  expect(
    execFileSync('find', ['.', '-type', 'f'], { cwd: inside, encoding: 'utf8' }).trim().split('\n').sort(),
  ).toEqual(['./world/level.dat', './world/region/r.mca'])
})

test('the calls that archive and extract name what they left out, and only then have a body', async ({
  node,
  inside,
}) => {
  mkdirSync(join(inside, 'world'))
  for (const name of ['1', '2']) writeFileSync(join(inside, 'world', name), name)
  symlinkSync('1', join(inside, 'world/inside'))
  symlinkSync('/etc', join(inside, 'world/outside'))
  writeFileSync(join(inside, 'up.tar'), tarBytes([{ name: 'up', type: '2', target: '..' }]))
  const archive = (paths: readonly string[]) =>
    node.client.send(calls.archiveFiles, { params: { id, path: `${paths.length}.zip` }, body: paths })

  const lacking = await archive(['world'])
  const whole = await archive(['world/1', 'world/2'])
  const extracted = await node.client.send(calls.extractFile, { params: { id, path: 'up.tar' }, query: {} })

  expect([lacking.status, lacking.body]).toEqual([200, { skipped: ['world/outside'], skippedCount: 1 }])
  expect(whole.status).toBe(204)
  expect([extracted.status, extracted.body]).toEqual([200, { skipped: ['up'], skippedCount: 1 }])
})

test('a canceled job leaves nothing behind', async ({ node, inside }) => {
  fill(inside)
  const job = await start(node, { kind: 'archive', paths: ['world'], destination: 'world.zip' })
  await untilBegun(node)

  const { status } = await node.client.send(calls.cancelFileJob, { params: { id, job } })

  expect(status).toBe(204)
  expect(await ended(node, job)).toMatchObject({ state: 'cancelled', error: { code: 'ErrCancelled' } })
  expect(readdirSync(inside)).toEqual(['world'])
  expect((await node.client.send(calls.cancelFileJob, { params: { id, job: 'none' } })).status).toBe(404)
})

test('the total is known long before a job ends', async ({ node, inside }) => {
  fill(inside)

  const job = await start(node, { kind: 'archive', paths: ['world', 'world/1'], destination: 'world.zip' })

  const known = await vi.waitUntil(
    async () => {
      const { body } = await node.client.send(calls.getFileJobs, on)
      return body.find((one: calls.FileJob) => one.totalBytes !== undefined) as calls.FileJob | undefined
    },
    { timeout: 15_000, interval: 10 },
  )
  expect(known).toMatchObject({ state: 'running', totalEntries: 9, totalBytes: 8 * 24 * mebi })
  expect(known.bytes).toBeLessThan(8 * 24 * mebi)
  await node.client.send(calls.cancelFileJob, { params: { id, job } })
  await ended(node, job)
})

test('concurrent jobs are limited, others wait, and the queue is bounded', async ({ node, inside }) => {
  fill(inside)
  const most = maxRunningJobs + maxWaitingJobs
  const request = (at: number) => ({ kind: 'archive', paths: ['world'], destination: `${at}.zip` })
  const jobs: string[] = []
  for (let at = 0; at < most; at++) jobs.push(await start(node, request(at)))

  const refused = await node.client.send(calls.startFileJob, { ...on, body: request(most) })
  const drafts = () => readdirSync(inside).filter((name) => name.endsWith('.tmp')).length
  await vi.waitUntil(() => drafts() > 0, { timeout: 15_000 })

  expect(refused).toMatchObject({ status: 409, body: { error: { code: 'ErrTooMany' } } })
  expect(drafts()).toBeLessThanOrEqual(maxRunningJobs)
  for (const job of jobs.toReversed()) await node.client.send(calls.cancelFileJob, { params: { id, job } })
  for (const job of jobs) expect((await ended(node, job)).state).toBe('cancelled')
  expect(readdirSync(inside)).toEqual(['world'])
})

test('the first error ends a job, and has the path', async ({ node, inside }) => {
  for (const name of ['a', 'c']) writeFileSync(join(inside, name), name)
  mkdirSync(join(inside, 'to'))
  writeFileSync(join(inside, 'to/c'), 'theirs')

  const missing = await ended(node, await start(node, { kind: 'move', paths: ['a', 'b', 'c'], destination: 'to' }))
  const taken = await ended(node, await start(node, { kind: 'copy', paths: ['c'], destination: 'to' }))
  const nowhere = await ended(node, await start(node, { kind: 'copy', paths: ['c'], destination: 'none' }))
  const root = await ended(node, await start(node, { kind: 'delete', paths: ['c', '/'] }))
  const kind = await ended(node, await start(node, { kind: 'archive', paths: ['c'], destination: 'c.exe' }))

  expect(missing).toMatchObject({ state: 'failed', error: { code: 'ErrFileNotFound', metadata: { path: '/b' } } })
  expect(taken).toMatchObject({ error: { code: 'ErrFileExists', msg: refusals.ErrFileExists[1] } })
  expect(nowhere).toMatchObject({ error: { code: 'ErrMissingDirectory', metadata: { path: '/none' } } })
  expect(root).toMatchObject({ error: { code: 'ErrFieldInvalid' } })
  expect(kind).toMatchObject({ error: { code: 'ErrUnsupportedArchive' } })
  expect(readdirSync(inside).sort()).toEqual(['c', 'to'])
  expect(readdirSync(join(inside, 'to')).sort()).toEqual(['a', 'c'])
  expect(readFileSync(join(inside, 'to/c'), 'utf8')).toBe('theirs')
})

test('existing directories are merged, and existing files handled as requested', async ({ node, inside }) => {
  const lay = (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(inside, path, '..'), { recursive: true })
      writeFileSync(join(inside, path), text)
    }
  }
  const move = (existing: string) => start(node, { kind: 'move', paths: ['mods'], destination: 'to', existing })
  lay({ 'mods/a': 'new a', 'mods/deep/b': 'new b', 'to/mods/a': 'old a', 'to/mods/deep/c': 'old c' })

  const refused = await ended(node, await move('refuse'))
  const both = await ended(node, await move('keepBoth'))
  lay({ 'mods/a': 'newer a' })
  const replaced = await ended(node, await move('replace'))

  expect([refused.error?.code, both.state, replaced.state]).toEqual(['ErrFileExists', 'done', 'done'])
  expect(existsSync(join(inside, 'mods'))).toBe(false)
  const read = (path: string) => readFileSync(join(inside, 'to/mods', path), 'utf8')
  expect([read('a'), read('a (2)'), read('deep/b'), read('deep/c')]).toEqual(['newer a', 'new a', 'new b', 'old c'])
})

test('waiting calls return the outcome of the job', async ({ node: { client }, inside }) => {
  writeFileSync(join(inside, 'a'), 'a')
  const at = (path: string) => ({ params: { id, path } })

  expect((await client.send(calls.archiveFiles, { ...at('a.tar.gz'), body: ['a'] })).status).toBe(204)
  expect((await client.send(calls.archiveFiles, { ...at('a.tar.gz'), body: ['a'] })).body.error.code).toBe(
    'ErrFileExists',
  )
  expect((await client.send(calls.archiveFiles, { ...at('b.zip'), body: [] })).status).toBe(400)
  const into = (destination: string) => ({ ...at('a.tar.gz'), query: { destination } })
  expect((await client.send(calls.extractFile, into('none'))).body.error.code).toBe('ErrMissingDirectory')
  mkdirSync(join(inside, 'into'))
  expect((await client.send(calls.extractFileByGet, into('into'))).status).toBe(204)
  expect(readFileSync(join(inside, 'into/a'), 'utf8')).toBe('a')
})

test('deleting a server ends its file jobs', async ({ node, inside }) => {
  fill(inside)
  await start(node, { kind: 'archive', paths: ['world'], destination: 'world.zip' })
  await untilBegun(node)

  const { status } = await node.client.asPanel('DELETE', `/daemon/server/${id}`)

  expect(status).toBe(204)
  expect(existsSync(inside)).toBe(false)
  expect((await node.client.send(calls.getFileJobs, on)).status).toBe(404)
})
