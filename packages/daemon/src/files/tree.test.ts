import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { fingerprint, makeDeepTree, openDescriptors, readRefusal, test } from '../testing/test-directory.ts'
import { DirHandle } from './path/dir-handle.ts'
import { formatPath, parsePath, parsePattern, rootPath } from './path/safe-path.ts'
import { Progress } from './tree/progress.ts'

const at = parsePath

async function readText(opening: Promise<FileHandle>): Promise<string> {
  await using file = await opening
  return await file.readFile('utf8')
}

describe('walking', () => {
  test('an entry opened during a walk is the listed file, wherever the walk has continued', async ({
    fixture: { files, inside },
  }) => {
    for (let folder = 0; folder < 200; folder++) {
      mkdirSync(join(inside, `folder ${folder}`))
      writeFileSync(join(inside, `folder ${folder}`, 'same'), `folder ${folder}`)
    }

    const opening: { readonly above: string | undefined; readonly messages: Promise<string> }[] = []
    for await (const { path, info, open } of files.walk(rootPath)) {
      if (info.kind !== 'file') continue
      opening.push({ above: path[0], messages: readText(open()) })
    }

    expect(opening.length).toBe(200)
    expect(await Promise.all(opening.map(({ messages }) => messages))).toEqual(opening.map(({ above }) => above))
  })

  test('each directory comes before its contents, and links are listed but not followed', async ({
    fixture: { files, inside },
  }) => {
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    writeFileSync(join(inside, 'a/b/c'), 'content')
    symlinkSync('..', join(inside, 'a/out'))
    symlinkSync('/etc', join(inside, 'a/etc'))

    const met = new Map<string, string>()
    for await (const { path, info, open } of files.walk(rootPath)) {
      met.set(formatPath(path), info.kind)
      if (info.kind !== 'file') continue
      expect(await readText(open())).toBe('content')
    }

    expect([...met.keys()].toSorted()).toEqual(['/a', '/a/b', '/a/b/c', '/a/etc', '/a/out'])
    expect(met.get('/a/out')).toBe('link')
    const order = [...met.keys()]
    expect(order.indexOf('/a')).toBeLessThan(order.indexOf('/a/b'))
    expect(order.indexOf('/a/b')).toBeLessThan(order.indexOf('/a/b/c'))
  })

  test('a tree deeper than any path is walked with few descriptors', async ({ fixture: { files, inside } }) => {
    const { depth } = makeDeepTree(join(inside, 'deep'))
    const before = openDescriptors()

    let [deepest, most, read] = [0, 0, 0]
    for await (const { path, info, open } of files.walk(rootPath)) {
      deepest = Math.max(deepest, path.length)
      most = Math.max(most, openDescriptors() - before)
      if (info.kind !== 'file') continue
      expect(await readText(open())).toBe('deep')
      read++
    }

    expect(deepest).toBe(depth + 1)
    expect(read).toBe(5)
    expect(most).toBeLessThan(80)
    expect(openDescriptors()).toBe(before)
  })

  test('pipes, sockets and devices are listed and not opened', async ({ fixture: { files, inside } }) => {
    execFileSync('mkfifo', [join(inside, 'pipe')])
    execFileSync('python3', [
      '-c',
      'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])',
      join(inside, 'socket'),
    ])
    if (process.getuid?.() === 0) execFileSync('mknod', [join(inside, 'zero'), 'c', '1', '5'])

    for await (const { info, open } of files.walk(rootPath)) {
      expect(info.kind).toBe('other')
      expect(await readRefusal((async () => await open())())).toBe('ErrNotAFile')
    }
  })

  test('a name that is not UTF-8 is readable, and marked as unreachable', async ({ fixture: { files, inside } }) => {
    const odd = Buffer.concat([Buffer.from(`${inside}/odd-`), Buffer.from([0xff, 0xfe])])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/in')]), 'odd')
    writeFileSync(join(inside, 'line\nbreak'), 'odd')
    writeFileSync(join(inside, 'plain ü'), 'odd')

    const shown = new Map<string, boolean>()
    for await (const { info, open } of files.walk(rootPath)) {
      shown.set(info.name, info.isReachable)
      if (info.kind !== 'file') continue
      expect(await readText(open())).toBe('odd')
    }

    expect(Object.fromEntries(shown)).toEqual({
      'odd-\ufffd\ufffd': false,
      in: true,
      'line\nbreak': true,
      'plain ü': true,
    })
    expect((await files.readdir(rootPath)).map(({ isReachable }) => isReachable).toSorted()).toEqual([
      false,
      true,
      true,
    ])
  })

  test('files that disappear do not end a walk, an abort does', async ({ fixture: { files, inside } }) => {
    for (const name of ['a', 'b', 'c']) mkdirSync(join(inside, name, 'in'), { recursive: true })
    const met: string[] = []
    for await (const { path } of files.walk(rootPath)) {
      met.push(formatPath(path))
      for (const name of readdirSync(inside)) execFileSync('rm', ['-r', join(inside, name)])
    }
    mkdirSync(join(inside, 'again'))
    const walk = files.walk(rootPath, { signal: AbortSignal.abort() })

    expect(met.length).toBeGreaterThan(0)
    expect(met.every((path) => path.length === 2)).toBe(true)
    await expect(walk.next()).rejects.toThrow('aborted')
  })

  test('temporary files are not listed, found or copied', async ({ fixture: { files, inside } }) => {
    mkdirSync(join(inside, 'a'))
    await using draft = await files.draft(at('a/new'))
    await draft.write(Buffer.from('half'))

    await files.copyTree(at('a'), at('b'), { onConflict: 'refuse' })

    expect(readdirSync(join(inside, 'a'))).toHaveLength(1)
    expect(await files.readdir(at('a'))).toEqual([])
    expect(await files.glob(parsePattern('a/*'))).toEqual([])
    expect(readdirSync(join(inside, 'b'))).toEqual([])
  })

  test('a large directory is listed completely, in batches', async ({ fixture: { files, inside } }) => {
    const names = Array.from({ length: 1000 }, (_, number) => `file-${number}`)
    for (const name of names) writeFileSync(join(inside, name), '')

    const parts: number[] = []
    const shown = new Set<string>()
    for await (const nextBatch of files.list(rootPath)) {
      parts.push(nextBatch.length)
      for (const { name } of nextBatch) shown.add(name)
    }

    expect(shown).toEqual(new Set(names))
    expect(Math.max(...parts)).toBeLessThan(300)
  })
})

