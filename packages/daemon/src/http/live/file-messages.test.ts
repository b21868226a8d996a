import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileResponse } from '@innkeeper/contract/servers/live'
import { expect } from 'vitest'
import { RootFs } from '../../files/root.ts'
import { program, type Watcher } from '../../testing/daemon.ts'
import { testOnClearedNode as base } from '../../testing/node-test.ts'
import { handleFileMessage, maxLiveFileBytes } from './file-messages.ts'
import { LiveResponseLimiter } from './live-response-limiter.ts'

const id = '0a0a0a0a'
const test = base.extend<{ inside: string }>({
  inside: async ({ node }, use) => {
    await node.client.create(id, program('echo'))
    await use(join(node.dataDir, 'servers', id))
  },
})

const answersIn = ({ received }: Watcher) =>
  received.flatMap((message) => ('type' in message && message.type === 'file' ? [message.data] : []))

/** Sends a message about files and waits for its response. */
async function ask(watcher: Watcher, message: object): Promise<FileResponse | undefined> {
  const before = answersIn(watcher).length
  watcher.send({ type: 'file', ...message })
  await watcher.until('an answer about files', () => answersIn(watcher).length > before)
  return answersIn(watcher).at(-1)
}

test('a directory is listed, created and emptied over the live socket', async ({ node, inside }) => {
  const watcher = await node.client.watch(id)

  expect(await ask(watcher, { action: 'get', path: '/' })).toEqual({ path: '/' })
  expect(await ask(watcher, { action: 'CREATE', path: 'a/b' })).toEqual({
    path: '/a/b',
    files: [{ name: '..', isFile: false }],
  })
  writeFileSync(join(inside, 'a/x.yml'), 'hello')
  const { files = [] } = (await ask(watcher, { action: 'get', path: 'a' })) ?? {}
  expect(files.map(({ name }) => name).sort()).toEqual(['..', 'b', 'x.yml'])
  expect(await ask(watcher, { action: 'delete', path: 'a/b' })).toMatchObject({ path: '/a' })
  expect(await ask(watcher, { action: 'delete', path: 'a' })).toEqual({ path: '/' })
  expect(readdirSync(inside)).toEqual([])
})

test('a directory with a blank name is not created over the live socket', async ({ node, inside }) => {
  const watcher = await node.client.watch(id)

  expect(await ask(watcher, { action: 'create', path: 'a/  ' })).toMatchObject({ error: 'name is required' })
  expect(readdirSync(inside)).toEqual([])
})

test('a file is sent with its contents for editing, otherwise as a URL', async ({ node, inside }) => {
  const watcher = await node.client.watch(id)
  const bytes = randomBytes(1000)
  writeFileSync(join(inside, 'a.bin'), bytes)
  writeFileSync(join(inside, 'empty'), '')
  writeFileSync(join(inside, 'huge'), '')
  truncateSync(join(inside, 'huge'), maxLiveFileBytes + 1)

  expect(await ask(watcher, { action: 'get', path: 'a.bin', edit: true })).toEqual({
    path: '',
    name: 'a.bin',
    contents: bytes.toString('base64'),
  })
  expect(await ask(watcher, { action: 'get', path: 'a.bin' })).toEqual({ path: '', name: 'a.bin', url: '/a.bin' })
  expect(await ask(watcher, { action: 'get', path: 'empty', edit: true })).toEqual({ path: '', name: 'empty' })
  expect(await ask(watcher, { action: 'get', path: 'huge', edit: true })).toEqual({
    path: '',
    name: 'huge',
    url: '/huge',
  })
  expect(await ask(watcher, { action: 'get', path: 'none' })).toEqual({ path: '', error: 'File not found' })
})

