import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { openDescriptors, readRefusal, test } from '../../testing/test-directory.ts'
import { parsePath } from '../path/safe-path.ts'
import { RootFs } from '../root.ts'

const path = parsePath('a.txt')

async function save(files: RootFs, text: string, options: Parameters<RootFs['draft']>[1] = {}) {
  await using draft = await files.draft(path, options)
  await draft.write(Buffer.from(text))
  return await draft.commit()
}

test('chunks of every size arrive in order, and their memory may be reused immediately', async ({
  fixture: { files, inside },
}) => {
  const sent = createHash('sha256')
  const chunk = Buffer.alloc(3_000_000)
  let size = 0
  {
    await using draft = await files.draft(path)
    for (const length of [1, 0, 70_000, 3_000_000, 65_536, 1_048_576, 524_288, 17, 2_000_001]) {
      const part = chunk.subarray(0, length)
      randomBytes(length).copy(part)
      sent.update(part)
      size += length
      await draft.write(part)
      part.fill(0)
      expect(draft.size).toBe(size)
    }
    expect(readdirSync(inside)).not.toContain('a.txt')
    await draft.commit()
  }

  expect(
    createHash('sha256')
      .update(readFileSync(join(inside, 'a.txt')))
      .digest('hex'),
  ).toBe(sent.digest('hex'))
  expect(readdirSync(inside)).toEqual(['a.txt'])
})

test('a discarded draft leaves neither a file nor a descriptor', async ({ fixture: { files, inside } }) => {
  writeFileSync(join(inside, 'a.txt'), 'old')
  const before = openDescriptors()
  {
    await using draft = await files.draft(path)
    await draft.write(Buffer.alloc(5_000_000))
  }
  await expect(readRefusal(files.draft(path, { onConflict: 'refuse' }))).resolves.toBe('ErrFileExists')
  await expect(readRefusal(files.draft(path, { ifVersion: 'other' }))).resolves.toBe('ErrStaleVersion')

  expect(readdirSync(inside)).toEqual(['a.txt'])
  expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('old')
  expect(openDescriptors()).toBe(before)
})

test("commit returns the file's later stats", async ({ fixture: { files } }) => {
  const fresh = await save(files, 'one', { onConflict: 'refuse' })
  const seen = await files.stat(path)
  const again = await save(files, 'two', { ifVersion: fresh.version })

  expect(seen).toEqual(fresh)
  expect(fresh).toMatchObject({ name: 'a.txt', kind: 'file', size: 3, mode: 0o644, isReachable: true })
  expect((await files.stat(path))?.version).toBe(again.version)
})

test('a file that appeared meanwhile is not replaced by a draft that must be new', async ({
  fixture: { files, inside },
}) => {
  await using draft = await files.draft(path, { onConflict: 'refuse' })
  await draft.write(Buffer.from('mine'))
  writeFileSync(join(inside, 'a.txt'), 'theirs')

  expect(await readRefusal(draft.commit())).toBe('ErrFileExists')
  await draft[Symbol.asyncDispose]()

  expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('theirs')
  expect(readdirSync(inside)).toEqual(['a.txt'])
})

test('of concurrent saves of one version exactly one succeeds, through any root', async ({
  fixture: { files, inside },
}) => {
  await using other = await RootFs.open(inside)
  for (let round = 0; round < 20; round++) {
    const { version } = await save(files, 'begin')
    const names = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff']
    const saves = names.map((text, at) => readRefusal(save(at % 2 ? files : other, text, { ifVersion: version })))
    const answers = await Promise.all(saves)

    expect(answers.toSorted()).toEqual([...Array(5).fill('ErrStaleVersion'), 'no refusal'])
    expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe(names[answers.indexOf('no refusal')])
  }
})

test('of concurrent new files of one name exactly one succeeds', async ({ fixture: { files, inside } }) => {
  const names = ['aa', 'bb', 'cc', 'dd']
  const answers = await Promise.all(names.map((text) => readRefusal(save(files, text, { onConflict: 'refuse' }))))

  expect(answers.filter((answer) => answer === 'no refusal')).toHaveLength(1)
  expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe(names[answers.indexOf('no refusal')])
  expect(readdirSync(inside)).toEqual(['a.txt'])
})

test('a save over a version that no longer exists is stale', async ({ fixture: { files, inside } }) => {
  const { version } = await save(files, 'one')
  await files.removeTree(path)

  expect(await readRefusal(save(files, 'two', { ifVersion: version }))).toBe('ErrStaleVersion')
  expect(readdirSync(inside)).toEqual([])
})

test('no two versions are equal, however fast they follow each other at the same size', async ({
  fixture: { files, inside },
}) => {
  const versions = new Set<string>()
  for (let round = 0; round < 200; round++) {
    versions.add((await save(files, String(round % 10))).version)
    // The game writes to the same file in the same millisecond.
    writeFileSync(join(inside, 'a.txt'), 'x', { flag: 'r+' })
    versions.add((await files.stat(path))?.version ?? '')
  }

  expect(versions.size).toBe(400)
})

test('a requested mode or time is set, without setuid', async ({ fixture: { files, inside } }) => {
  const modified = new Date('2020-01-02T03:04:05Z')
  await save(files, 'one', { mode: 0o6751, modified })
  const first = statSync(join(inside, 'a.txt'))
  chmodSync(join(inside, 'a.txt'), 0o4711)
  await save(files, 'two')

  expect(first.mode & 0o7777).toBe(0o751)
  expect(first.mtime).toEqual(modified)
  expect(statSync(join(inside, 'a.txt')).mode & 0o7777).toBe(0o711)
})

test('a link inside is written through, and stays a link', async ({ fixture: { files, inside } }) => {
  mkdirSync(join(inside, 'real'))
  symlinkSync('real/a.txt', join(inside, 'a.txt'))

  await save(files, 'through')

  expect(readFileSync(join(inside, 'real/a.txt'), 'utf8')).toBe('through')
  expect(readdirSync(join(inside, 'real'))).toEqual(['a.txt'])
  expect(readdirSync(inside).toSorted()).toEqual(['a.txt', 'real'])
})

test('a name of 255 bytes is allowed, and a directory in place of the file is reported', async ({
  fixture: { files, inside },
}) => {
  mkdirSync(join(inside, 'a.txt'))
  const long = parsePath(`${'ü'.repeat(127)}x`)

  await files.writeFile(long, 'long')

  expect((await files.readFile(long, 10)).toString()).toBe('long')
  expect(await readRefusal(save(files, 'x'))).toBe('ErrNotAFile')
})

test('a hard link to a file of another user is replaced, never written to', async ({
  fixture: { files, inside, outside },
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('only root can create a file of another user')
  execFileSync('chown', ['12345', join(outside, 'secret.txt')])
  execFileSync('ln', [join(outside, 'secret.txt'), join(inside, 'a.txt')])

  await save(files, 'mine')
  execFileSync('ln', [join(outside, 'secret.txt'), join(inside, 'b.txt')])
  const answers = [
    await readRefusal(files.open(parsePath('b.txt'), { write: true, truncate: true })),
    await readRefusal(files.setStat(parsePath('b.txt'), { mode: 0o777 })),
    await readRefusal(files.setStat(parsePath('b.txt'), { size: 0 })),
    await readRefusal(files.copyTree(parsePath('b.txt'), parsePath('c.txt'), { onConflict: 'refuse' })),
  ]

  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside')
  expect(answers).toEqual(Array(4).fill('ErrIllegalFileAccess'))
})