describe('copying', () => {
  test('a tree is copied with its modes, times and inner links, without links that would lead out', async ({
    fixture: { files, inside, outside },
  }) => {
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    writeFileSync(join(inside, 'a/b/run.sh'), 'run')
    chmodSync(join(inside, 'a/b/run.sh'), 0o4755)
    writeFileSync(join(inside, 'a/large'), Buffer.alloc(3_000_000, 'x'))
    symlinkSync('b/run.sh', join(inside, 'a/near'))
    symlinkSync('../outside-of-a', join(inside, 'a/far'))
    symlinkSync('../../secret.txt', join(inside, 'a/out'))
    symlinkSync('/etc/passwd', join(inside, 'a/passwd'))
    execFileSync('mkfifo', [join(inside, 'a/pipe')])
    writeFileSync(Buffer.concat([Buffer.from(`${inside}/a/`), Buffer.from([0xff])]), 'odd')
    mkdirSync(join(inside, 'to/deeper'), { recursive: true })
    const before = fingerprint(outside, 'abc')
    const progress = new Progress()

    const went = await files.copyTree(at('a'), at('to/deeper/copy'), { onConflict: 'refuse', progress })

    const copy = join(inside, 'to/deeper/copy')
    expect(formatPath(went)).toBe('/to/deeper/copy')
    expect(readFileSync(join(copy, 'b/run.sh'), 'utf8')).toBe('run')
    expect(statSync(join(copy, 'b/run.sh')).mode & 0o7777).toBe(0o755)
    expect(statSync(join(copy, 'b/run.sh')).mtime).toEqual(statSync(join(inside, 'a/b/run.sh')).mtime)
    expect(statSync(join(copy, 'large')).size).toBe(3_000_000)
    expect(readlinkSync(join(copy, 'near'))).toBe('b/run.sh')
    expect(readlinkSync(join(copy, 'far'))).toBe('../outside-of-a')
    expect(readdirSync(copy, { encoding: 'buffer' }).some((name) => name.equals(Buffer.from([0xff])))).toBe(true)
    expect(progress.skipped.toSorted()).toEqual(['/a/passwd', '/a/pipe'])
    expect(progress).toMatchObject({ bytes: 3_000_006, skippedCount: 2 })
    // `../../secret.txt` stays inside from there.
    expect(readlinkSync(join(copy, 'out'))).toBe('../../secret.txt')
    expect(fingerprint(outside, 'abc')).toBe(before)
  })

  test('directories are merged, and existing files are refused, replaced or kept', async ({
    fixture: { files, inside },
  }) => {
    mkdirSync(join(inside, 'from/sub'), { recursive: true })
    mkdirSync(join(inside, 'to/sub'), { recursive: true })
    for (const side of ['from', 'to']) writeFileSync(join(inside, side, 'sub/a.txt'), side)
    writeFileSync(join(inside, 'to/sub/own'), '')
    const copy = (onConflict: 'refuse' | 'replace' | 'keepBoth') => files.copyTree(at('from'), at('to'), { onConflict })
    const contents = () =>
      Object.fromEntries(
        readdirSync(join(inside, 'to/sub')).map((name) => [name, readFileSync(join(inside, 'to/sub', name), 'utf8')]),
      )

    expect(await readRefusal(copy('refuse'))).toBe('ErrFileExists')
    expect(contents()).toEqual({ 'a.txt': 'to', own: '' })
    await copy('keepBoth')
    expect(contents()).toEqual({ 'a.txt': 'to', 'a (2).txt': 'from', own: '' })
    await copy('replace')
    expect(contents()).toEqual({ 'a.txt': 'from', 'a (2).txt': 'from', own: '' })
  })

  test('a directory is not copied into itself, but can be copied beside itself', async ({
    fixture: { files, inside },
  }) => {
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    symlinkSync('a/b', join(inside, 'door'))
    const copy = (to: string) => files.copyTree(at('a'), at(to), { onConflict: 'keepBoth' })

    expect(await readRefusal(copy('a/b/c'))).toBe('ErrFolderInItself')
    expect(await readRefusal(copy('door/c'))).toBe('ErrFolderInItself')
    expect(await readRefusal(files.copyTree(rootPath, at('a/c'), { onConflict: 'replace' }))).toBe('ErrFolderInItself')
    expect(formatPath(await copy('a'))).toBe('/a (2)')
    expect(readdirSync(join(inside, 'a (2)'))).toEqual(['b'])
  })

  test('a file of another user in a tree is skipped and reported', async ({
    fixture: { files, inside, outside },
    skip,
  }) => {
    if (process.getuid?.() !== 0) skip('only root can create a file of another user')
    mkdirSync(join(inside, 'a'))
    writeFileSync(join(inside, 'a/mine'), 'mine')
    execFileSync('chown', ['12345', join(outside, 'secret.txt')])
    execFileSync('ln', [join(outside, 'secret.txt'), join(inside, 'a/hard')])
    const progress = new Progress()

    await files.copyTree(at('a'), at('b'), { onConflict: 'refuse', progress })

    expect(readdirSync(join(inside, 'b'))).toEqual(['mine'])
    expect(progress.skipped).toEqual(['/a/hard'])
  })

  test('an aborted copy leaves nothing', async ({ fixture: { files, inside } }) => {
    mkdirSync(join(inside, 'a'))
    for (let number = 0; number < 50; number++) writeFileSync(join(inside, 'a', `${number}`), 'x')
    const aborting = new AbortController()
    const progress = new Progress()
    const watch = setInterval(() => {
      if (progress.entries > 10) aborting.abort()
    }, 0)

    const copying = files.copyTree(at('a'), at('b'), { onConflict: 'refuse', progress, signal: aborting.signal })

    await expect(copying).rejects.toThrow('aborted')
    clearInterval(watch)
    expect(readdirSync(inside)).toEqual(['a'])
  })

  test('a deep tree is measured with a number of steps in proportion to its depth', async ({
    fixture: { files, inside },
  }) => {
    const { depth } = makeDeepTree(join(inside, 'deep'), 20)
    const opened = vi.spyOn(DirHandle.prototype, 'openDir')
    onTestFinished(() => opened.mockRestore())

    const size = await files.measure(rootPath, new AbortController().signal)

    expect(size).toEqual({ bytes: 20 * ('deep'.length + '/etc'.length), files: 40, folders: depth })
    // Once on the way down, and once on the way up.
    expect(opened.mock.calls.length).toBeLessThan(2.1 * depth)
  })

  test('a walk goes on in the same folder when folders are moved away or replaced meanwhile', async ({
    fixture: { files, inside },
  }) => {
    makeDeepTree(join(inside, 'deep'), 2)
    const middle = join(inside, 'deep', ...Array(50).fill('0123456789'))
    mkdirSync(join(inside, 'elsewhere'))
    for (let number = 0; number < 200; number++) writeFileSync(join(middle, `near-${number}`), '')
    let near = 0

    for await (const { info, path } of files.walk(at('deep'))) {
      if (info.name.startsWith('near')) near++
      // The folders above are closed by now, and the one below the middle comes into another one.
      if (path.length === 201 && info.name === 'file')
        renameSync(join(middle, '0123456789'), join(inside, 'elsewhere/moved'))
    }

    expect(existsSync(join(inside, 'elsewhere/moved'))).toBe(true)
    expect(near).toBe(200)
  })

  test('a tree deeper than any path is copied', async ({ fixture: { files, inside } }) => {
    const { depth } = makeDeepTree(join(inside, 'deep'))
    const progress = new Progress()

    await files.copyTree(at('deep'), at('copy'), { onConflict: 'refuse', progress })

    let deepest = 0
    for await (const { path } of files.walk(at('copy'))) deepest = Math.max(deepest, path.length)
    expect(deepest).toBe(depth + 1)
    expect(progress).toMatchObject({ entries: depth + 5, skippedCount: 5 })
  })
})

