import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { Progress } from '../files/tree/progress.ts'
import { rar5Bytes, tarBytes, zipBytes } from '../testing/archive-bytes.ts'
import { type ArchiveFixture, deps, test } from '../testing/archive-fixture.ts'

/** Everything that must not change: the files beside the server's directory. */
const getOutside = (fixture: ArchiveFixture) => readdirSync(fixture.outside)

const escapes = [
  '../evil.txt',
  '../../evil.txt',
  'a/../../evil.txt',
  'a/../evil.txt',
  '/evil.txt',
  '/etc/evil.txt',
  '..\\evil.txt',
  'a\\..\\..\\evil.txt',
  'C:\\evil.txt',
  'C:/evil.txt',
  '\\\\host\\share\\evil.txt',
  'a\0b',
  'a\nb',
  '..',
  '.innkeeper-0a1b2c3d-00000000-0000-0000-0000-000000000000.tmp',
  'x'.repeat(300),
]

describe.for(['zip', 'tar'])('names in a %s that lead out, or that no file should have', (ending) => {
  test('are skipped and reported, and the others are extracted', async ({ fixture }) => {
    const names = ending === 'tar' ? escapes.filter((name) => !name.includes('\0') && name.length < 100) : escapes
    const parts = [...names.map((name) => ({ name, data: 'evil' })), { name: 'good.txt', data: 'good' }]
    const before = getOutside(fixture)
    fixture.put(`a.${ending}`, ending === 'zip' ? zipBytes(parts) : tarBytes(parts))

    const progress = await fixture.unpack(`a.${ending}`)

    expect(fixture.readTree('out')).toEqual({ 'good.txt': 'good' })
    expect(progress.skippedCount).toBe(names.length)
    expect(getOutside(fixture)).toEqual(before)
  })

  test('do not lead out when the name is not UTF-8 either', async ({ fixture }) => {
    const name = Buffer.from([0x2e, 0x2e, 0xff, 0x2f, 0x61])
    const parts = [{ name, data: 'evil' }]
    fixture.put(`a.${ending}`, ending === 'zip' ? zipBytes(parts) : tarBytes(parts))

    const progress = await fixture.unpack(`a.${ending}`)

    expect([fixture.readTree('out'), progress.skippedCount]).toEqual([{}, 1])
  })
})

