import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test as plain } from 'vitest'
import { everythingIn, test } from '../../testing/test-directory.ts'
import { RootFs } from '../root.ts'
import { Progress } from '../tree/progress.ts'
import { DeniedFiles } from './denied-files.ts'
import { formatPath, parsePath, rootPath } from './safe-path.ts'

plain.each<[patterns: string[], denied: string[], allowed: string[]]>([
  [['Pal.sh'], ['Pal.sh', 'a/Pal.sh', 'PAL.SH', 'Pal.sh/x'], ['Pal.shx', 'xPal.sh', 'Palxsh']],
  [['/a/b.txt'], ['a/b.txt', 'A/B.TXT'], ['x/a/b.txt', 'a', 'a/b.txt2']],
  [['a/b.txt'], ['a/b.txt'], ['x/a/b.txt']],
  [['secret/'], ['secret', 'secret/x/y', 'z/secret/x'], ['secrets']],
  [
    ['*.key', '!open.key'],
    ['a.key', 'x/.key'],
    ['open.key', 'a.keys'],
  ],
  [['a/**'], ['a/b', 'a/b/c'], ['a', 'b/a/c']],
  [
    ['**/a', 'x/**/y'],
    ['a', 'q/a', 'x/y', 'x/1/2/y'],
    ['x', 'xy'],
  ],
  [['a/*.txt'], ['a/1.txt'], ['a/b/1.txt']],
  [
    ['f[0-9]?.dat', '[!a-c]x'],
    ['f1z.dat', 'dx'],
    ['fa1.dat', 'ax', 'f1.dat'],
  ],
  [
    ['\\!x', '\\#y', 'z\\ ', '# c', ' '],
    ['!x', '#y', 'z '],
    ['x', 'y', 'c', 'z'],
  ],
  [['[', '(a+)+b'], ['[', '(a+)+b'], ['aab']],
  [['dir/*', '!dir/keep'], ['dir/x'], ['dir/keep', 'dir']],
])('%j denies %j and allows %j', (patterns, denied, allowed) => {
  const files = DeniedFiles.of(patterns)

  expect(denied.filter((path) => !files?.has(path.split('/')))).toEqual([])
  expect(allowed.filter((path) => files?.has(path.split('/')))).toEqual([])
})

plain('a pattern with many wildcards takes linear time', () => {
  const denied = DeniedFiles.of(['*a*a*a*a*a*a*a*a*a*b'])

  const begin = performance.now()
  expect(denied?.has(['a'.repeat(255)])).toBe(false)
  expect(performance.now() - begin).toBeLessThan(2_000)
})

