import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { DirHandle } from '../path/dir-handle.ts'
import { finishReplacements, replaceContents } from './replace-contents.ts'

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

test('the contents are replaced, and the former ones are kept until the holder is removed', async ({ fixture }) => {
  const { dir, target, names } = fixture
  await using holder = await target.openDir(holderName)
  await using tree = await holder.openDir('tree')

  await replaceContents({ tree, target, holder })

  expect(names()).toEqual(newNames)
  expect(readdirSync(join(dir, holderName, 'former')).toSorted()).toEqual(formerNames)
})

test('a failure puts everything back', async ({ fixture }) => {
  const { dir, target, names } = fixture
  await using holder = await target.openDir(holderName)
  await using tree = await holder.openDir('tree')
  mkdirSync(join(dir, holderName, 'placing'))

  await expect(replaceContents({ tree, target, holder })).rejects.toThrow('EEXIST')

  expect(names()).toEqual(formerNames)
  expect(readdirSync(join(dir, holderName, 'tree')).toSorted()).toEqual(newNames)
})

test.for([0, 1, 2, 3])('a crash after %i former files were moved away puts them back', async (count, { fixture }) => {
  const { dir, target, names } = fixture
  mkdirSync(join(dir, holderName, 'former'))
  for (const name of formerNames.slice(0, count)) renameSync(join(dir, name), join(dir, holderName, 'former', name))

  expect(await finishReplacements(target)).toBe('undone')

  expect(names()).toEqual(formerNames)
  expect(await finishReplacements(target)).toBeUndefined()
})

test.for([0, 1, 2, 3])('a crash after %i new files were placed places the others', async (count, { fixture }) => {
  const { dir, target, names } = fixture
  const holder = join(dir, holderName)
  mkdirSync(join(holder, 'former'))
  for (const name of formerNames) renameSync(join(dir, name), join(holder, 'former', name))
  mkdirSync(join(holder, 'placing'))
  for (const name of newNames.slice(0, count)) renameSync(join(holder, 'tree', name), join(dir, name))

  expect(await finishReplacements(target)).toBe('done')

  expect(names()).toEqual(newNames)
  expect(await finishReplacements(target)).toBeUndefined()
})

test('without a replacement nothing changes', async ({ fixture: { target, names } }) => {
  expect(await finishReplacements(target)).toBeUndefined()
  expect(names()).toEqual(formerNames)
})
