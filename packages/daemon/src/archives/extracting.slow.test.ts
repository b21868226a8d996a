import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { Progress } from '../files/tree/progress.ts'
import { rar4Bytes, rar5Bytes, zipBytes } from '../testing/archive-bytes.ts'
import { type ArchiveFixture, deps, test } from '../testing/archive-fixture.ts'
import { findArchiveKind } from './archives.ts'
import { nameWithoutExtension } from './formats/archive-kinds.ts'

/** Archives created by other tools. */
function furnish(fixture: ArchiveFixture): void {
  fixture.put('src/a.txt', 'hello')
  fixture.put('src/deep/er/ümläut 日本.txt', 'names')
  fixture.put('src/empty', '')
  fixture.put('src/noise.bin', randomBytes(3_000_000))
  fixture.put('src/prose.txt', 'all work and no play makes jack a dull boy\n'.repeat(60_000))
  mkdirSync(join(fixture.inside, 'src/empty folder'))
  chmodSync(fixture.put('src/run.sh', '#!/bin/sh'), 0o4755)
  for (const name of ['a.txt', 'run.sh', 'empty folder']) {
    utimesSync(join(fixture.inside, 'src', name), 1_500_000_000, 1_500_000_000)
  }
}

const makers: [name: string, tool: string, line: string][] = [
  ['a.zip', 'zip', 'zip -qr a.zip src'],
  ['a.jar', 'zip', 'zip -qr a.jar src'],
  ['stored.zip', 'zip', 'zip -qr0 stored.zip src'],
  ['piped.zip', 'zip', 'zip -qr - src | cat > piped.zip'],
  ['lzma.zipx', '7z', '7z a -tzip -mm=LZMA lzma.zipx src'],
  ['bzip2.zipx', '7z', '7z a -tzip -mm=BZip2 bzip2.zipx src'],
  ['ppmd.zipx', '7z', '7z a -tzip -mm=PPMd ppmd.zipx src'],
  ['deflate64.zip', '7z', '7z a -tzip -mm=Deflate64 deflate64.zip src'],
  ['a.7z', '7z', '7z a a.7z src'],
  ['solid.7z', '7z', '7z a -ms=on -mx=9 solid.7z src'],
  ['a.tar', 'tar', 'tar -cf a.tar src'],
  ['pax.tar', 'tar', 'tar --format=pax -cf pax.tar src'],
  ['v7.tar', 'tar', 'tar --format=v7 -cf v7.tar src'],
  ['ustar.tar', 'bsdtar', 'bsdtar --format=ustar -cf ustar.tar src'],
  ['a.tar.gz', 'gzip', 'tar -czf a.tar.gz src'],
  ['a.tgz', 'gzip', 'tar -czf a.tgz src'],
  ['a.tar.bz2', 'bzip2', 'tar -cjf a.tar.bz2 src'],
  ['a.tbz2', 'bzip2', 'tar -cjf a.tbz2 src'],
  ['a.tar.xz', 'xz', 'tar -cJf a.tar.xz src'],
  ['a.txz', 'xz', 'tar -cJf a.txz src'],
  ['a.tar.lzma', 'xz', 'tar -c src | xz --format=lzma > a.tar.lzma'],
  ['a.tar.lz', 'lzip', 'tar -c src | lzip > a.tar.lz'],
  ['a.tar.zst', 'zstd', 'tar -c src | zstd -q > a.tar.zst'],
  ['parts.tar.zst', 'zstd', 'tar -c src | split -b 1500000 --filter="zstd -q" > parts.tar.zst'],
]

describe.for(makers)('%s made by %s', ([name, tool, line]) => {
  test('is extracted unchanged, without setuid', async ({ fixture }) => {
    deps(tool)
    furnish(fixture)
    fixture.run('sh', '-c', line)

    const progress = await fixture.unpack(name)

    expect(() => fixture.run('diff', '-r', 'src', 'out/src')).not.toThrow()
    const { mode, mtimeMs } = statSync(join(fixture.inside, 'out/src/run.sh'))
    expect([mode & 0o7777, Math.floor(mtimeMs / 1000)]).toEqual([0o755, 1_500_000_000])
    expect(Math.floor(statSync(join(fixture.inside, 'out/src/empty folder')).mtimeMs / 1000)).toBe(1_500_000_000)
    expect(progress).toMatchObject({ entries: 10, skippedCount: 0 })
    expect(progress.bytes).toBe(3_000_000 + 60_000 * 43 + 5 + 5 + 9)
    expect(fixture.run('find', '.', '-name', '.innkeeper-*')).toBe('')
  })
})

const singles: [name: string, tool: string, line: string][] = [
  ['notes.txt.gz', 'gzip', 'gzip -c notes.txt > notes.txt.gz'],
  ['notes.txt.GZ', 'gzip', 'gzip -c notes.txt > notes.txt.GZ'],
  ['notes.txt.bz2', 'bzip2', 'bzip2 -c notes.txt > notes.txt.bz2'],
  ['notes.txt.xz', 'xz', 'xz -c notes.txt > notes.txt.xz'],
  ['notes.txt.lzma', 'xz', 'xz --format=lzma -c notes.txt > notes.txt.lzma'],
  ['notes.txt.lz', 'lzip', 'lzip -c notes.txt > notes.txt.lz'],
  ['notes.txt.zst', 'zstd', 'zstd -qc notes.txt > notes.txt.zst'],
]

