import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/servers/files'
import { expect } from 'vitest'
import { FaultyDisk } from '../testing/faulty-disk.ts'
import { test } from '../testing/node-test.ts'

const id = '0b0b0b0b'
const at = (path: string) => ({ params: { id, path } })

test('an exceeded quota and a failing disk are reported, the old content stays, and everything works afterwards', async ({
  node: { client, dataDir },
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'only root may give a disk to other users')
  await client.create(id, 'true')
  await using disk = await FaultyDisk.at(join(dataDir, 'servers', id))
  const old = Buffer.from('old')
  expect((await client.send(calls.putFile, { ...at('a'), body: old })).status).toBe(204)

  const large = Buffer.alloc(3 * 1024 * 1024, 'x')
  const told: Record<string, unknown> = {}
  for (const fault of ['write=EDQUOT', 'create=EDQUOT', 'write=EIO', 'fsync=EIO', 'rename=EIO']) {
    disk.fail(fault)
    const { status, body } = await client.send(calls.putFile, { ...at('a'), body: large })
    told[fault] = [status, body?.error?.code, body?.error?.metadata?.reason]
    disk.fail('')
  }

  const quota = [507, 'ErrDisk', 'the disk quota is exceeded']
  const failing = [507, 'ErrDisk', 'the disk reports an I/O error']
  expect(told).toEqual({
    'write=EDQUOT': quota,
    'create=EDQUOT': quota,
    'write=EIO': failing,
    'fsync=EIO': failing,
    'rename=EIO': failing,
  })
  expect(readdirSync(disk.content)).toEqual(['a'])
  expect(readFileSync(join(disk.content, 'a'), 'utf8')).toBe('old')

  disk.fail('read=EIO')
  const read = await client.send(calls.getFile, at('a')).catch((error: unknown) => error)
  expect(read).not.toMatchObject({ status: 200, body: 'old' })
  disk.fail('')
  expect((await client.send(calls.putFile, { ...at('a'), body: large })).status).toBe(204)
  expect(readFileSync(join(disk.content, 'a')).equals(large)).toBe(true)
})