describe('links and special files', () => {
  test('of a tar are skipped, and nothing is written through them', async ({ fixture }) => {
    writeFileSync(join(fixture.outside, 'secret.txt'), 'secret')
    fixture.put(
      'a.tar',
      tarBytes([
        { name: 'out', type: '2', target: '..' },
        { name: 'out/evil.txt', data: 'evil' },
        { name: 'abs', type: '2', target: fixture.outside },
        { name: 'abs/evil.txt', data: 'evil' },
        { name: 'hard', type: '1', target: '../../secret.txt' },
        { name: 'hard', data: 'evil' },
        { name: 'device', type: '3' },
        { name: 'block', type: '4' },
        { name: 'pipe', type: '6' },
        { name: 'strange', type: 'Z' },
      ]),
    )
    const before = getOutside(fixture)

    const progress = await fixture.unpack('a.tar')

    expect(fixture.readTree('out')).toEqual({
      'abs/': '',
      'abs/evil.txt': 'evil',
      hard: 'evil',
      'out/': '',
      'out/evil.txt': 'evil',
    })
    expect(progress.skipped).toEqual(['out', 'abs', 'hard', 'device', 'block', 'pipe', 'strange'])
    expect(getOutside(fixture)).toEqual(before)
    expect(readFileSync(join(fixture.outside, 'secret.txt'), 'utf8')).toBe('secret')
  })

  test.for(['zip', 'tar'])(
    'of a %s that lead out are left out and named, also as chains',
    async (ending, { fixture }) => {
      const links = [
        ['p/q/r/up', '../../..'],
        // By its letters it stays inside; the first link leads it out.
        ['chain', 'p/q/r/up/..'],
        ['deep/chain', '../p/q/r/up/../x'],
        ['missing', 'later/../..'],
        ['self', '..'],
        ['abs', fixture.inside],
        ['host', '/etc/passwd'],
        ['p/q/over', '../../../..'],
        ['fine', 'p/q/r'],
        ['p/dangling', '../not/there'],
      ] as const
      const parts = links.map(([name, target]) =>
        ending === 'zip' ? { name, data: target, mode: 0o120777 } : { name, type: '2', target },
      )
      fixture.put(`a.${ending}`, ending === 'zip' ? zipBytes(parts) : tarBytes(parts))
      const before = getOutside(fixture)

      const progress = await fixture.unpack(`a.${ending}`)

      expect(progress.skipped).toEqual(['chain', 'deep/chain', 'missing', 'self', 'abs', 'host', 'p/q/over'])
      expect(fixture.readTree('out')).toMatchObject({
        fine: '-> p/q/r',
        'p/dangling': '-> ../not/there',
        'p/q/r/up': '-> ../../..',
      })
      expect(getOutside(fixture)).toEqual(before)
    },
  )

  test('are left out where links of the server would lead them out', async ({ fixture }) => {
    mkdirSync(join(fixture.inside, 'out'))
    // From there, one step up is already outside of the server's directory.
    symlinkSync('..', join(fixture.inside, 'out/top'))
    symlinkSync(fixture.outside, join(fixture.inside, 'out/away'))
    const parts = [
      { name: 'top/up', type: '2', target: '../x' },
      { name: 'through', type: '2', target: 'away/x' },
      { name: 'top/good', type: '2', target: 'a' },
    ]
    fixture.put('a.tar', tarBytes(parts))

    const progress = await fixture.unpack('a.tar')

    expect(progress.skipped).toEqual(['top/up', 'through'])
    expect(readlinkSync(join(fixture.inside, 'good'))).toBe('a')
  })

  test.for(['replace', 'keepBoth', 'skip', 'refuse'] as const)(
    'with the name of an existing file obey the choice: %s',
    async (onConflict, { fixture }) => {
      fixture.put('out/name', 'old')
      fixture.put('a.tar', tarBytes([{ name: 'name', type: '2', target: 'other' }]))

      const unpacking = fixture.unpack('a.tar', { onConflict })
      const refusal = await fixture.getRefusal(unpacking)

      expect(refusal).toBe(onConflict === 'refuse' ? 'ErrFileExists: /out/name' : 'no refusal')
      expect(fixture.readTree('out')).toEqual({
        name: onConflict === 'replace' ? '-> other' : 'old',
        ...(onConflict === 'keepBoth' && { 'name (2)': '-> other' }),
      })
    },
  )

  test('hard links of a tar share the file that came before, and never one outside of the archive', async ({
    fixture,
  }) => {
    fixture.put('out/old', 'old')
    const parts = [
      { name: 'a/one', data: 'content' },
      { name: 'two', type: '1', target: 'a/one' },
      { name: 'b/three', type: '1', target: './a/one' },
      { name: 'old-one', type: '1', target: 'old' },
      { name: 'later', type: '1', target: 'four' },
      { name: 'four', data: '4' },
      { name: 'secret', type: '1', target: '/etc/passwd' },
      { name: 'up', type: '1', target: '../a.tar' },
      { name: 'folder', type: '1', target: 'a' },
      { name: 'a/one', type: '1', target: 'a/one' },
    ]
    fixture.put('a.tar', tarBytes(parts))

    const progress = await fixture.unpack('a.tar')

    expect(fixture.readTree('out')).toEqual({
      'a/': '',
      'a/one': 'content',
      'b/': '',
      'b/three': 'content',
      four: '4',
      old: 'old',
      two: 'content',
    })
    expect(progress.skipped).toEqual(['old-one', 'later', 'secret', 'up', 'folder', 'a/one'])
    const inodes = ['a/one', 'two', 'b/three'].map((name) => statSync(join(fixture.inside, 'out', name)).ino)
    expect(new Set(inodes).size).toBe(1)
  })

  test('of a zip are skipped', async ({ fixture }) => {
    fixture.put(
      'a.zip',
      zipBytes([
        { name: 'out', data: '..', mode: 0o120777 },
        { name: 'out/evil.txt', data: 'evil' },
        { name: 'device', mode: 0o020666 },
      ]),
    )

    const progress = await fixture.unpack('a.zip')

    expect(fixture.readTree('out')).toEqual({ 'out/': '', 'out/evil.txt': 'evil' })
    expect(progress.skipped).toEqual(['out', 'device'])
  })

  test('of a 7z are skipped, and later entries are intact', async ({ fixture }) => {
    deps('7z')
    fixture.run(
      'sh',
      '-c',
      'mkdir src && echo a > src/a && ln -s ../.. src/b && ln -s /etc/passwd src/c && echo d > src/d',
    )
    fixture.run('7z', 'a', '-snl', 'a.7z', './src/*')

    const progress = await fixture.unpack('a.7z')

    expect(fixture.readTree('out')).toEqual({ a: 'a\n', d: 'd\n' })
    expect(progress.skipped.toSorted()).toEqual(['b', 'c'])
  })

  test('of a rar are skipped, and later entries are intact', async ({ fixture }) => {
    const link = { name: 'b', link: 1, target: '../..' } as const
    fixture.put(
      'a.rar',
      rar5Bytes([{ name: 'a', data: 'a' }, link, { name: 'c', data: 'c' }, { name: '../d', data: 'd' }]),
    )

    const progress = await fixture.unpack('a.rar')

    expect(fixture.readTree('out')).toEqual({ a: 'a', c: 'c' })
    expect(progress.skipped).toEqual(['b', '../d'])
  })
})