test('the largest file that can be sent with its contents is sent many times, and the console continues', async ({
  node,
  inside,
}) => {
  const watcher = await node.client.watch(id)
  writeFileSync(join(inside, 'large'), randomBytes(maxLiveFileBytes))

  for (let times = 0; times < 3; times++) watcher.send({ type: 'file', action: 'get', path: 'large', edit: true })
  watcher.send({ type: 'start' })

  await watcher.until('three answers', () => answersIn(watcher).length === 3, 20_000)
  await watcher.untilHeard('status', { state: 'online' })
  watcher.send({ type: 'console', command: 'still there' })
  await watcher.untilText('still there')
  for (const { contents = '' } of answersIn(watcher)) {
    expect(Buffer.byteLength(contents, 'base64')).toBe(maxLiveFileBytes)
  }
})

test('changing files needs its permission, and no path leads out', async ({ node, inside }) => {
  writeFileSync(join(inside, '../secret'), 'the treasure')
  symlinkSync('..', join(inside, 'out'))
  mkdirSync(join(inside, 'mine'))
  const reader = await node.client.watch(id, ['viewServerFiles'])
  const blind = await node.client.watch(id, ['viewServerConsole'])

  for (const action of ['create', 'delete']) reader.send({ type: 'file', action, path: 'mine' })
  await reader.until(
    'two refusals',
    ({ received }) => received.filter((one) => 'type' in one && one.type === 'error').length === 2,
  )
  blind.send({ type: 'file', action: 'get', path: '' })
  await blind.untilHeard('error', { code: 'ErrMissingScope' })
  const writer = await node.client.watch(id)
  for (const path of ['../secret', 'out/secret', '..', 'a\0b', 'x'.repeat(300)]) {
    for (const action of ['get', 'create', 'delete']) {
      const answer = await ask(writer, { action, path, edit: true })
      expect(Object.keys(answer ?? {}), `${action} ${path}`).toEqual(['path', 'error'])
    }
  }
  writer.send({ type: 'file', action: 'delete', path: '/' })
  await writer.until('a refusal', (watcher) => answersIn(watcher).at(-1)?.error !== undefined)

  expect(existsSync(join(inside, 'mine'))).toBe(true)
  expect(existsSync(join(inside, '../secret'))).toBe(true)
})

test('one file response per user is in transit at a time, until it is read', async ({ node, inside }) => {
  writeFileSync(join(inside, 'large'), randomBytes(maxLiveFileBytes))
  const message = { type: 'file', action: 'get', path: 'large', edit: true }
  const silent = await node.client.watch(id, ['admin'], { autoPong: false })
  const other = await node.client.watch(id)
  const stranger = await node.client.watch(id, ['viewServerFiles'], { sub: 'user:99' })
  await ask(silent, message)

  other.send(message)
  await ask(stranger, message)
  await ask(stranger, message)

  expect(answersIn(other)).toEqual([])
  silent.socket.terminate()
  await other.until('its answer', () => answersIn(other).length === 1)
})

test('a file response that waits too long is refused', async () => {
  const answers = new LiveResponseLimiter({ atOnce: 2, waitMs: 20 })
  const first = await answers.acquire(1)

  await expect(answers.acquire(1)).rejects.toMatchObject({ code: 'ErrTooManyRequests' })
  const second = await answers.acquire(2)
  await expect(answers.acquire(3)).rejects.toMatchObject({ code: 'ErrTooManyRequests' })

  first[Symbol.dispose]()
  second[Symbol.dispose]()
  const third = await answers.acquire(1)
  third[Symbol.dispose]()
})

test('a directory whose listing would be too long is refused', async ({ inside }) => {
  for (const name of ['a', 'b', 'c']) writeFileSync(join(inside, name), '')
  await using files = await RootFs.open(inside)
  const list = (maxBytes: number) =>
    handleFileMessage({ type: 'file', action: 'get', path: '/' }, files, maxBytes).then(
      ({ files, error }) => error ?? files,
    )

  expect(await list(1_000)).toHaveLength(3)
  expect(await list(100)).toBe('The folder has too many entries for a live socket')
})
