import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { describe, expect } from 'vitest'
import {
  everythingIn,
  makeDeepTree,
  openDescriptors,
  readRefusal,
  type TestDirectory,
  test,
} from '../testing/test-directory.ts'
import { formatPath, parsePath, parsePattern, rootPath } from './path/safe-path.ts'
import { RootFs } from './root.ts'

describe('reading and writing', () => {
  test('written content is read back, and no temporary file is left', async ({ fixture: { files, inside } }) => {
    await files.mkdirs(parsePath('a/b'))
    await files.writeFile(parsePath('/a/b/hello.txt'), 'hello')

    expect((await files.readFile(parsePath('a/b/hello.txt'), 100)).toString()).toBe('hello')
    expect(readdirSync(join(inside, 'a/b'))).toEqual(['hello.txt'])
    expect(statSync(join(inside, 'a/b/hello.txt')).mode & 0o777).toBe(0o644)
  })

  test('an overwritten file keeps its mode except the setuid bit', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'run.sh'), 'old')
    chmodSync(join(inside, 'run.sh'), 0o4755)

    await files.writeFile(parsePath('run.sh'), 'new')

    expect(statSync(join(inside, 'run.sh')).mode & 0o7777).toBe(0o755)
  })

  test('a write that fails half way leaves the old content and nothing else', async ({
    fixture: { files, inside },
  }) => {
    writeFileSync(join(inside, 'a.txt'), 'old')

    const writing = async () => {
      await using draft = await files.draft(parsePath('a.txt'))
      await draft.write(Buffer.from('half'))
      throw new Error('broken')
    }

    await expect(writing()).rejects.toThrow('broken')
    expect(readFileSync(join(inside, 'a.txt'), 'utf8')).toBe('old')
    expect(readdirSync(inside)).toEqual(['a.txt'])
  })

  test('a file larger than the limit is refused', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'a.txt'), '12345')

    expect(await readRefusal(files.readFile(parsePath('a.txt'), 4))).toBe('ErrFieldTooLarge')
    expect((await files.readFile(parsePath('a.txt'), 5)).toString()).toBe('12345')
  })

  test('appending continues at the end of the file', async ({ fixture: { files, inside } }) => {
    for (const part of ['one ', 'two']) {
      await using file = await files.open(parsePath('log'), 'append')
      await file.writeFile(part)
    }

    expect(readFileSync(join(inside, 'log'), 'utf8')).toBe('one two')
  })

  test('a missing file and a missing permission are different errors', async ({ fixture: { files } }) => {
    expect(await readRefusal(files.readFile(parsePath('nothing'), 1))).toBe('ErrFileNotFound')
    expect(await files.stat(parsePath('nothing/at/all'))).toBeUndefined()
  })

  test('a directory cannot be created in place of a file', async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'taken'), '')

    expect(await readRefusal(files.mkdirs(parsePath('taken/below')))).toBe('ErrFileExists')
  })

  test("new files and directories belong to the owner of the server's directory", async ({ fixture: { outside } }) => {
    const theirs = join(outside, 'theirs')
    mkdirSync(theirs)
    // Only root can chown; otherwise the owner is the user running this test.
    const uid = process.getuid?.() === 0 ? 12_345 : statSync(theirs).uid
    if (uid === 12_345) execFileSync('chown', ['12345:12345', theirs])
    await using files = await RootFs.open(theirs)

    await files.mkdirs(parsePath('new/deep'))
    await files.writeFile(parsePath('new/a.txt'), 'a')
    await (await files.open(parsePath('new/b.txt'), 'append')).close()

    const owners = ['new', 'new/deep', 'new/a.txt', 'new/b.txt'].map((name) => statSync(join(theirs, name)).uid)
    expect(owners).toEqual([uid, uid, uid, uid])
  })
})