describe('a repeated name', () => {
  test.for(['zip', 'tar'])('in a %s means the later file', async (ending, { fixture }) => {
    const parts = [
      { name: 'a.txt', data: 'first' },
      { name: 'b.txt', data: 'b' },
      { name: 'a.txt', data: 'second' },
    ]
    fixture.put(`a.${ending}`, ending === 'zip' ? zipBytes(parts) : tarBytes(parts))

    await fixture.unpack(`a.${ending}`, { onConflict: 'refuse' })

    expect(fixture.readTree('out')).toEqual({ 'a.txt': 'second', 'b.txt': 'b' })
  })

  test('means the later file, whichever is extracted faster', async ({ fixture }) => {
    const large = Buffer.alloc(5_000_000, 'large ')
    const parts = [
      { name: 'a', data: large },
      { name: 'a', data: 'small' },
      { name: 'b', data: 'small' },
      { name: 'b', data: large },
    ]
    fixture.put('a.zip', zipBytes(parts))

    await fixture.unpack('a.zip')

    expect(fixture.readTree('out')).toEqual({ a: 'small', b: large.toString('utf8', 0, 200) })
  })

  test.for(['zip', 'tar'])('for a file and a directory in a %s skips the later one', async (ending, { fixture }) => {
    const parts = [
      { name: 'a', data: 'file' },
      { name: 'a/b', data: 'below' },
      { name: 'c/d', data: 'below' },
      { name: 'c', data: 'file' },
    ]
    fixture.put(`a.${ending}`, ending === 'zip' ? zipBytes(parts) : tarBytes(parts))

    const progress = await fixture.unpack(`a.${ending}`)

    expect(fixture.readTree('out')).toEqual({ a: 'file', 'c/': '', 'c/d': 'below' })
    expect(progress.skipped.toSorted()).toEqual(['a/b', 'c'])
  })
})

describe('an archive with false information', () => {
  const text = 'all work and no play makes jack a dull boy\n'.repeat(2000)
  const lies: [what: string, part: Parameters<typeof zipBytes>[0][number], reason: RegExp][] = [
    ['a wrong checksum', { name: 'a', data: text, crc: 1 }, /checksum/],
    ['a wrong checksum of something large', { name: 'a', data: randomBytes(3_000_000), crc: 1 }, /checksum/],
    ['more content than declared', { name: 'a', data: text, size: 100 }, /larger/],
    ['less content than declared', { name: 'a', data: text, size: 200_000 }, /another size/],
    ['far less than declared', { name: 'a', data: text, size: 2_000_000_000 }, /another size/],
    [
      'more content than declared, and a lot',
      { name: 'a', data: Buffer.alloc(5_000_000), size: 2_000_000 },
      /another size/,
    ],
    ['stored content of another size', { name: 'a', data: text, isStored: true, size: 7 }, /size/],
    ['content that is not deflate', { name: 'a', data: text, isStored: true, method: 8 }, /cannot be unpacked/],
    ['a password', { name: 'a', data: text, flags: 0x801 }, /password/],
  ]

  test.for(lies)('about its content is refused and changes nothing: %s', async ([, part, reason], { fixture }) => {
    fixture.put('out/a', 'mine')
    fixture.put('a.zip', zipBytes([{ name: 'first', data: 'fine' }, part, { name: 'last', data: 'fine' }]))

    const refusal = await fixture.getRefusal(fixture.unpack('a.zip'))

    expect(refusal).toMatch(/^ErrArchiveDamaged: /)
    expect(refusal).toMatch(reason)
    expect(fixture.readTree('out')).toEqual({ a: 'mine' })
  })

  test('is detected without extracting all of its large content', async ({ fixture }) => {
    const large = Buffer.alloc(100_000_000)
    const parts = [
      { name: 'large', data: large, isStored: true },
      { name: 'lie', data: text, crc: 1 },
    ]
    fixture.put('a.zip', zipBytes(parts))
    const progress = new Progress()

    expect(await fixture.getRefusal(fixture.unpack('a.zip', { progress }))).toMatch(/checksum/)
    expect(progress.bytes).toBeLessThan(large.length)
  })

  test('with overlapping files is refused', async ({ fixture }) => {
    const parts = Array.from({ length: 50 }, (_, at) => ({ name: `${at}`, data: text, isOverlapping: at > 0 }))
    fixture.put('a.zip', zipBytes(parts))

    expect(await fixture.getRefusal(fixture.unpack('a.zip'))).toBe('ErrArchiveDamaged: its files overlap')
  })
})