describe('files of a user', () => {
  const patterns = ['/cfg/secret.txt', 'Pal.sh']
  const userFiles = (inside: string) => RootFs.open(inside, { denied: () => DeniedFiles.of(patterns) })
  const fill = (inside: string) => {
    mkdirSync(join(inside, 'cfg/deep'), { recursive: true })
    writeFileSync(join(inside, 'cfg/secret.txt'), 'secret')
    writeFileSync(join(inside, 'cfg/open.txt'), 'open')
    writeFileSync(join(inside, 'Pal.sh'), 'game')
    symlinkSync('cfg/secret.txt', join(inside, 'link'))
    symlinkSync('cfg', join(inside, 'folder'))
  }
  const refused = { code: 'ErrFileDenied' }
  const options = { onConflict: 'replace', signal: new AbortController().signal } as const

  test('a denied file is listed, but cannot be used, whatever path leads to it', async ({ fixture: { inside } }) => {
    fill(inside)
    await using files = await userFiles(inside)

    for (const path of ['cfg/secret.txt', 'cfg/../cfg//secret.txt', 'link', 'folder/secret.txt', 'PAL.sh', 'Pal.sh']) {
      const at = parsePath(path)
      await expect(files.readFile(at, 100), path).rejects.toMatchObject(refused)
      await expect(files.writeFile(at, 'x'), path).rejects.toMatchObject(refused)
      await expect(files.open(at, { read: true, write: true }), path).rejects.toMatchObject(refused)
      await expect(files.setStat(at, { mode: 0o777 }), path).rejects.toMatchObject(refused)
      await expect(files.realPath(at), path).rejects.toMatchObject(refused)
      if (path === 'link') continue
      await expect(files.removeTree(at), path).rejects.toMatchObject(refused)
      await expect(files.discard(at), path).rejects.toMatchObject(refused)
      await expect(files.rename(at, parsePath('mine')), path).rejects.toMatchObject(refused)
      await expect(files.rename(parsePath('cfg/open.txt'), at), path).rejects.toMatchObject(refused)
      await expect(files.copyTree(at, parsePath('mine'), options), path).rejects.toMatchObject(refused)
      await expect(files.copyTree(parsePath('cfg/open.txt'), at, options), path).rejects.toMatchObject(refused)
      await expect(files.symlink('x', at), path).rejects.toMatchObject(refused)
      await expect(files.mkdirs(at), path).rejects.toMatchObject(refused)
    }

    expect((await files.readdir(parsePath('cfg'))).map(({ name }) => name).sort()).toEqual([
      'deep',
      'open.txt',
      'secret.txt',
    ])
    expect(await files.lstat(parsePath('cfg/secret.txt'))).toMatchObject({ size: 6 })
    expect((await files.readFile(parsePath('folder/open.txt'), 100)).toString()).toBe('open')
    expect(readFileSync(join(inside, 'cfg/secret.txt'), 'utf8')).toBe('secret')
  })

  test('a folder with a denied file is not renamed, copied or deleted', async ({ fixture: { inside } }) => {
    fill(inside)
    await using files = await userFiles(inside)
    const before = everythingIn(inside)

    for (const action of [
      () => files.rename(parsePath('cfg'), parsePath('mine')),
      () => files.copyTree(parsePath('cfg'), parsePath('mine'), options),
      () => files.removeTree(parsePath('cfg')),
      () => files.discard(parsePath('cfg')),
      () => files.removeTree(rootPath),
    ]) {
      await expect(action()).rejects.toMatchObject(refused)
    }

    expect(everythingIn(inside)).toEqual(before)
  })

  test('a folder does not take a file to a denied place', async ({ fixture: { inside } }) => {
    mkdirSync(join(inside, 'mine'))
    writeFileSync(join(inside, 'mine/secret.txt'), 'forged')
    await using files = await userFiles(inside)

    await expect(files.rename(parsePath('mine'), parsePath('cfg'))).rejects.toMatchObject(refused)
    await expect(files.copyTree(parsePath('mine'), parsePath('cfg'), options)).rejects.toMatchObject(refused)

    expect(everythingIn(inside)).toEqual(everythingIn(inside).filter((path) => !path.startsWith('cfg')))
  })

  test('a tree that is merged has nothing at a denied place, also through links', async ({ fixture: { inside } }) => {
    fill(inside)
    await using files = await userFiles(inside)
    const merge = async (...names: string[]) => {
      await using staging = await files.stage(rootPath)
      await staging.folder(['new'])
      const file = await staging.file(names, 0o644)
      await file?.write(Buffer.from('forged'))
      await file?.finish(undefined)
      await file?.[Symbol.asyncDispose]()
      await staging.merge({ ...options, skip: () => {} })
    }

    await expect(merge('cfg', 'secret.txt')).rejects.toMatchObject(refused)
    await expect(merge('folder', 'secret.txt')).rejects.toMatchObject(refused)
    await expect(merge('fresh', 'deep', 'Pal.sh')).rejects.toMatchObject(refused)
    await merge('folder', 'other.txt')

    expect(readFileSync(join(inside, 'cfg/secret.txt'), 'utf8')).toBe('secret')
    expect(readFileSync(join(inside, 'cfg/other.txt'), 'utf8')).toBe('forged')
    expect(everythingIn(inside).some((path) => path.includes('fresh'))).toBe(false)
  })

  test('a walk leaves out denied entries and names them', async ({ fixture: { inside } }) => {
    fill(inside)
    renameSync(join(inside, 'Pal.sh'), join(inside, 'cfg/deep/x'))
    mkdirSync(join(inside, 'Pal.sh'))
    writeFileSync(join(inside, 'Pal.sh/inner'), '')
    await using files = await userFiles(inside)
    const [seen, left]: string[][] = [[], []]

    const onUnreadable = (path: Parameters<typeof formatPath>[0]) => void left?.push(formatPath(path))
    for await (const { path } of files.walk(rootPath, { onUnreadable })) seen?.push(formatPath(path))
    for await (const { path } of files.walk(parsePath('folder'), { onUnreadable })) seen?.push(formatPath(path))

    expect(left?.sort()).toEqual(['/Pal.sh', '/cfg/secret.txt', '/folder/secret.txt'])
    expect(seen?.some((path) => /secret|Pal/.test(path))).toBe(false)
    expect(seen).toContain('/folder/open.txt')
  })

  test('files of administrators and steps are not affected', async ({ fixture: { files, inside } }) => {
    fill(inside)

    await files.rename(parsePath('cfg'), parsePath('mine'))
    await files.copyTree(parsePath('mine'), parsePath('cfg'), { ...options, progress: new Progress() })

    expect((await files.readFile(parsePath('cfg/secret.txt'), 100)).toString()).toBe('secret')
  })
})
