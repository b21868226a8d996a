import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { describe, expect } from 'vitest'
import { parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import { type ArchiveFixture, deps, test } from '../../testing/archive-fixture.ts'
import { findArchiveKind, packArchive } from '../archives.ts'
import { type ArchivePiece, blockBytes } from './archive-pieces.ts'
import { looksCompressed } from './looks-compressed.ts'
import { packZip } from './zip-writer.ts'

const noise = randomBytes
const prose = (length: number) =>
  Buffer.from('the quick brown fox jumps over a lazy dog. '.repeat(length / 40)).subarray(0, length)

const unusualNames = [
  'ümläut ß.txt',
  '日本語.txt',
  '🎲 dice.txt',
  'with "quotes" and \'these\'.txt',
  ' leading and trailing ',
  '-rf',
  'a\\b.txt',
  'C:colon',
  'semi;colon&and|pipe$(x)`y`',
  '*?.txt',
  `${'long-'.repeat(40)}.txt`,
  '.hidden',
  'e\u0301.txt',
]
const zipNames = unusualNames.filter((name) => !name.includes('\\'))

describe('a zip created here', () => {
  const readers: [program: string, ...args: string[]][] = [
    ['unzip', '-tq'],
    ['7z', 't', '-y'],
    ['bsdtar', '-tf'],
    ['python3', '-m', 'zipfile', '-t'],
  ]

  test.for(readers)('is valid according to %s', async ([program, ...args], { fixture }) => {
    deps(program)
    fixture.put('world/small.txt', 'small')
    fixture.put('world/empty.txt', '')
    fixture.put('world/large text.txt', prose(3 * blockBytes + 17))
    fixture.put('world/large noise.bin', noise(2 * blockBytes))
    fixture.put('world/one block.txt', prose(blockBytes))
    fixture.put('world/one block and a byte.txt', prose(blockBytes + 1))
    mkdirSync(join(fixture.inside, 'world/empty folder'))
    for (const name of zipNames) fixture.put(`world/names/${name}`, name)

    await fixture.pack('a.zip', 'world')

    expect(() => fixture.run(program, ...args, 'a.zip')).not.toThrow()
  })

  test('has exactly the packed files according to unzip', async ({ fixture }) => {
    deps('unzip')
    fixture.put('world/large text.txt', prose(5 * blockBytes + 1))
    fixture.put('world/mixed.bin', Buffer.concat([noise(blockBytes), prose(blockBytes), noise(99)]))
    mkdirSync(join(fixture.inside, 'world/empty folder'))
    for (const name of zipNames) fixture.put(`world/names/${name}`, name)
    chmodSync(fixture.put('world/run.sh', '#!/bin/sh'), 0o755)
    utimesSync(join(fixture.inside, 'world/run.sh'), 1_500_000_000, 1_500_000_000)

    await fixture.pack('a.zip', 'world')

    fixture.run('unzip', '-q', 'a.zip', '-d', 'theirs')
    expect(() => fixture.run('diff', '-r', 'world', 'theirs/world')).not.toThrow()
    const { mode, mtimeMs } = statSync(join(fixture.inside, 'theirs/world/run.sh'))
    expect([mode & 0o777, mtimeMs]).toEqual([0o755, 1_500_000_000_000])
  })

  test('stores incompressible files and deflates the rest', async ({ fixture }) => {
    fixture.put('prose', prose(4 * blockBytes))
    fixture.put('noise', noise(4 * blockBytes))

    await fixture.pack('prose.zip', 'prose')
    await fixture.pack('noise.zip', 'noise')

    expect(statSync(join(fixture.inside, 'prose.zip')).size).toBeLessThan(blockBytes / 4)
    expect(statSync(join(fixture.inside, 'noise.zip')).size).toBeLessThan(4 * blockBytes * 1.001 + 500)
  })

  test('has no names with a backslash, which its format does not allow, and reports them', async ({ fixture }) => {
    fixture.put('world/a.txt', 'a')
    fixture.put('world/b\\c.txt', 'small')
    fixture.put('world/d\\e.bin', noise(3 * blockBytes))
    fixture.put('world/f\\g/h.txt', 'h')

    const progress = await fixture.pack('a.zip', 'world')
    await fixture.unpack('a.zip')

    expect(progress.skipped.toSorted()).toEqual(['world/b\\c.txt', 'world/d\\e.bin', 'world/f\\g/', 'world/f\\g/h.txt'])
    expect(fixture.readTree('out')).toEqual({ 'world/': '', 'world/a.txt': 'a' })
  })

  test('has names that begin like a drive of Windows', async ({ fixture }) => {
    deps('unzip')
    fixture.put('c:colon.txt', 'c')
    fixture.put('D:/a.txt', 'a')

    const progress = await fixture.pack('a.zip', 'c:colon.txt', 'D:')
    await fixture.unpack('a.zip')
    fixture.run('unzip', '-q', 'a.zip', '-d', 'theirs')

    expect(progress.skipped).toEqual([])
    for (const folder of ['out', 'theirs']) {
      expect(fixture.readTree(folder)).toEqual({ 'c:colon.txt': 'c', 'D:/': '', 'D:/a.txt': 'a' })
    }
  })

  test('has the nearest time that fits', async ({ fixture }) => {
    const [first, last] = [0, 2 ** 31 - 1]
    const times = [-86_400, first, 1_500_000_001, last, 4_000_000_000]
    for (const time of times) {
      const date = new Date(time * 1000)
      utimesSync(fixture.put(`world/${time}`, ''), date, date)
    }

    await fixture.pack('a.zip', 'world')
    await fixture.unpack('a.zip')

    const seen = times.map((time) => statSync(join(fixture.inside, 'out/world', String(time))).mtimeMs / 1000)
    expect(seen).toEqual([first, first, 1_500_000_001, last, last])
  })

  test('has a limited number of entries', async ({ fixture }) => {
    await expect(readAll(packZip(await folders(fixture, 11), new Progress(), 10))).rejects.toThrow(
      new Refusal('ErrArchiveTooLarge', { limit: 'the number of entries' }),
    )
    expect(await readAll(packZip(await folders(fixture, 10), new Progress(), 10))).not.toHaveLength(0)
  })

  test('reads no further while nobody takes its bytes', async ({ fixture }) => {
    let requested = 0
    const item = { name: 'noise', info: await readInfo(fixture), open: noFile }
    const pieces = (async function* (): AsyncGenerator<ArchivePiece> {
      yield { type: 'file', item, bytes: noise(3 * blockBytes) }
      for await (const piece of await folders(fixture, 20_000)) {
        requested++
        yield piece
      }
    })()

    const bytes = packZip(pieces, new Progress())
    await bytes.next()
    for (let at = 0; at < 100; at++) await turn()

    expect(requested).toBeLessThan(1_000)
    await bytes.return(undefined)
  })
})

async function readAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of bytes) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const noFile = () => Promise.reject(new Error('it is not a file'))
const readInfo = async ({ files }: ArchiveFixture) => (await files.lstat(parsePath('/'))) ?? expect.fail()