describe('a truncated or corrupted archive', () => {
  const makers: [name: string, tool: string, line: string][] = [
    ['a.zip', 'zip', 'zip -qr a.zip src'],
    ['a.tar', 'tar', 'tar -cf a.tar src'],
    ['a.tar.gz', 'gzip', 'tar -czf a.tar.gz src'],
    ['a.tar.zst', 'zstd', 'tar -c src | zstd -q > a.tar.zst'],
    ['a.tar.xz', 'xz', 'tar -cJf a.tar.xz src'],
    ['a.tar.bz2', 'bzip2', 'tar -cjf a.tar.bz2 src'],
    ['a.tar.lz', 'lzip', 'tar -c src | lzip > a.tar.lz'],
    ['a.7z', '7z', '7z a a.7z src'],
    ['a.gz', 'gzip', 'gzip -c src/noise > a.gz'],
    ['a.zst', 'zstd', 'zstd -qc src/noise > a.zst'],
    ['a.lzma', 'xz', 'xz --format=lzma -c src/noise > a.lzma'],
  ]

  // Those that are extracted in a thread of their own take longer.
  const isSlow = (name: string) => !/\.(zip|tar|gz|zst)$/.test(name)

  test.for(makers)(
    'is refused wherever %s was truncated, and changes nothing',
    { timeout: 60_000 },
    async ([name, tool, line], { fixture }) => {
      deps(tool)
      fixture.put('src/noise', randomBytes(300_000))
      fixture.put('src/text', 'all work and no play\n'.repeat(5000))
      fixture.put('out/src/text', 'mine')
      fixture.run('sh', '-c', line)
      const whole = readFileSync(join(fixture.inside, name))
      const places = isSlow(name) ? [0, 100, 0.5, -30] : [0, 1, 7, 100, 700, 0.2, 0.5, 0.9, -30, -1]
      const cuts = places.map((at) => (at < 0 ? whole.length + at : at < 1 ? Math.floor(whole.length * at) : at))
      // The zero records at the end of a tar have no information.
      const reporting = name === 'a.tar' ? cuts.filter((at) => at < 300_000) : cuts

      for (const at of reporting) {
        fixture.put(name, whole.subarray(0, at))
        expect(await fixture.getRefusal(fixture.unpack(name)), `cut at ${at}`).toMatch(/^ErrArchiveDamaged: ./)
      }

      expect(fixture.readTree('out')).toEqual({ 'src/': '', 'src/text': 'mine' })
    },
  )

  test.for(makers.filter(([name]) => name !== 'a.tar' && name !== 'a.lzma'))(
    'is refused when a byte of %s is changed',
    async ([name, tool, line], { fixture }) => {
      deps(tool)
      fixture.put('src/noise', randomBytes(300_000))
      fixture.run('sh', '-c', line)
      const spoilt = readFileSync(join(fixture.inside, name))
      spoilt[150_000] = (spoilt[150_000] ?? 0) ^ 0x10
      fixture.put(name, spoilt)

      expect(await fixture.getRefusal(fixture.unpack(name))).toMatch(/^ErrArchiveDamaged: ./)
      expect(fixture.readTree('out')).toEqual({})
    },
  )

  test.for(['a.zip', 'a.7z', 'a.rar', 'a.tar', 'a.tar.gz', 'a.xz', 'a.lz', 'a.zst'])(
    'a %s with entirely different content is refused',
    async (name, { fixture }) => {
      for (const bytes of [randomBytes(10_000), Buffer.alloc(0), Buffer.from('<html>404</html>')]) {
        fixture.put(name, bytes)
        expect(await fixture.getRefusal(fixture.unpack(name))).toMatch(/^ErrArchiveDamaged: ./)
      }
    },
  )

  test('that needs more memory than the limit is refused with that reason', async ({ fixture }) => {
    deps('7z')
    // From stdin: 7z lowers the memory to the size of the content where it knows it.
    fixture.run('sh', '-c', 'echo a | 7z a -si -m0=PPMd:mem=1g a.7z; echo b | 7z a -si -m0=PPMd:mem=256m b.7z')

    await fixture.unpack('b.7z')
    expect(await fixture.getRefusal(fixture.unpack('a.7z'))).toBe(
      'ErrArchiveDamaged: extracting it needs too much memory',
    )
  })

  test('with a password is refused with that reason', async ({ fixture }) => {
    deps('7z')
    fixture.put('src/a', 'a')
    fixture.run('7z', 'a', '-psecret', 'content.7z', 'src')
    fixture.run('7z', 'a', '-psecret', '-mhe=on', 'names.7z', 'src')
    fixture.run('7z', 'a', '-psecret', '-tzip', 'content.zip', 'src')
    fixture.run('7z', 'a', '-psecret', '-tzip', '-mem=AES256', 'strong.zip', 'src')

    for (const name of ['content.7z', 'names.7z', 'content.zip', 'strong.zip']) {
      const refusal = await fixture.getRefusal(fixture.unpack(name))
      expect(refusal).toBe('ErrArchiveDamaged: it is protected by a password')
    }
  })
})