describe('moving', () => {
  test('an existing name is refused or replaced, and both files stay when it is refused', async ({
    fixture: { files, inside },
  }) => {
    for (const name of ['a', 'b']) writeFileSync(join(inside, name), name)
    symlinkSync('nowhere', join(inside, 'link'))
    for (const name of ['empty', 'empty2', 'full/in']) mkdirSync(join(inside, name), { recursive: true })
    const refuse = (from: string, to: string) => readRefusal(files.rename(at(from), at(to), { onConflict: 'refuse' }))
    const before = fingerprint(inside)

    for (const [from, to] of [
      ['a', 'b'],
      ['a', 'a'],
      ['a', 'link'],
      ['link', 'a'],
      ['a', 'empty'],
      ['empty', 'a'],
      ['empty', 'empty2'],
      ['empty', 'full'],
    ] as const) {
      expect(await refuse(from, to)).toBe('ErrFileExists')
    }
    expect(await readRefusal(files.rename(at('empty'), at('full')))).toBe('ErrFileExists')
    expect(await readRefusal(files.rename(at('a'), at('full')))).toBe('ErrFileExists')
    expect(await readRefusal(files.rename(at('full'), at('a')))).toBe('ErrFileExists')
    expect(fingerprint(inside)).toBe(before)

    expect(await refuse('a', 'a2')).toBe('no refusal')
    expect(await refuse('link', 'link2')).toBe('no refusal')
    expect(await refuse('full', 'full2')).toBe('no refusal')
    await files.rename(at('a2'), at('b'))
    expect(readFileSync(join(inside, 'b'), 'utf8')).toBe('a')
    expect(readlinkSync(join(inside, 'link2'))).toBe('nowhere')
    expect(readdirSync(inside).toSorted()).toEqual(['b', 'empty', 'empty2', 'full2', 'link2'])
    expect(existsSync(join(inside, 'full2/in'))).toBe(true)
  })

  test('a directory cannot be moved into itself, by any path', async ({ fixture: { files, inside } }) => {
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    symlinkSync('a/b', join(inside, 'door'))

    for (const onConflict of ['refuse', 'replace'] as const) {
      expect(await readRefusal(files.rename(at('a'), at('a/b/c'), { onConflict }))).toBe('ErrFolderInItself')
      expect(await readRefusal(files.rename(at('a'), at('door/c'), { onConflict }))).toBe('ErrFolderInItself')
    }
    expect(await readRefusal(files.rename(at('nothing'), at('c'), { onConflict: 'refuse' }))).toBe('ErrFileNotFound')

    expect(readdirSync(join(inside, 'a/b'))).toEqual([])
  })

  test('of concurrent renames to a new name exactly one succeeds', async ({ fixture: { files, inside } }) => {
    for (let round = 0; round < 20; round++) {
      const names = ['a', 'b', 'c', 'd']
      for (const name of names) writeFileSync(join(inside, name), name)
      const moves = names.map((name) => readRefusal(files.rename(at(name), at('new'), { onConflict: 'refuse' })))
      const answers = await Promise.all(moves)

      expect(answers.filter((answer) => answer === 'no refusal')).toHaveLength(1)
      const winner = names[answers.indexOf('no refusal')]
      expect(readFileSync(join(inside, 'new'), 'utf8')).toBe(winner)
      expect(readdirSync(inside).toSorted()).toEqual([...names.filter((name) => name !== winner), 'new'])
      renameSync(join(inside, 'new'), join(inside, 'a'))
    }
  })
})