async function folders(fixture: ArchiveFixture, count: number): Promise<AsyncGenerator<ArchivePiece>> {
  const info = await readInfo(fixture)
  return (async function* () {
    for (let at = 0; at < count; at++) yield { type: 'folder', item: { name: `${at}/`, info, open: noFile } }
  })()
}

describe.for(['zip', 'tar', 'tar.gz', 'tgz', 'tar.zst'])('an archive of kind %s', (ending) => {
  test('is extracted to the original files', async ({ fixture }) => {
    fixture.put('world/level.dat', noise(3 * blockBytes + 5))
    fixture.put('world/notes.txt', prose(blockBytes * 2))
    fixture.put('world/empty', '')
    mkdirSync(join(fixture.inside, 'world/empty folder'))
    const names = ending === 'zip' ? zipNames : unusualNames
    for (const name of names) fixture.put(`world/names/${name}`, name)
    chmodSync(fixture.put('world/run.sh', '#!/bin/sh'), 0o755)
    utimesSync(join(fixture.inside, 'world/run.sh'), 1_500_000_000, 1_500_000_000)
    utimesSync(join(fixture.inside, 'world/names'), 1_400_000_000, 1_400_000_000)

    const packed = await fixture.pack(`a.${ending}`, 'world')
    const unpacked = await fixture.unpack(`a.${ending}`)

    expect(() => fixture.run('diff', '-r', 'world', 'out/world')).not.toThrow()
    const { mode, mtimeMs } = statSync(join(fixture.inside, 'out/world/run.sh'))
    expect([mode & 0o777, mtimeMs]).toEqual([0o755, 1_500_000_000_000])
    expect(statSync(join(fixture.inside, 'out/world/names')).mtimeMs).toBe(1_400_000_000_000)
    expect(unpacked).toMatchObject({ entries: packed.entries, bytes: packed.bytes, skippedCount: 0 })
    expect(packed.entries).toBe(7 + names.length)
  })

  test('keeps links that stay inside, also dangling ones', async ({ fixture }) => {
    fixture.put('world/deep/a.txt', 'a')
    symlinkSync('deep/a.txt', join(fixture.inside, 'world/link'))
    symlinkSync('../../world', join(fixture.inside, 'world/deep/loop'))
    symlinkSync(`not/${'there'.repeat(30)}/é`, join(fixture.inside, 'world/dangling'))

    const packed = await fixture.pack(`a.${ending}`, 'world')
    const unpacked = await fixture.unpack(`a.${ending}`)

    const tree = {
      'world/': '',
      'world/dangling': `-> not/${'there'.repeat(30)}/é`,
      'world/deep/': '',
      'world/deep/a.txt': 'a',
      'world/deep/loop': '-> ../../world',
      'world/link': '-> deep/a.txt',
    }
    expect(fixture.readTree('out')).toEqual(tree)
    expect([packed, unpacked]).toMatchObject(Array(2).fill({ entries: 6, bytes: 1, skippedCount: 0 }))
    if (ending === 'zip') fixture.run('unzip', '-q', `a.${ending}`, '-d', 'tool')
    else fixture.run('sh', '-c', `mkdir tool && bsdtar -C tool -xf a.${ending}`)
    expect(fixture.readTree('tool')).toEqual(tree)
  })

  test('skips special files and links that lead out, and reports them', async ({ fixture }) => {
    fixture.put('world/a.txt', 'a')
    writeFileSync(join(fixture.outside, 'secret.txt'), 'secret')
    symlinkSync('../../secret.txt', join(fixture.inside, 'world/out'))
    symlinkSync('../..', join(fixture.inside, 'world/up'))
    symlinkSync(join(fixture.inside, 'world/a.txt'), join(fixture.inside, 'world/absolute'))
    execFileSync('mkfifo', [join(fixture.inside, 'world/pipe')])

    const progress = await fixture.pack(`a.${ending}`, 'world')
    await fixture.unpack(`a.${ending}`)

    expect(fixture.readTree('out')).toEqual({ 'world/': '', 'world/a.txt': 'a' })
    expect(progress.skipped.toSorted()).toEqual(['world/absolute', 'world/out', 'world/pipe', 'world/up'])
    expect(progress.skippedCount).toBe(4)
  })

  test('is valid although files change while it is created', async ({ fixture }) => {
    const shrinks = fixture.put('world/a-shrinks.bin', noise(20 * blockBytes))
    const grows = fixture.put('world/b-grows.bin', noise(20 * blockBytes))
    fixture.put('world/c-goes.txt', 'here')
    const parts: Uint8Array[] = []
    const order = { files: fixture.files, paths: [parsePath('world')], progress: new Progress() }
    const kind = findArchiveKind(`a.${ending}`) ?? expect.fail()

    await packArchive({
      ...order,
      kind,
      signal: new AbortController().signal,
      write: async (chunk) => {
        parts.push(Buffer.from(chunk))
        truncateSync(shrinks, 5 * blockBytes)
        truncateSync(grows, 30 * blockBytes)
      },
    })

    fixture.put(`whole.${ending}`, Buffer.concat(parts))
    await fixture.unpack(`whole.${ending}`)
    expect(readdirSync(join(fixture.inside, 'out/world'))).toContain('b-grows.bin')
    expect(statSync(join(fixture.inside, 'out/world/b-grows.bin')).size).toBeGreaterThanOrEqual(20 * blockBytes)
  })

  test('ends on abort, and writes nothing more', async ({ fixture }) => {
    fixture.put('world/level.dat', noise(40 * blockBytes))
    const giveUp = new AbortController()
    const enough = new Error('enough')
    let isWriting = false
    let taken = 0

    const packing = packArchive({
      files: fixture.files,
      paths: [parsePath('world')],
      kind: findArchiveKind(`a.${ending}`) ?? expect.fail(),
      progress: new Progress(),
      signal: giveUp.signal,
      write: async (chunk) => {
        expect(isWriting).toBe(false)
        isWriting = true
        await turn()
        taken += chunk.length
        if (taken > 4 * blockBytes) giveUp.abort(enough)
        isWriting = false
      },
    })

    await expect(packing).rejects.toBe(enough)
    expect(taken).toBeLessThan(8 * blockBytes)
  })
})

