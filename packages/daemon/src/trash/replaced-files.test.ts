import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as files from '@innkeeper/contract/servers/files'
import { createTask, runTask } from '@innkeeper/contract/servers/tasks'
import * as calls from '@innkeeper/contract/servers/trash'
import { expect, vi } from 'vitest'
import type { NodeClient } from '../testing/daemon.ts'
import { testOnClearedNode as base } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }
const ticket = { username: 'ann' }

interface Inside {
  readonly write: (files: Readonly<Record<string, string>>) => void
  readonly read: (path: string) => string
  readonly path: (path: string) => string
}

const test = base.extend<{ inside: Inside }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, 'true')
    const path = (name: string) => join(node.dataDir, 'servers', id, name)
    await use({
      path,
      read: (name) => readFileSync(path(name), 'utf8'),
      write: (texts) => {
        for (const [name, text] of Object.entries(texts)) {
          mkdirSync(dirname(path(name)), { recursive: true })
          writeFileSync(path(name), text)
        }
      },
    })
  },
})

async function entries(client: NodeClient): Promise<calls.TrashEntry[]> {
  return (await client.send(calls.getTrash, { params })).body.entries
}

/** Restores the only entry, in place of what is there. */
async function takeBack(client: NodeClient): Promise<void> {
  const [entry, ...others] = await entries(client)
  expect(others).toEqual([])
  const restored = await client.send(calls.restoreTrashEntry, {
    params: { id, entry: entry?.id },
    body: { existing: 'replace' },
  })
  expect(restored.status).toBe(204)
}

async function job(client: NodeClient, body: object): Promise<files.FileJob> {
  const started = await client.send(files.startFileJob, { params, body, ticket })
  const job = await vi.waitUntil(
    async () => {
      const { body: jobs } = await client.send(files.getFileJobs, { params })
      return jobs.find((one: files.FileJob) => one.id === started.body.id && one.state !== 'running')
    },
    { timeout: 15_000, interval: 20 },
  )
  expect(job.state).toBe('done')
  return job
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

async function upload(client: NodeClient, path: string, text: string, existing: string): Promise<number> {
  const tus = { 'tus-resumable': '1.0.0' }
  const metadata = `path ${base64(path)},existing ${base64(existing)}`
  const created = await client.send(files.createUpload, {
    params,
    ticket,
    headers: { ...tus, 'upload-length': String(text.length), 'upload-metadata': metadata },
  })
  if (created.status !== 201) return created.status
  const appended = await client.send(files.appendUpload, {
    params: { id, upload: String(created.headers.location).split('/').at(-1) },
    ticket,
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: text,
  })
  return appended.status
}

test('a file that an upload replaces is kept, one beside which it is placed is not', async ({ node, inside }) => {
  inside.write({ 'plugins/a.jar': 'old' })

  expect(await upload(node.client, 'plugins/a.jar', 'refused', 'refuse')).toBe(409)
  expect(await upload(node.client, 'plugins/a.jar', 'beside', 'keepBoth')).toBe(204)
  expect(await entries(node.client)).toEqual([])
  expect(await upload(node.client, 'plugins/a.jar', 'new', 'replace')).toBe(204)

  expect(inside.read('plugins/a.jar')).toBe('new')
  expect(await entries(node.client)).toMatchObject([
    { path: '/plugins/a.jar', paths: 1, bytes: 3, reason: 'overwritten', author: 'ann' },
  ])
  await takeBack(node.client)
  expect(inside.read('plugins/a.jar')).toBe('old')
})

test('a file that a renamed file replaces is kept', async ({ node, inside }) => {
  inside.write({ 'a.txt': 'old', 'b.txt': 'moved' })
  const move = (existing: string) =>
    node.client.send(files.moveFile, { params, ticket, body: { from: 'b.txt', to: 'a.txt', existing } })

  expect((await move('refuse')).status).toBe(409)
  expect(await entries(node.client)).toEqual([])
  expect((await move('replace')).status).toBe(204)

  expect(inside.read('a.txt')).toBe('moved')
  expect(await entries(node.client)).toMatchObject([{ path: '/a.txt', reason: 'overwritten', author: 'ann' }])
  await takeBack(node.client)
  expect(inside.read('a.txt')).toBe('old')
})

test('the files that a move replaces are one entry', async ({ node, inside }) => {
  inside.write({ 'from/1': 'new', 'from/2': 'new', 'from/3': 'new', 'to/from/1': 'old', 'to/from/2': 'old' })

  const { trash } = await job(node.client, { kind: 'move', paths: ['from'], destination: 'to', existing: 'replace' })

  expect(inside.read('to/from/1')).toBe('new')
  expect(await entries(node.client)).toMatchObject([
    { id: trash?.[0], paths: 2, bytes: 6, reason: 'overwritten', author: 'ann' },
  ])
  await takeBack(node.client)
  expect(['1', '2', '3'].map((name) => inside.read(`to/from/${name}`))).toEqual(['old', 'old', 'new'])
})

test('the files that a copy replaces are kept, also by a link', async ({ node, inside }) => {
  inside.write({ 'from/file': 'new', 'to/from/file': 'old', 'to/from/link': 'old' })
  symlinkSync('file', inside.path('from/link'))

  await job(node.client, { kind: 'copy', paths: ['from'], destination: 'to', existing: 'replace' })

  expect(inside.read('to/from/file')).toBe('new')
  expect(readlinkSync(inside.path('to/from/link'))).toBe('file')
  expect(await entries(node.client)).toMatchObject([{ paths: 2, bytes: 6, reason: 'overwritten', author: 'ann' }])
  await takeBack(node.client)
  expect(['file', 'link'].map((name) => inside.read(`to/from/${name}`))).toEqual(['old', 'old'])
})

test('the files that the steps of a task replace are one entry without an author', async ({ node, inside }) => {
  inside.write({ written: 'old', altered: 'old', target: 'old', source: 'new' })
  const operations = [
    { type: 'writefile', target: 'written', text: 'new' },
    { type: 'alterfile', file: 'altered', search: 'old', replace: 'new', regex: false },
    { type: 'move', source: 'source', target: 'target' },
  ]
  const created = await node.client.send(createTask, { params, body: { name: 'Update', operations } })
  expect(created.status).toBe(200)

  const ran = await node.client.send(runTask, { params: { id, task: created.body.id }, query: { wait: true } })

  expect(ran.status).toBe(204)
  expect(['written', 'altered', 'target'].map(inside.read)).toEqual(['new', 'new', 'new'])
  const [entry] = await entries(node.client)
  expect(entry).toMatchObject({ path: '/written', paths: 3, bytes: 9, reason: 'overwritten' })
  expect(entry).not.toHaveProperty('author')
  await takeBack(node.client)
  expect(['written', 'altered', 'target'].map(inside.read)).toEqual(['old', 'old', 'old'])
})