describe('single operations', () => {
  test('a free name counts before the extension and stays within 255 bytes', async ({ fixture: { files, inside } }) => {
    const long = `${'ü'.repeat(125)}.zip`
    for (const name of ['a.zip', 'a (2).zip', 'w.tar.gz', '.env', 'folder', long]) writeFileSync(join(inside, name), '')
    const free = (name: string) => files.freeName(rootPath, name)

    expect(await free('new.zip')).toBe('new.zip')
    expect(await free('a.zip')).toBe('a (3).zip')
    expect(await free('w.tar.gz')).toBe('w (2).tar.gz')
    expect(await free('.env')).toBe('.env (2)')
    expect(await free('folder')).toBe('folder (2)')
    expect(await free(long)).toBe(`${'ü'.repeat(123)} (2).zip`)
  })

  test('a link can only be created to the inside', async ({ fixture: { files, inside, outside } }) => {
    mkdirSync(join(inside, 'a'))
    symlinkSync('a', join(inside, 'door'))
    for (const target of [
      '../..',
      '../../secret.txt',
      '/etc/passwd',
      outside,
      `${inside}d/secret.txt`,
      'x/../../../y',
    ]) {
      expect(await readRefusal(files.symlink(target, at('a/link')))).toBe('ErrIllegalFileAccess')
    }
    // Relative to the directory that the link leads to, not the one it is in.
    await files.symlink('../b', at('door/up'))
    await files.symlink(`${inside}/b`, at('whole'))

    expect(readlinkSync(join(inside, 'a/up'))).toBe('../b')
    expect(await files.readlink(at('door/up'))).toBe('../b')
    expect(await readRefusal(files.symlink('b', at('whole')))).toBe('ErrFileExists')
    expect(await readRefusal(files.readlink(at('a')))).toBe('ErrNotAFile')
    await files.writeFile(at('a/up'), 'through')
    expect(readFileSync(join(inside, 'b'), 'utf8')).toBe('through')
  })

  test('mode, times and size are set, without setuid, and never through a link to the outside', async ({
    fixture: { files, inside, outside },
  }) => {
    writeFileSync(join(inside, 'a'), '12345')
    symlinkSync('../secret.txt', join(inside, 'out'))
    execFileSync('mkfifo', [join(inside, 'pipe')])
    const before = fingerprint(outside, 'abc')
    const modified = new Date('2020-01-02T03:04:05.678Z')
    const accessed = new Date('2021-01-02T03:04:05Z')

    await files.setStat(at('a'), { mode: 0o7640, modified, accessed, size: 3 })
    const first = lstatSync(join(inside, 'a'))
    {
      await using file = await files.open(at('a'), 'update')
      await files.setStat(file, { mode: 0o600, modified: new Date(0) })
    }
    await files.setStat(rootPath, { mode: 0o2750 })

    expect(first).toMatchObject({ size: 3, mtime: modified, atime: accessed })
    expect(first.mode & 0o7777).toBe(0o640)
    expect(statSync(join(inside, 'a'))).toMatchObject({ mtime: new Date(0), atime: accessed })
    expect(statSync(inside).mode & 0o7777).toBe(0o750)
    expect(await readRefusal(files.setStat(at('out'), { mode: 0o777 }))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.setStat(at('out'), { modified }))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.setStat(at('out'), { size: 0 }))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.setStat(at('pipe'), { mode: 0o777 }))).toBe('ErrNotAFile')
    expect(fingerprint(outside, 'abc')).toBe(before)
  })

  test('a file is opened with exactly the requested flags', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'a'), 'old')
    symlinkSync('a', join(inside, 'link'))
    const close = async (opening: Parameters<typeof files.open>[1], name: string) =>
      await (await files.open(at(name), opening)).close()

    expect(await readRefusal(close({ write: true }, 'missing'))).toBe('ErrFileNotFound')
    expect(await readRefusal(close({ write: true, exclusive: true }, 'a'))).toBe('ErrFileExists')
    expect(await readRefusal(close({ write: true, exclusive: true }, 'link'))).toBe('ErrFileExists')
    await close({ write: true, create: true }, 'a')
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('old')
    await close({ write: true, create: true, truncate: true }, 'link')
    expect(readFileSync(join(inside, 'a'), 'utf8')).toBe('')
    await close({ write: true, exclusive: true }, 'new')
    expect(readdirSync(inside)).toContain('new')
  })

  test('a finished upload is imported from any file system, and stays where it was when it is refused', async ({
    fixture: { files, inside, outside },
  }) => {
    const elsewhere = existsSync('/dev/shm') ? `/dev/shm/innkeeper-${process.pid}` : join(outside, 'elsewhere')
    mkdirSync(elsewhere)
    writeFileSync(join(inside, 'taken'), 'old')
    try {
      for (const from of [join(outside, 'upload'), join(elsewhere, 'upload')]) {
        writeFileSync(from, 'whole', { mode: 0o600 })
        const info = await files.importFile(from, at('new'), { onConflict: 'refuse' })

        expect(readFileSync(join(inside, 'new'), 'utf8')).toBe('whole')
        expect((await files.stat(at('new')))?.version).toBe(info.version)
        expect(info.mode).toBe(0o644)
        expect(existsSync(from)).toBe(false)

        writeFileSync(from, 'again')
        expect(await readRefusal(files.importFile(from, at('taken'), { onConflict: 'refuse' }))).toBe('ErrFileExists')
        expect(readFileSync(from, 'utf8')).toBe('again')
        expect((await files.importFile(from, at('taken'), { onConflict: 'keepBoth' })).name).toBe('taken (2)')
        writeFileSync(from, 'again')
        await files.importFile(from, at('new'), { onConflict: 'replace' })
        expect(readFileSync(join(inside, 'new'), 'utf8')).toBe('again')
        for (const name of ['new', 'taken (2)']) await files.removeTree(at(name))
      }
    } finally {
      execFileSync('rm', ['-r', elsewhere])
    }
    expect(readdirSync(inside)).toEqual(['taken'])
  })

  test('only leftovers of an earlier run are removed', async ({ fixture: { files, inside } }) => {
    const left = '.innkeeper-01234567-0123-4567-89ab-0123456789ab.tmp'
    const newer = '.innkeeper-01234567-01234567-89ab-cdef-0123-456789abcdef.tmp'
    mkdirSync(join(inside, 'a/b', newer, 'in'), { recursive: true })
    writeFileSync(join(inside, 'a', left), '')
    writeFileSync(join(inside, newer), '')
    writeFileSync(join(inside, '.innkeeper-notes.tmp'), 'of a person')
    symlinkSync('a', join(inside, 'link'))
    await using draft = await files.draft(at('a/c'))

    expect(await files.removeLeftovers()).toBe(3)

    await draft.commit()
    expect(readdirSync(inside).toSorted()).toEqual(['.innkeeper-notes.tmp', 'a', 'link'])
    expect(readdirSync(join(inside, 'a')).toSorted()).toEqual(['b', 'c'])
    expect(readdirSync(join(inside, 'a/b'))).toEqual([])
  })

  test('a removal counts what is removed, and can be aborted', async ({ fixture: { files, inside } }) => {
    for (const name of ['a', 'b']) {
      mkdirSync(join(inside, name, 'deep/deeper'), { recursive: true })
      for (let number = 0; number < 100; number++) writeFileSync(join(inside, name, 'deep', String(number)), '')
    }
    const progress = new Progress()

    await files.removeTree(at('a'), { progress })

    expect(progress.entries).toBe(103)
    await expect(files.removeTree(at('b'), { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
    expect(readdirSync(inside)).toEqual(['b'])
  })

  test('the size of the disk is reported like statfs does', async ({ fixture: { files, inside } }) => {
    const { blockSize, blocks, files: inodes } = await files.space()
    const told = execFileSync('stat', ['-f', '-c', '%s %b %c', inside], { encoding: 'utf8' })

    expect(told.trim()).toBe(`${blockSize} ${blocks} ${inodes}`)
  })
})