test.for(['tar', 'tar.gz', 'tar.zst'])('a .%s created here is readable by tar', async (ending, { fixture }) => {
  fixture.put('world/notes.txt', prose(blockBytes * 2))
  for (const name of unusualNames) fixture.put(`world/names/${name}`, name)
  fixture.put(`world/${'deep/'.repeat(60)}file`, 'deep')

  await fixture.pack(`a.${ending}`, 'world')

  mkdirSync(join(fixture.inside, 'theirs'))
  fixture.run('tar', '-xf', `a.${ending}`, '-C', 'theirs')
  expect(() => fixture.run('diff', '-r', 'world', 'theirs/world')).not.toThrow()
})

test('names in an archive are relative to the common parent directory', async ({ fixture }) => {
  fixture.put('a/b/one', '1')
  fixture.put('a/b/c/two', '2')
  fixture.put('a/d', '3')

  await fixture.pack('some.tar', 'a/b/one', 'a/d', 'a/b/one', 'a/b/c', 'a/b/c/two')
  await fixture.pack('all.tar', '/')

  expect(fixture.run('tar', '-tf', 'some.tar').split('\n').filter(Boolean)).toEqual(['b/one', 'd', 'b/c/', 'b/c/two'])
  expect(fixture.run('tar', '-tf', 'all.tar').split('\n')).toContain('a/b/c/two')
})

