import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findDiskError } from '../errors/error-code.ts'
import { test as onTestDirectory } from '../testing/test-directory.ts'
import { parsePath } from './path/safe-path.ts'
import { RootFs } from './root.ts'

/** A file system of its own, of 4 MiB. */
interface Disk {
  readonly folder: string
  readonly files: RootFs
  remount(mode: 'ro' | 'rw'): void
}

const test = onTestDirectory.extend<{ disk: Disk }>({
  disk: async ({ fixture: { outside }, skip }, use) => {
    const folder = join(outside, 'disk')
    mkdirSync(folder)
    const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0755', 'tmpfs', folder])
    if (mount.status !== 0) skip('this user may not mount a disk')
    const files = await RootFs.open(folder)
    await use({ folder, files, remount: (mode) => execFileSync('mount', ['-o', `remount,${mode}`, folder]) })
    await files[Symbol.asyncDispose]()
    execFileSync('umount', ['-l', folder])
  },
})

const at = parsePath
const large = Buffer.alloc(6_000_000, 'x')

async function readProblem(trying: Promise<unknown>): Promise<string | undefined> {
  const [result] = await Promise.allSettled([trying])
  return result.status === 'rejected' ? (findDiskError(result.reason) ?? String(result.reason)) : 'no trouble'
}

test('on a full disk the old content stays, nothing is left over, and writing works once there is space', async ({
  disk: { folder, files },
  fixture: { outside },
}) => {
  writeFileSync(join(folder, 'config'), 'old')
  mkdirSync(join(folder, 'world'))
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'world', name), Buffer.alloc(700_000))
  writeFileSync(join(outside, 'upload'), large)

  expect(await readProblem(files.writeFile(at('config'), large))).toBe('the disk is full')
  expect(await readProblem(files.writeFile(at('new'), large))).toBe('the disk is full')
  expect(await readProblem(files.copyTree(at('world'), at('copy'), { onConflict: 'refuse' }))).toBe('the disk is full')
  expect(await readProblem(files.importFile(join(outside, 'upload'), at('config'), { onConflict: 'replace' }))).toBe(
    'the disk is full',
  )

  expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('old')
  expect(readdirSync(folder).toSorted()).toEqual(['config', 'world'])
  expect(readFileSync(join(outside, 'upload')).length).toBe(large.length)

  await files.removeTree(at('world'))
  await files.writeFile(at('config'), large.subarray(0, 3_000_000))
  expect(readFileSync(join(folder, 'config')).length).toBe(3_000_000)
})

test('a disk that becomes read-only is reported, and used again when it is writable', async ({
  disk: { folder, files, remount },
}) => {
  await files.writeFile(at('config'), 'old')
  remount('ro')

  const acts = [
    () => files.writeFile(at('config'), 'new'),
    () => files.mkdirs(at('folder')),
    () => files.rename(at('config'), at('other')),
    () => files.rename(at('config'), at('other'), { onConflict: 'refuse' }),
    () => files.removeTree(at('config')),
    () => files.open(at('config'), 'update'),
    () => files.setStat(at('config'), { mode: 0o600 }),
    () => files.copyTree(at('config'), at('copy'), { onConflict: 'refuse' }),
  ]
  for (const act of acts) expect(await readProblem(act())).toBe('the disk is read-only')
  expect((await files.readFile(at('config'), 10)).toString()).toBe('old')
  expect(readdirSync(folder)).toEqual(['config'])

  remount('rw')
  await files.writeFile(at('config'), 'new')
  expect(readFileSync(join(folder, 'config'), 'utf8')).toBe('new')
})

test('a move to another file system is reported, and leaves the file', async ({
  disk: { folder },
  fixture: { files, inside },
}) => {
  // The file system is mounted in the server's directory, as an operator may do.
  mkdirSync(join(inside, 'other'))
  const bound = spawnSync('mount', ['--bind', folder, join(inside, 'other')])
  expect(bound.status).toBe(0)
  try {
    writeFileSync(join(inside, 'a'), 'here')
    mkdirSync(join(inside, 'b'))
    for (const onConflict of ['refuse', 'replace'] as const) {
      expect(await readProblem(files.rename(at('a'), at('other/a'), { onConflict }))).toBe(
        'it is on another file system',
      )
      expect(await readProblem(files.rename(at('b'), at('other/b'), { onConflict }))).toBe(
        'it is on another file system',
      )
    }
    expect(readdirSync(join(inside, 'other'))).toEqual([])
    await files.copyTree(at('a'), at('other/a'), { onConflict: 'refuse' })
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('here')
  } finally {
    execFileSync('umount', ['-l', join(inside, 'other')])
  }
})

onTestDirectory(
  'too many open files are reported by a save, which works again after some are closed',
  ({ fixture: { inside } }) => {
    writeFileSync(join(inside, 'config'), 'old')
    const script = `
    import { open } from 'node:fs/promises'
    import { RootFs } from ${JSON.stringify(new URL('./root.ts', import.meta.url).href)}
    import { findDiskError } from ${JSON.stringify(new URL('../errors/error-code.ts', import.meta.url).href)}
    import { parsePath, rootPath } from ${JSON.stringify(new URL('./path/safe-path.ts', import.meta.url).href)}
    const files = await RootFs.open(${JSON.stringify(inside)})
    const said = []
    const save = () => files.writeFile(parsePath('config'), 'new').then(() => said.push('saved'), (e) => said.push(findDiskError(e)))
    const held = []
    try { for (;;) held.push(await open('/dev/null')) } catch {}
    for (let free = 0; free < 4; free++) {
      await save()
      await files.readdir(rootPath).catch((e) => said.push(findDiskError(e)))
      await held.pop().close()
    }
    for (const one of held) await one.close()
    await save()
    console.log(JSON.stringify(said))`
    const messages = execFileSync(
      'sh',
      ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, script],
      { encoding: 'utf8' },
    )

    const answers: unknown[] = JSON.parse(messages)
    expect(answers[0]).toBe('too many files are open')
    expect(new Set(answers)).toEqual(new Set(['too many files are open', 'saved']))
    expect(answers.at(-1)).toBe('saved')
    expect(readFileSync(join(inside, 'config'), 'utf8')).toBe('new')
    expect(readdirSync(inside)).toEqual(['config'])
  },
)