describe('escaping the root', () => {
  test.for([
    '..',
    '../secret.txt',
    '/../secret.txt',
    'a/../../secret.txt',
    './../abcd/secret.txt',
    'a/b/../../../secret.txt',
  ])('%s is refused as a path', (text) => {
    expect(() => parsePath(text)).toThrow(new Refusal('ErrIllegalFileAccess'))
  })

  test.for(['a\0b', 'a\nb', '\x1b[2J', 'a\ud800'])(
    'a name with a control character or an invalid one is refused: %j',
    (text) => {
      expect(() => parsePath(text)).toThrow('not valid')
    },
  )

  test('names and paths that are too long are refused', () => {
    expect(() => parsePath('x'.repeat(256))).toThrow('larger')
    expect(() => parsePath('é'.repeat(128))).toThrow('larger')
    expect(() => parsePath('a/'.repeat(3000))).toThrow('larger')
  })

  test("an absolute path is relative to the server's directory, and nothing is decoded", () => {
    expect(formatPath(parsePath('/etc/passwd'))).toBe('/etc/passwd')
    expect(parsePath('/etc//./passwd/x/..')).toEqual(['etc', 'passwd'])
    expect(parsePath('%2e%2e/a')).toEqual(['%2e%2e', 'a'])
    expect(parsePath('..\\..\\a')).toEqual(['..\\..\\a'])
    expect(parsePath('')).toEqual(rootPath)
  })

  const tree: [kind: string, target: (fixture: TestDirectory) => string][] = [
    ['relative', () => '..'],
    ['absolute', ({ outside }) => outside],
    ['to a neighbour with the same beginning', ({ outside }) => join(outside, 'abcd')],
    ['through the root and back', () => './../abcd/..'],
    ['through the process file system', () => '/proc/self/cwd/..'],
  ]

  test.for(tree)('a link to a directory outside is refused by every operation: %s', async ([, target], { fixture }) => {
    const { files, inside, outside } = fixture
    symlinkSync(target(fixture), join(inside, 'out'))
    writeFileSync(join(inside, 'mine'), '')
    const secret = parsePath('out/secret.txt')
    const before = everythingIn(outside)

    const answers = {
      readFile: await readRefusal(files.readFile(secret, 100)),
      stat: await readRefusal(files.stat(secret)),
      readdir: await readRefusal(files.readdir(parsePath('out'))),
      writeFile: await readRefusal(files.writeFile(parsePath('out/new.txt'), 'x')),
      overwrite: await readRefusal(files.writeFile(secret, 'x')),
      append: await readRefusal(files.open(secret, 'append')),
      mkdirs: await readRefusal(files.mkdirs(parsePath('out/new'))),
      renameOut: await readRefusal(files.rename(parsePath('mine'), parsePath('out/mine'))),
      renameIn: await readRefusal(files.rename(secret, parsePath('stolen'))),
      removeTree: await readRefusal(files.removeTree(secret)),
      workingDirectory: await readRefusal(files.workingDirectory(parsePath('out'))),
    }

    expect(new Set(Object.values(answers))).toEqual(new Set(['ErrIllegalFileAccess']))
    expect(await files.glob(parsePattern('out/*'))).toEqual([])
    expect(await files.glob(parsePattern('*/secret.txt'))).toEqual([])
    expect(everythingIn(outside)).toEqual(before)
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside')
  })

  test('a link to a file outside is listed, moved and removed as a link, never opened', async ({
    fixture: { files, inside, outside },
  }) => {
    symlinkSync('../secret.txt', join(inside, 'file'))

    expect(await readRefusal(files.readFile(parsePath('file'), 100))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.writeFile(parsePath('file'), 'x'))).toBe('ErrIllegalFileAccess')
    expect(await files.readdir(rootPath)).toMatchObject([{ name: 'file', kind: 'link', size: 13 }])
    await files.rename(parsePath('file'), parsePath('moved'))
    expect(readlinkSync(join(inside, 'moved'))).toBe('../secret.txt')
    await files.removeTree(parsePath('moved'))

    expect(readdirSync(inside)).toEqual([])
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside')
  })

  test('a dangling link to the outside creates no file there', async ({ fixture: { files, inside, outside } }) => {
    symlinkSync('../new.txt', join(inside, 'dangling'))

    expect(await readRefusal(files.writeFile(parsePath('dangling'), 'x'))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.open(parsePath('dangling'), 'update'))).toBe('ErrIllegalFileAccess')
    expect(existsSync(join(outside, 'new.txt'))).toBe(false)
    expect(await files.exists(parsePath('dangling'))).toBe(true)
  })

  test('a link to the inside is followed', async ({ fixture: { files, inside } }) => {
    mkdirSync(join(inside, 'releases/1'), { recursive: true })
    mkdirSync(join(inside, 'config'))
    symlinkSync('releases/1', join(inside, 'current'))
    symlinkSync('../config', join(inside, 'releases/config'))
    symlinkSync(join(inside, 'config/a.txt'), join(inside, 'absolute'))

    await files.writeFile(parsePath('current/a.txt'), 'one')
    await files.writeFile(parsePath('releases/config/a.txt'), 'two')
    await files.writeFile(parsePath('absolute'), 'three')
    await files.mkdirs(parsePath('current/deep/er'))

    expect(readFileSync(join(inside, 'releases/1/a.txt'), 'utf8')).toBe('one')
    expect(readFileSync(join(inside, 'config/a.txt'), 'utf8')).toBe('three')
    expect(lstatSync(join(inside, 'absolute')).isSymbolicLink()).toBe(true)
    expect(existsSync(join(inside, 'releases/1/deep/er'))).toBe(true)
    expect(await files.workingDirectory(parsePath('current'))).toBe(join(inside, 'releases/1'))
  })

  test('circular links are refused', async ({ fixture: { files, inside } }) => {
    symlinkSync('b', join(inside, 'a'))
    symlinkSync('a', join(inside, 'b'))

    expect(await readRefusal(files.readFile(parsePath('a'), 1))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.readdir(parsePath('a/x')))).toBe('ErrIllegalFileAccess')
  })

  test('a hard link to a file of another user is not opened', async ({ fixture: { files, inside, outside }, skip }) => {
    if (process.getuid?.() !== 0) skip('only root can create a file of another user')
    execFileSync('chown', ['12345', join(outside, 'secret.txt')])
    execFileSync('ln', [join(outside, 'secret.txt'), join(inside, 'hard')])

    expect(await readRefusal(files.readFile(parsePath('hard'), 100))).toBe('ErrIllegalFileAccess')
    expect(await readRefusal(files.open(parsePath('hard'), 'update'))).toBe('ErrIllegalFileAccess')
  })

  test('pipes, sockets and devices are not opened, and do not block', async ({ fixture: { files, inside } }) => {
    execFileSync('mkfifo', [join(inside, 'pipe')])
    const special = ['pipe']
    if (process.getuid?.() === 0) {
      execFileSync('mknod', [join(inside, 'zero'), 'c', '1', '5'])
      special.push('zero')
    }

    for (const name of special) {
      expect(await readRefusal(files.readFile(parsePath(name), 100))).toBe('ErrNotAFile')
      expect(await readRefusal(files.open(parsePath(name), 'append'))).toBe('ErrNotAFile')
      expect(await readRefusal(files.writeFile(parsePath(name), 'x'))).toBe('ErrNotAFile')
      expect(await files.stat(parsePath(name))).toMatchObject({ kind: 'other' })
    }
    expect(await readRefusal(files.readFile(rootPath, 100))).toBe('ErrNotAFile')
  })
})

