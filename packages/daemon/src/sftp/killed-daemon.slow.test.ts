import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as ssh2 from 'ssh2'
import { expect, test, vi } from 'vitest'
import { TestNode } from '../testing/daemon.ts'
import { openFlags } from './protocol/wire.ts'

const id = '0a0a0a0a'
const oldText = 'old line\n'.repeat(50_000)
const newText = 'new text\n'.repeat(50_000)
const half = Buffer.from(newText).subarray(0, 200_000)

test('a daemon that is killed during overwrites leaves the old or the new content, and nothing else', async () => {
  await using node = await TestNode.start({ apart: true, sftpPermissions: { [id]: ['sftpServer', 'putServerFiles'] } })
  await node.client.create(id, 'true')
  const inside = (name = '') => join(node.dataDir, 'servers', id, name)
  const names = ['closed', 'emptied', 'in place', 'replaced', 'ü-\u4e16']
  for (const name of names) writeFileSync(inside(name), oldText, { mode: 0o640 })
  const client = new ssh2.Client()
  client.on('error', () => {})
  client.connect({
    host: '127.0.0.1',
    port: node.sftpPort,
    username: `person1@example.org#${id}`,
    password: 'long enough',
  })
  await once(client, 'ready')
  const sftp = await promisify<ssh2.SFTPWrapper>(client.sftp.bind(client))()
  const open = (name: string, flags: ssh2.OpenMode | number) =>
    promisify<string, ssh2.OpenMode | number, Buffer>(sftp.open.bind(sftp))(name, flags)
  const write = async (handle: Buffer, bytes: Buffer) =>
    await promisify<Buffer, Buffer, number, number, number>(sftp.write.bind(sftp))(handle, bytes, 0, bytes.length, 0)

  const closed = await open('closed', 'w')
  for (let at = 0; at < newText.length; at += half.length) {
    const part = Buffer.from(newText).subarray(at, at + half.length)
    await promisify<Buffer, Buffer, number, number, number>(sftp.write.bind(sftp))(closed, part, 0, part.length, at)
  }
  await promisify<Buffer>(sftp.close.bind(sftp))(closed)
  for (const name of ['emptied', 'replaced', 'ü-\u4e16']) {
    const handle = await open(name, 'w')
    if (name !== 'emptied') await write(handle, half)
  }
  await write(await open('in place', openFlags.write | openFlags.create), half)
  const sizesBefore = names.map((name) => statSync(inside(name)).size)
  await node.kill()
  // As a game that saves meanwhile.
  writeFileSync(inside('game'), newText)
  renameSync(inside('game'), inside('replaced'))
  await node.start()

  expect(sizesBefore).toEqual([450_000, 0, 450_000, 200_000, 200_000])
  await vi.waitFor(() => expect(readdirSync(inside()).toSorted()).toEqual(names.toSorted()), 10_000)
  const getContent = (name: string) => {
    const text = readFileSync(inside(name), 'utf8')
    return text === oldText ? 'old' : text === newText ? 'new' : `${text.length} characters`
  }
  expect(Object.fromEntries(names.map((name) => [name, getContent(name)]))).toEqual({
    closed: 'new',
    emptied: 'old',
    'in place': 'old',
    replaced: 'new',
    'ü-\u4e16': 'old',
  })
  expect(statSync(inside('emptied')).mode & 0o777).toBe(0o640)
  // The trash has content of its own.
  expect(statSync(inside('emptied')).nlink).toBe(1)
})
