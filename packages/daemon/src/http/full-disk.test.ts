import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as calls from '@innkeeper/contract/servers/files'
import { expect, vi } from 'vitest'
import { test } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const on = { params: { id } }
const mebi = 1024 * 1024

test('a full disk is reported by every endpoint, the old content stays, and free space fixes it', async ({
  node,
  skip,
}) => {
  const { client, dataDir } = node
  await client.create(id, 'true')
  const inside = join(dataDir, 'servers', id)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0755', 'tmpfs', inside])
  skip(mounted.status !== 0, 'only root may mount a small disk')
  try {
    writeFileSync(join(inside, 'a'), 'old')
    writeFileSync(join(inside, 'filler'), Buffer.alloc(3 * mebi))
    const large = Buffer.alloc(2 * mebi, 'x')
    const full = { status: 507, body: { error: { code: 'ErrDisk', metadata: { reason: 'the disk is full' } } } }
    const encoded = (text: string) => Buffer.from(text).toString('base64')

    const written = await client.send(calls.putFile, { params: { id, path: 'a' }, body: large })
    const uploaded = await client.send(calls.createUpload, {
      ...on,
      headers: {
        'upload-length': String(large.length),
        'upload-metadata': `path ${encoded('b')}`,
        'content-type': 'application/offset+octet-stream',
      },
      body: large,
    })
    const copy = { kind: 'copy', paths: ['filler'], destination: '', existing: 'keepBoth' }
    const { body: job } = await client.send(calls.startFileJob, { ...on, body: copy })
    const copied = await vi.waitUntil(async () => {
      const { body } = await client.send(calls.getFileJobs, on)
      return body.find((one: calls.FileJob) => one.id === job.id && one.state !== 'running')
    })

    expect([written, uploaded]).toMatchObject([full, full])
    expect(copied).toMatchObject({ state: 'failed', error: { code: 'ErrDisk' } })
    expect(readdirSync(inside).sort()).toEqual(['a', 'filler'])
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('old')

    unlinkSync(join(inside, 'filler'))
    expect((await client.send(calls.putFile, { params: { id, path: 'a' }, body: large })).status).toBe(204)
    // The upload was kept: a later request places the file.
    unlinkSync(join(inside, 'a'))
    const [{ id: upload }] = (await client.send(calls.getUploads, on)).body
    expect((await client.send(calls.getUploadOffset, { params: { id, upload } })).status).toBe(200)
    expect(readdirSync(inside)).toEqual(['b'])
  } finally {
    spawnSync('umount', ['-l', inside])
  }
})
