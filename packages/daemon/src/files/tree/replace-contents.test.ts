import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { DirHandle } from '../path/dir-handle.ts'
import { finishReplacements, IncompleteReplacementError, isUnfinished, replaceContents } from './replace-contents.ts'

/** As an earlier daemon named it. */
const holderName = '.innkeeper-01234567-0123-4567-89ab-0123456789ab.tmp'
const [formerNames, newNames] = [
  ['a', 'both', 'c'],
  ['both', 'x', 'y'],
]

interface Fixture {
  readonly dir: string
  readonly target: DirHandle
  /** Names in the directory, without temporary ones. */
  names(): string[]
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), 'innkeeper-replace-'))
    mkdirSync(join(dir, holderName, 'tree'), { recursive: true })
    for (const name of formerNames) writeFileSync(join(dir, name), 'former')
    for (const name of newNames) writeFileSync(join(dir, holderName, 'tree', name), 'new')
    {
      await using target = await DirHandle.open(dir)
      const names = () => readdirSync(dir).filter((name) => name !== holderName)
      await use({ dir, target, names: () => names().toSorted() })
    }
    rmSync(dir, { recursive: true })
  },
})

/** What a daemon left that was killed before it placed the new files, after it moved this number of former ones away. */
function interrupt(dir: string, count: number): void {
  mkdirSync(join(dir, holderName, 'former'))
  for (const name of formerNames.slice(0, count)) renameSync(join(dir, name), join(dir, holderName, 'former', name))
}

test('the contents are replaced, and the former ones are kept until the holder is removed', async ({ fixture }) => {
  const { dir, target, names } = fixture
  await using holder = await target.openDir(holderName)
  await using tree = await holder.openDir('tree')

  await replaceContents({ tree, target, holder })

  expect(names()).toEqual(newNames)
  expect(readdirSync(join(dir, holderName, 'replaced')).toSorted()).toEqual(formerNames)
  expect(await isUnfinished(holder)).toBe(false)
})

test.for(['tree', 'placing', 'replaced'])(
  'a crash while the holder of a finished replacement is removed (%s is gone) changes nothing',
  async (gone, { fixture }) => {
    const { dir, target, names } = fixture
    {
      await using holder = await target.openDir(holderName)
      await using tree = await holder.openDir('tree')
      await replaceContents({ tree, target, holder })
    }
    rmSync(join(dir, holderName, gone), { recursive: true })

    await finishReplacements(target)

    expect(names()).toEqual(newNames)
    expect(readFileSync(join(dir, 'both'), 'utf8')).toBe('new')
  },
)

test('a failure puts everything back', async ({ fixture }) => {
  const { dir, target, names } = fixture
  await using holder = await target.openDir(holderName)
  await using tree = await holder.openDir('tree')
  mkdirSync(join(dir, holderName, 'placing'))

  await expect(replaceContents({ tree, target, holder })).rejects.toThrow('EEXIST')

  expect(names()).toEqual(formerNames)
  expect(readdirSync(join(dir, holderName, 'tree')).toSorted()).toEqual(newNames)
  expect(await isUnfinished(holder)).toBe(false)
})

test('what cannot be put back after a failure is kept, and everything else is put back', async ({ fixture }) => {
  const { dir, target, names } = fixture
  await using holder = await target.openDir(holderName)
  await using tree = await holder.openDir('tree')
  const failing = new Proxy(tree, {
    get(handle, key) {
      // A user writes a file between the renames, then the disk fails.
      writeFileSync(join(dir, 'a'), 'newer')
      if (key === 'names') throw new Error('EIO')
      return Reflect.get(handle, key, handle)
    },
  })

  await expect(replaceContents({ tree: failing, target, holder })).rejects.toThrow(IncompleteReplacementError)

  expect(names()).toEqual(formerNames)
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('newer')
  expect(readFileSync(join(dir, holderName, 'former', 'a'), 'utf8')).toBe('former')
  expect(await isUnfinished(holder)).toBe(true)
})

test.for([0, 1, 2, 3])('a crash after %i former files were moved away puts them back', async (count, { fixture }) => {
  const { dir, target, names } = fixture
  interrupt(dir, count)

  expect(await finishReplacements(target)).toEqual(new Map([[holderName, 'undone']]))

  expect(names()).toEqual(formerNames)
  expect(await finishReplacements(target)).toEqual(new Map())
})

test.for([0, 1, 2, 3])('a crash after %i new files were placed places the others', async (count, { fixture }) => {
  const { dir, target, names } = fixture
  const holder = join(dir, holderName)
  interrupt(dir, formerNames.length)
  mkdirSync(join(holder, 'placing'))
  for (const name of newNames.slice(0, count)) renameSync(join(holder, 'tree', name), join(dir, name))

  expect(await finishReplacements(target)).toEqual(new Map([[holderName, 'done']]))

  expect(names()).toEqual(newNames)
  expect(await finishReplacements(target)).toEqual(new Map([[holderName, 'done']]))
  expect(names()).toEqual(newNames)
})

test('newer files are not overwritten: the others are recovered, and the next call continues', async ({ fixture }) => {
  const { dir, target, names } = fixture
  interrupt(dir, formerNames.length)
  writeFileSync(join(dir, 'a'), 'newer')

  await expect(finishReplacements(target)).rejects.toThrow('a could not be moved: newer files have their names')

  expect(names()).toEqual(formerNames)
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('newer')
  rmSync(join(dir, 'a'))
  expect(await finishReplacements(target)).toEqual(new Map([[holderName, 'undone']]))
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('former')
})

test('a crash between the two steps of a rename is recovered', async ({ fixture }) => {
  const { dir, target, names } = fixture
  interrupt(dir, formerNames.length)
  linkSync(join(dir, holderName, 'former', 'a'), join(dir, 'a'))

  expect(await finishReplacements(target)).toEqual(new Map([[holderName, 'undone']]))

  expect(names()).toEqual(formerNames)
})

test('what an earlier replacement left is replaced too, so that it is not recovered over the new contents', async ({
  fixture,
}) => {
  const { dir, target, names } = fixture
  interrupt(dir, formerNames.length)
  const next = join(dir, '.innkeeper-01234567-0123-4567-89ab-0123456789ac.tmp')
  mkdirSync(join(next, 'tree'), { recursive: true })
  writeFileSync(join(next, 'tree', 'a'), 'newest')
  {
    await using holder = await target.openDir(next.slice(dir.length + 1))
    await using tree = await holder.openDir('tree')
    await replaceContents({ tree, target, holder })
  }
  rmSync(next, { recursive: true })

  expect(await finishReplacements(target)).toEqual(new Map())

  expect(names()).toEqual(['a'])
  expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('newest')
})

test('without a replacement nothing changes', async ({ fixture: { target, names } }) => {
  expect(await finishReplacements(target)).toEqual(new Map())
  expect(names()).toEqual(formerNames)
})