describe('directories', () => {
  test('a name that is not UTF-8 does not break a listing, and is removed with its directory', async ({
    fixture: { files, inside },
  }) => {
    mkdirSync(join(inside, 'odd'))
    writeFileSync(Buffer.concat([Buffer.from(`${inside}/odd/`), Buffer.from([0x66, 0xff, 0xfe])]), 'x')
    writeFileSync(join(inside, 'odd/plain'), 'x')

    const names = (await files.readdir(parsePath('odd'))).map(({ name }) => name).toSorted()
    const fitting = await files.glob(parsePattern('odd/*'))
    await files.removeTree(parsePath('odd'))

    expect(names).toEqual(['f\ufffd\ufffd', 'plain'])
    expect(fitting.map(formatPath)).toEqual(['/odd/plain'])
    expect(existsSync(join(inside, 'odd'))).toBe(false)
  })

  test('a pattern matches in any part of a path', async ({ fixture: { files, inside } }) => {
    for (const folder of ['libs/one', 'libs/two', 'other']) mkdirSync(join(inside, folder), { recursive: true })
    for (const file of ['libs/one/a.jar', 'libs/two/b.jar', 'libs/two/b.txt', 'other/c.jar', 'x*y'])
      writeFileSync(join(inside, file), '')

    const found = async (pattern: string) => (await files.glob(parsePattern(pattern))).map(formatPath)

    expect(await found('libs/*/*.jar')).toEqual(['/libs/one/a.jar', '/libs/two/b.jar'])
    expect(await found('li?s/t*o/b.???')).toEqual(['/libs/two/b.jar', '/libs/two/b.txt'])
    expect(await found('other/c.jar')).toEqual(['/other/c.jar'])
    expect(await found('other/*.zip')).toEqual([])
    expect(await found('missing/*')).toEqual([])
    expect(await found(`${'*x'.repeat(100)}`)).toEqual([])
  })

  test('a tree deeper than any path, with links and read-only directories, is removed', async ({
    fixture: { files, inside, outside },
  }) => {
    makeDeepTree(join(inside, 'deep'))
    mkdirSync(join(inside, 'locked/in'), { recursive: true })
    chmodSync(join(inside, 'locked'), 0o500)
    symlinkSync('..', join(inside, 'out'))

    await files.removeTree(rootPath)

    expect(readdirSync(inside)).toEqual([])
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside')
    expect(existsSync('/etc/passwd')).toBe(true)
  })

  test("removeAll removes the server's directory too", async ({ fixture: { files, inside } }) => {
    writeFileSync(join(inside, 'a'), '')

    await files.removeAll()

    expect(existsSync(inside)).toBe(false)
    expect(await readRefusal(files.writeFile(parsePath('b'), ''))).toBe('ErrFileNotFound')
  })

  test('no descriptor stays open after any operation', async ({ fixture: { files, inside } }) => {
    mkdirSync(join(inside, 'a/b'), { recursive: true })
    symlinkSync('..', join(inside, 'a/out'))
    symlinkSync('b', join(inside, 'a/in'))
    const before = openDescriptors()

    for (const text of ['a/b/c', 'a/out/c', 'a/in/c', 'a/missing/c', 'a', '']) {
      const path = parsePath(text)
      await Promise.allSettled([
        files.readFile(path, 10),
        files.writeFile(path, 'x'),
        files.stat(path),
        files.readdir(path),
        files.mkdirs(path),
        files.rename(path, parsePath('a/out/d')),
        files.glob(parsePattern(`${text}/*`)),
        files.workingDirectory(path),
      ])
    }

    expect(openDescriptors()).toBe(before)
  })
})
