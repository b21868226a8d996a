import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { openDescriptors, test } from '../../testing/test-directory.ts'
import { parsePath } from '../path/safe-path.ts'
import { writeAll } from '../write/write-all.ts'

test('parts are written one after the other, and attributes are set', async ({ fixture: { files, inside } }) => {
  const before = openDescriptors()
  const file = await files.open(parsePath('a'), 'update')
  const [one, two] = [Buffer.alloc(3), Buffer.alloc(10)]

  await writeAll(file, [], 0)
  await writeAll(file, [Buffer.from('one '), Buffer.from('two')], 0)
  await writeAll(file, [Buffer.alloc(40_000, 'x')], 7)
  const { bytesRead } = await file.readv([one, two], 0)
  await files.setStat(file, { mode: 0o640, modified: new Date(5_000) })
  const { mtimeMs } = lstatSync(join(inside, 'a'))
  await files.setStat(file, { size: 12 })
  await file.close()

  expect([bytesRead, `${one}${two}`]).toEqual([13, 'one twoxxxxxx'])
  expect(mtimeMs).toBe(5_000)
  expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('one twoxxxxx')
  expect(lstatSync(join(inside, 'a')).mode & 0o777).toBe(0o640)
  expect(openDescriptors()).toBe(before)
})

describe('an opened file', () => {
  test('may be behind a link that stays inside, and no other', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'real'), 'content')
    symlinkSync('real', join(inside, 'link'))
    symlinkSync('../secret.txt', join(inside, 'out'))
    const read = async (name: string) => {
      await using file = await files.open(parsePath(name), 'read')
      return await file.readFile('utf8')
    }

    expect(await read('link')).toBe('content')
    expect(await files.stat(parsePath('link'))).toMatchObject({ kind: 'file', size: 7 })
    expect(await files.lstat(parsePath('link'))).toMatchObject({ kind: 'link' })
    expect(await files.stat(parsePath('nothing'))).toBeUndefined()
    await expect(read('out')).rejects.toMatchObject({ code: 'ErrIllegalFileAccess' })
    await expect(read('missing')).rejects.toMatchObject({ code: 'ErrFileNotFound' })
    await expect(read('/')).rejects.toMatchObject({ code: 'ErrNotAFile' })
  })

  test('leaks no descriptor when it cannot be opened, and is truncated on request', async ({
    fixture: { files, inside },
  }) => {
    writeFileSync(join(inside, 'old'), 'x'.repeat(100))
    const before = openDescriptors()

    const folder = files.open(parsePath(''), 'read')
    await expect(folder).rejects.toMatchObject({ code: 'ErrNotAFile' })
    const file = await files.open(parsePath('old'), { write: true, create: true, truncate: true })
    await file.close()
    const again = () => files.open(parsePath('old'), { write: true, create: true, exclusive: true })

    await expect(again()).rejects.toMatchObject({ code: 'ErrFileExists' })
    expect(lstatSync(join(inside, 'old')).size).toBe(0)
    expect(openDescriptors()).toBe(before)
  })

  test('is created where it belongs, or not at all', async ({ fixture: { files, inside, outside } }) => {
    mkdirSync(join(inside, 'below'))
    symlinkSync('../../new', join(inside, 'below/out'))
    const before = openDescriptors()
    const make = async (name: string) => {
      const opening = { write: true, create: true, truncate: true }
      await using file = await files.open(parsePath(name), opening)
      await file.write(name, 0)
    }

    await make('below/new')
    await make('below/new')

    expect(readFileSync(join(inside, 'below/new'), 'utf8')).toBe('below/new')
    await expect(make('below/out')).rejects.toMatchObject({ code: 'ErrIllegalFileAccess' })
    await expect(make('missing/new')).rejects.toMatchObject({ code: 'ErrFileNotFound' })
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(openDescriptors()).toBe(before)
  })
})
