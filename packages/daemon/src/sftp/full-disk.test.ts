import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import type { OpenMode } from 'ssh2'
import { expect } from 'vitest'
import { test, toPromise, toVoidPromise } from '../testing/sftp-host.ts'

/** Only root can mount a small disk to fill. */
const isRoot = process.getuid?.() === 0

test.runIf(isRoot)(
  'a full disk is reported, and writing works again after files were removed',
  async ({ host, user }) => {
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0755', 'tmpfs', host.inside()])
    expect(mount.status, String(mount.stderr)).toBe(0)
    try {
      await writeFile(host.inside('kept'), 'kept')
      await using session = await host.connect({ username: user })
      const files = await session.files()
      const write = (bytes: number) => toVoidPromise((done) => files.writeFile('/new', randomBytes(bytes), done))

      await expect(write(6_000_000)).rejects.toThrow('The disk of the node reported an error: the disk is full')

      expect(await readFile(host.inside('kept'), 'utf8')).toBe('kept')
      await toVoidPromise((done) => files.unlink('/new', done))
      await write(1_000_000)
      expect((await stat(host.inside('new'))).size).toBe(1_000_000)
    } finally {
      spawnSync('umount', ['-l', host.inside()])
    }
  },
)

test('changes in parts of a file count only what it grows', async ({ host, user }) => {
  const mebi = 1024 ** 2
  host.limitBytes = 4 * mebi
  host.diskLimit.measured(3 * mebi)
  await writeFile(host.inside('world'), Buffer.alloc(3 * mebi))
  await using session = await host.connect({ username: user })
  const files = await session.files()
  const open = (flags: OpenMode) => toPromise<Buffer>((done) => files.open('/world', flags, done))
  const part = Buffer.alloc(mebi / 2, 'x')
  const write = (handle: Buffer, at: number) =>
    toVoidPromise((done) => files.write(handle, part, 0, part.length, at, done))

  const handle = await open('r+')
  for (let at = 0; at < 3.5 * mebi; at += part.length) await write(handle, at)
  const used = host.diskLimit.space?.usedBytes
  const appending = await open('a')
  await write(appending, 0)

  expect(used).toBe(3.5 * mebi)
  await expect(write(appending, 0)).rejects.toThrow('of its 4 MiB of disk space')
  await expect(write(handle, 4 * mebi)).rejects.toThrow('of its 4 MiB of disk space')
  expect((await stat(host.inside('world'))).size).toBe(4 * mebi)
})

test('a write beyond the limit of the server is refused with the reason, and works again with a higher limit', async ({
  host,
  user,
}) => {
  host.limitBytes = 4 * 1024 ** 2
  host.diskLimit.measured(1024 ** 2)
  await writeFile(host.inside('kept'), 'kept')
  await using session = await host.connect({ username: user })
  const files = await session.files()
  const write = (bytes: number) => toVoidPromise((done) => files.writeFile('/new', randomBytes(bytes), done))

  await expect(write(6_000_000)).rejects.toThrow('of its 4 MiB of disk space')

  expect(await readFile(host.inside('kept'), 'utf8')).toBe('kept')
  host.limitBytes = 40 * 1024 ** 2
  await write(6_000_000)
  expect((await stat(host.inside('new'))).size).toBe(6_000_000)
})