test.for(singles)('%s contains one file, named after the archive', async ([name, tool, line], { fixture }) => {
  deps(tool)
  fixture.put('notes.txt', 'all work and no play makes jack a dull boy\n'.repeat(50_000))
  fixture.run('sh', '-c', line)

  const progress = await fixture.unpack(name)

  expect(
    readFileSync(join(fixture.inside, 'out/notes.txt')).equals(readFileSync(join(fixture.inside, 'notes.txt'))),
  ).toBe(true)
  expect(progress).toMatchObject({ entries: 1, bytes: 43 * 50_000 })
})

test.for([
  ['gzip', 'two.gz'],
  ['bzip2', 'two.bz2'],
  ['xz', 'two.xz'],
  ['lzip', 'two.lz'],
  ['zstd', 'two.zst'],
] as const)('concatenated outputs of %s are extracted as one file', async ([tool, name], { fixture }) => {
  deps(tool)
  fixture.put('one', 'first ')
  fixture.put('other', 'second')
  fixture.run('sh', '-c', `(${tool} -c one; ${tool} -c other) > ${name}`)

  await fixture.unpack(name)

  expect(fixture.readTree('out')).toEqual({ two: 'first second' })
})

const rars = [
  ['old', rar4Bytes],
  ['new', rar5Bytes],
] as const

test.for(rars)('a .rar of the %s format is extracted unchanged', async ([, rarBytes], { fixture }) => {
  fixture.put(
    'a.rar',
    rarBytes([{ name: 'world/a.txt', data: 'one' }, { name: 'world/b.txt', data: 'two' }, { name: 'empty' }]),
  )

  await fixture.unpack('a.rar')

  expect(fixture.readTree('out')).toEqual({ empty: '', 'world/': '', 'world/a.txt': 'one', 'world/b.txt': 'two' })
})

test('names in legacy encodings are decoded', async ({ fixture }) => {
  const cp437 = Buffer.from([0x81, 0x2e, 0x74, 0x78, 0x74])
  fixture.put(
    'a.zip',
    zipBytes([
      { name: cp437, data: 'PC', host: 0, flags: 0 },
      { name: 'windows\\style\\a.txt', data: 'separators', host: 0 },
      { name: Buffer.from('ä.txt'), data: 'Unix without a mark', host: 3, flags: 0 },
      { name: './dot//b.txt', data: 'dots' },
    ]),
  )

  await fixture.unpack('a.zip')

  expect(fixture.readTree('out')).toEqual({
    'dot/': '',
    'dot/b.txt': 'dots',
    'windows/': '',
    'windows/style/': '',
    'windows/style/a.txt': 'separators',
    'ä.txt': 'Unix without a mark',
    'ü.txt': 'PC',
  })
})

test('the name determines the kind of archive', () => {
  const kinds = ['a.ZIP', 'a.b.tar.gz', 'a.tgz', 'x.sql.gz', 'a.jar', 'a.lz'].map((name) => findArchiveKind(name))

  expect(kinds).toEqual(['zip', 'tar.gz', 'tar.gz', 'gz', 'zip', 'lz'])
  expect(['a.txt', 'zip', '.zip', '.tar.gz', 'a.zip.part', ''].map((name) => findArchiveKind(name))).toEqual([
    undefined,
    undefined,
    undefined,
    'gz',
    undefined,
    undefined,
  ])
  expect(['x.sql.gz', 'a.TAR.GZ'].map(nameWithoutExtension)).toEqual(['x.sql', 'a'])
})