describe('an archive beyond a limit', () => {
  const makers: [name: string, line: string][] = [
    ['a.zip', 'zip -q a.zip zeros'],
    ['a.tar.gz', 'tar -czf a.tar.gz zeros'],
    ['a.gz', 'gzip -c zeros > a.gz'],
    ['a.tar.xz', 'tar -cJf a.tar.xz zeros'],
    ['a.xz', 'xz -c zeros > a.xz'],
    ['a.bz2', 'bzip2 -c zeros > a.bz2'],
    ['a.tar.zst', 'tar -c zeros | zstd -q > a.tar.zst'],
    ['a.7z', '7z a a.7z zeros'],
  ]

  test.for(makers)(
    'of bytes or compression ratio is stopped, and leaves nothing: %s',
    async ([name, line], { fixture }) => {
      deps(line.split(' ')[0] ?? '')
      fixture.put('zeros', Buffer.alloc(20_000_000))
      fixture.run('sh', '-c', line)
      const [few, growth] = [new Progress(), new Progress()]

      const byBytes = fixture.unpack(name, { limits: { bytes: 4_000_000 }, progress: few })
      expect(await fixture.getRefusal(byBytes)).toBe('ErrArchiveTooLarge: the size of its content')
      const byRatio = fixture.unpack(name, { limits: { ratio: 10, ratioFromBytes: 1_000_000 }, progress: growth })
      expect(await fixture.getRefusal(byRatio)).toBe('ErrArchiveTooLarge: the compression ratio')

      expect(few.bytes).toBeLessThan(8_000_000)
      expect(growth.bytes).toBeLessThan(8_000_000)
      expect(fixture.readTree('out')).toEqual({})
    },
  )

  test('of entries is stopped', async ({ fixture }) => {
    const parts = Array.from({ length: 101 }, (_, at) => ({ name: `${at}` }))
    fixture.put('a.zip', zipBytes(parts))
    fixture.put('a.tar', tarBytes(parts))

    for (const name of ['a.zip', 'a.tar']) {
      const refusal = await fixture.getRefusal(fixture.unpack(name, { limits: { entries: 100 } }))
      expect(refusal).toBe('ErrArchiveTooLarge: the number of entries')
      expect(fixture.readTree('out')).toEqual({})
      expect(await fixture.getRefusal(fixture.unpack(name, { limits: { entries: 101 }, to: 'enough' }))).toBe(
        'no refusal',
      )
    }
  })

  test('of depth is stopped', async ({ fixture }) => {
    fixture.put('a.tar', tarBytes([{ name: `${'a/'.repeat(45)}b`, data: 'deep' }]))
    fixture.put('b.tar', tarBytes([{ name: `${'a/'.repeat(45)}b`, type: '5' }]))

    expect(await fixture.getRefusal(fixture.unpack('a.tar', { limits: { depth: 40 } }))).toMatch(/depth/)
    expect(await fixture.getRefusal(fixture.unpack('b.tar', { limits: { depth: 40 } }))).toMatch(/depth/)
    expect(fixture.readTree('out')).toEqual({})
    expect((await fixture.unpack('a.tar')).bytes).toBe(4)
  })

  test('of time is stopped', async ({ fixture }) => {
    fixture.put('a.gz', gzipSync(Buffer.alloc(200_000_000), { level: 1 }))

    const refusal = await fixture.getRefusal(fixture.unpack('a.gz', { limits: { ms: 1 } }))

    expect(refusal).toBe('ErrArchiveTooLarge: the time limit')
    expect(fixture.readTree('out')).toEqual({})
  })

  test('does not count the archives inside it', async ({ fixture }) => {
    const inner = zipBytes([{ name: 'a', data: Buffer.alloc(5_000_000) }])
    fixture.put('a.zip', zipBytes([{ name: 'inner.zip', data: inner }]))

    const progress = await fixture.unpack('a.zip', { limits: { bytes: inner.length } })

    expect([progress.entries, progress.bytes]).toEqual([1, inner.length])
  })
})

