import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as calls from '@innkeeper/contract/files'
import { expect, vi } from 'vitest'
import { test } from '../testing/node-test.ts'

const program = fileURLToPath(new URL('../testing/programs/faulty-disk.py', import.meta.url))
const id = '0b0b0b0b'
const at = (path: string) => ({ params: { id, path } })

/** A file system of its own whose operations fail on request. */
class FaultyDisk implements AsyncDisposable {
  readonly #around = mkdtempSync(join(tmpdir(), 'innkeeper-disk-'))
  readonly content = join(this.#around, 'content')
  readonly #place: string
  readonly #child: ChildProcess

  private constructor(place: string) {
    this.#place = place
    mkdirSync(this.content)
    this.#child = spawn('/usr/bin/python3', [program, this.content, place], { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  static async at(place: string): Promise<FaultyDisk> {
    const disk = new FaultyDisk(place)
    await vi.waitFor(() => expect(readFileSync('/proc/self/mounts', 'utf8')).toContain(` ${place} fuse`), {
      timeout: 10_000,
    })
    return disk
  }

  /** These system calls fail from now on. */
  fail(told: string): void {
    if (told === '') rmSync(`${this.content}.fault`, { force: true })
    else writeFileSync(`${this.content}.fault`, told)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    spawnSync('fusermount3', ['-u', '-z', this.#place])
    await ended
    rmSync(this.#around, { recursive: true, force: true })
  }
}

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