test('names that are not UTF-8, and temporary files, are not packed', async ({ fixture }) => {
  fixture.put('world/a.txt', 'a')
  fixture.put('world/.innkeeper-0a1b2c3d-00000000-0000-0000-0000-000000000000.tmp/b', 'b')
  mkdirSync(Buffer.concat([Buffer.from(join(fixture.inside, 'world/')), Buffer.from([0xff, 0xfe])]))
  writeFileSync(
    Buffer.concat([Buffer.from(join(fixture.inside, 'world/')), Buffer.from([0xff, 0xfe]), Buffer.from('/c')]),
    '',
  )

  const progress = await fixture.pack('a.zip', 'world')
  await fixture.unpack('a.zip')

  expect(fixture.readTree('out')).toEqual({ 'world/': '', 'world/a.txt': 'a' })
  expect(progress.skipped).toEqual(['world/\ufffd\ufffd'])
})

test('missing files cannot be packed, and some kinds can only be extracted', async ({ fixture }) => {
  fixture.put('a.txt', 'a')

  expect(await fixture.getRefusal(fixture.pack('a.zip', 'a.txt', 'missing'))).toBe('ErrFileNotFound: /missing')
  for (const name of ['a.7z', 'a.rar', 'a.tar.xz', 'a.tar.bz2', 'a.gz']) {
    expect(await fixture.getRefusal(fixture.pack(name, 'a.txt'))).toBe('ErrUnsupportedArchive')
  }
  expect(readdirSync(fixture.inside)).toEqual(['a.txt'])
})

test('compressed content is detected', () => {
  const packed = readFileSync(process.execPath).subarray(0, 64)

  expect(looksCompressed(packed)).toBe(false)
  expect(looksCompressed(prose(blockBytes))).toBe(false)
  expect(looksCompressed(noise(65_536))).toBe(true)
})