describe('an aborted extraction', () => {
  test.for([
    ['a.zip', 'zip -q a.zip src/*'],
    ['a.tar.gz', 'tar -czf a.tar.gz src'],
    ['a.tar.xz', 'tar -c src | xz -0 > a.tar.xz'],
    ['a.7z', '7z a -mx=1 a.7z src'],
  ] as const)('ends immediately and leaves nothing: %s', async ([name, line], { fixture }) => {
    deps(line.split(' ')[0] ?? '')
    for (const part of ['a', 'b', 'c']) fixture.put(`src/${part}`, randomBytes(4_000_000))
    fixture.put('out/src/a', 'mine')
    fixture.run('sh', '-c', line)
    const giveUp = new AbortController()
    const enough = new Error('enough')
    const progress = new Progress()
    let counted = 0
    Object.defineProperty(progress, 'bytes', {
      get: () => counted,
      set: (bytes: number) => {
        counted = bytes
        if (bytes > 5_000_000) giveUp.abort(enough)
      },
    })

    const unpacking = fixture.unpack(name, { signal: giveUp.signal, progress })

    await expect(unpacking).rejects.toBe(enough)
    expect(progress.bytes).toBeLessThan(9_000_000)
    expect(fixture.readTree('out')).toEqual({ 'src/': '', 'src/a': 'mine' })
    expect(fixture.run('find', '.', '-name', '.innkeeper-*')).toBe('')
  })

  test('does nothing when it was aborted before', async ({ fixture }) => {
    fixture.put('a.zip', zipBytes([{ name: 'a', data: 'a' }]))
    const enough = new Error('enough')

    const unpacking = fixture.unpack('a.zip', { signal: AbortSignal.abort(enough) })

    await expect(unpacking).rejects.toBe(enough)
    expect(fixture.readTree('out')).toEqual({})
  })
})

test("extracted files belong to the owner of the server's directory", async ({ fixture }) => {
  const isRoot = process.getuid?.() === 0
  if (isRoot) fixture.run('chown', '12345:12345', '.')
  await using files = await (await import('../files/root.ts')).RootFs.open(fixture.inside)
  const { extractArchive } = await import('./archives.ts')
  const { parsePath } = await import('../files/path/safe-path.ts')
  mkdirSync(join(fixture.inside, 'out'))
  fixture.put(
    'a.zip',
    zipBytes([
      { name: 'world/deep/a.txt', data: 'a' },
      { name: 'b.txt', data: 'b' },
    ]),
  )

  await extractArchive({
    files,
    archive: parsePath('a.zip'),
    destination: parsePath('out'),
    onConflict: 'replace',
    progress: new Progress(),
    signal: new AbortController().signal,
  })

  const owners = fixture.run('find', 'out', '-mindepth', '1', '-printf', '%U\\n').split('\n').filter(Boolean)
  expect(new Set(owners)).toEqual(new Set([isRoot ? '12345' : String(process.getuid?.())]))
  expect(owners).toHaveLength(4)
})
