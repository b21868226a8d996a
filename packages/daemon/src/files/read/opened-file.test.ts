import { existsSync, lstatSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openDescriptors, test } from '../../testing/test-directory.ts'
import { DirHandle } from '../path/dir-handle.ts'
import { parsePath } from '../path/safe-path.ts'
import { OpenedFile } from './opened-file.ts'
import { SyncIoPolicy } from './sync-io-policy.ts'

/** Both variants: synchronous where the disk allows it, and always asynchronous. */
const paces = { 'at once': {}, 'by threads': { slowMs: -1, cooldownMs: Number.POSITIVE_INFINITY } }

for (const [how, times] of Object.entries(paces)) {
  test(`pieces are written, read and stat'ed, and times set ${how}`, async ({ fixture: { inside } }) => {
    await using folder = await DirHandle.open(inside)
    const syncIo = new SyncIoPolicy(folder, times)
    syncIo.runSync(() => undefined)
    const before = openDescriptors()
    const file = new OpenedFile(openSync(join(inside, 'a'), 'w+'), { size: 0n }, syncIo)
    const [one, two] = [Buffer.alloc(3), Buffer.alloc(10)]

    await file.write([Buffer.from('one '), Buffer.from('two')], 0)
    await file.write([Buffer.alloc(40_000, 'x')], 7)
    const got = await file.read([one, two], 0)
    await file.set({ mode: 0o640, modified: new Date(5_000) })
    await file.set({ size: 12 })
    const { size } = await file.stat()
    const past = await file.read([Buffer.alloc(5)], 12)
    await file.sync()
    await file.close()

    expect([got, `${one}${two}`]).toEqual([13, 'one twoxxxxxx'])
    expect([size, past]).toEqual([12n, 0])
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('one twoxxxxx')
    expect(lstatSync(join(inside, 'a')).mode & 0o777).toBe(0o640)
    expect(openDescriptors()).toBe(before)
  })
}

describe('a file opened for small pieces', () => {
  test('may be behind a link that stays inside, and no other', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'real'), 'content')
    symlinkSync('real', join(inside, 'link'))
    symlinkSync('../secret.txt', join(inside, 'out'))
    const read = async (name: string) => {
      await using file = await files.openForPieces(parsePath(name), { read: true })
      const place = Buffer.alloc(20)
      return place.toString('utf8', 0, await file.read([place], 0))
    }

    expect(await read('link')).toBe('content')
    expect(files.statMaybeSync(parsePath('link'), { followLast: true })).toBeInstanceOf(Promise)
    expect(await files.statMaybeSync(parsePath('link'), { followLast: true })).toMatchObject({ kind: 'file', size: 7 })
    expect(await files.statMaybeSync(parsePath('link'), { followLast: false })).toMatchObject({ kind: 'link' })
    expect(await files.statMaybeSync(parsePath('nothing'), { followLast: true })).toBeUndefined()
    await expect(read('out')).rejects.toMatchObject({ code: 'ErrIllegalFileAccess' })
    await expect(read('missing')).rejects.toMatchObject({ code: 'ErrFileNotFound' })
    await expect(read('/')).rejects.toMatchObject({ code: 'ErrNotAFile' })
  })

  test('leaks no descriptor when it cannot be opened, and is truncated on request', async ({
    fixture: { files, inside },
  }) => {
    writeFileSync(join(inside, 'old'), 'x'.repeat(100))
    const before = openDescriptors()

    const folder = (async () => await files.openForPieces(parsePath(''), { read: true }))()
    await expect(folder).rejects.toMatchObject({ code: 'ErrNotAFile' })
    const file = await files.openForPieces(parsePath('old'), { write: true, create: true, truncate: true })
    await file.close()
    const again = async () =>
      await files.openForPieces(parsePath('old'), { write: true, create: true, exclusive: true })

    await expect(again()).rejects.toMatchObject({ code: 'ErrFileExists' })
    expect(lstatSync(join(inside, 'old')).size).toBe(0)
    expect(openDescriptors()).toBe(before)
  })

  test('is always created asynchronously', async ({ fixture: { files, inside, outside } }) => {
    mkdirSync(join(inside, 'below'))
    symlinkSync('../../new', join(inside, 'below/out'))
    const before = openDescriptors()
    const make = async (name: string) => {
      const opening = { write: true, create: true, truncate: true }
      const opened = files.openForPieces(parsePath(name), opening)
      expect(opened).toBeInstanceOf(Promise)
      await using file = await opened
      await file.write([Buffer.from(name)], 0)
    }

    await make('below/new')
    await make('below/new')

    expect(readFileSync(join(inside, 'below/new'), 'utf8')).toBe('below/new')
    await expect(make('below/out')).rejects.toMatchObject({ code: 'ErrIllegalFileAccess' })
    await expect(make('missing/new')).rejects.toMatchObject({ code: 'ErrFileNotFound' })
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(openDescriptors()).toBe(before)
  })

  test('is closed by its FileHandle when it has one', async ({ fixture: { inside } }) => {
    writeFileSync(join(inside, 'a'), 'a')
    const handle = await open(join(inside, 'a'))
    await using folder = await DirHandle.open(inside)
    const file = new OpenedFile(handle.fd, { size: 1n }, new SyncIoPolicy(folder), handle)

    await file.close()

    expect(handle.fd).toBe(-1)
  })
})