describe('existing files', () => {
  const twoFiles = zipBytes([
    { name: 'world/a.txt', data: 'new a' },
    { name: 'world/b.txt', data: 'new b' },
  ])

  test('are replaced on request, and the rest of a directory stays', async ({ fixture }) => {
    fixture.put('a.zip', twoFiles)
    fixture.put('out/world/a.txt', 'old a')
    fixture.put('out/world/c.txt', 'old c')

    await fixture.unpack('a.zip', { onConflict: 'replace' })

    expect(fixture.readTree('out')).toEqual({
      'world/': '',
      'world/a.txt': 'new a',
      'world/b.txt': 'new b',
      'world/c.txt': 'old c',
    })
  })

  test('are kept beside the new files on request', async ({ fixture }) => {
    fixture.put('a.zip', twoFiles)
    fixture.put('out/world/a.txt', 'old a')

    await fixture.unpack('a.zip', { onConflict: 'keepBoth' })

    expect(fixture.readTree('out')).toEqual({
      'world/': '',
      'world/a (2).txt': 'new a',
      'world/a.txt': 'old a',
      'world/b.txt': 'new b',
    })
  })

  test('are skipped on request, and reported', async ({ fixture }) => {
    fixture.put('a.zip', twoFiles)
    fixture.put('out/world/a.txt', 'old a')

    const progress = await fixture.unpack('a.zip', { onConflict: 'skip' })

    expect(fixture.readTree('out')).toEqual({ 'world/': '', 'world/a.txt': 'old a', 'world/b.txt': 'new b' })
    expect(progress.skipped).toEqual(['world/a.txt'])
    expect(progress.bytes).toBe('new b'.length)
  })

  test('cause a refusal of the whole archive on request', async ({ fixture }) => {
    fixture.put('a.zip', twoFiles)
    fixture.put('out/world/b.txt', 'old b')

    const unpacking = fixture.unpack('a.zip', { onConflict: 'refuse' })

    expect(await fixture.getRefusal(unpacking)).toBe('ErrFileExists: /out/world/b.txt')
    expect(fixture.readTree('out')).toEqual({ 'world/': '', 'world/b.txt': 'old b' })
  })

  test('stay when a directory has the name of a file or the other way round, and this is reported', async ({
    fixture,
  }) => {
    fixture.put(
      'a.zip',
      zipBytes([
        { name: 'one', data: '1' },
        { name: 'two/x', data: '2' },
        { name: 'three', data: '3' },
      ]),
    )
    fixture.put('out/one/inside', 'mine')
    fixture.put('out/two', 'mine')

    const progress = await fixture.unpack('a.zip', { onConflict: 'replace' })

    expect(fixture.readTree('out')).toEqual({ 'one/': '', 'one/inside': 'mine', three: '3', two: 'mine' })
    expect(progress.skipped.toSorted()).toEqual(['one', 'two'])
  })

  test('can be directories behind a link that stays inside', async ({ fixture }) => {
    fixture.put(
      'a.zip',
      zipBytes([
        { name: 'in/a.txt', data: 'a' },
        { name: 'out/b.txt', data: 'b' },
        { name: 'file', data: 'c' },
      ]),
    )
    fixture.put('target/old.txt', 'old')
    mkdirSync(join(fixture.inside, 'out'))
    symlinkSync('../target', join(fixture.inside, 'out/in'))
    symlinkSync(fixture.outside, join(fixture.inside, 'out/out'))
    symlinkSync('../target/old.txt', join(fixture.inside, 'out/file'))

    const progress = await fixture.unpack('a.zip', { onConflict: 'replace' })

    expect(fixture.readTree('target')).toEqual({ 'a.txt': 'a', 'old.txt': 'old' })
    expect(fixture.readTree('out')).toEqual({ file: 'c', in: '-> ../target', out: `-> ${fixture.outside}` })
    expect(progress.skipped).toEqual(['out'])
  })
})

test('small files are extracted during a large one', async ({ fixture }) => {
  const large = Buffer.concat(Array.from({ length: 40 }, (_, at) => Buffer.alloc(1_000_003, `${at} and so on, `)))
  const small = Array.from({ length: 300 }, (_, at) => ({ name: `small/${at}`, data: randomBytes(at * 50) }))
  fixture.put('a.zip', zipBytes([{ name: 'large', data: large }, ...small]))
  const progress = new Progress()
  let entries = 0
  const bytesWhenCounted: number[] = []
  Object.defineProperty(progress, 'entries', {
    get: () => entries,
    set: (count: number) => {
      entries = count
      bytesWhenCounted.push(progress.bytes)
    },
  })

  await fixture.unpack('a.zip', { progress })

  expect(bytesWhenCounted[0]).toBeLessThan(large.length)
  expect(entries).toBe(301)
  expect(readFileSync(join(fixture.inside, 'out/large')).equals(large)).toBe(true)
  for (const { name, data } of small) expect(readFileSync(join(fixture.inside, 'out', name)).equals(data)).toBe(true)
})

test('an archive can be extracted beside itself', async ({ fixture }) => {
  fixture.put('a.zip', zipBytes([{ name: 'a.txt', data: 'a' }]))

  await fixture.unpack('a.zip', { to: '.' })

  expect(Object.keys(fixture.readTree())).toEqual(['a.txt', 'a.zip'])
})

test('the destination must exist, and the file must be an archive', async ({ fixture }) => {
  fixture.put('a.zip', zipBytes([{ name: 'a.txt', data: 'a' }]))
  fixture.put('b.txt', 'b')
  fixture.run('mkdir', 'folder.zip')
  const files = fixture.files

  expect(await fixture.getRefusal(fixture.unpack('b.txt'))).toBe('ErrUnsupportedArchive')
  expect(await fixture.getRefusal(fixture.unpack('missing.zip'))).toBe('ErrFileNotFound: /missing.zip')
  expect(await fixture.getRefusal(fixture.unpack('folder.zip'))).toBe('ErrNotAFile: /folder.zip')
  renameSync(join(fixture.inside, 'out'), join(fixture.inside, 'gone'))
  expect(await files.exists(['out'] as never)).toBe(false)
})
