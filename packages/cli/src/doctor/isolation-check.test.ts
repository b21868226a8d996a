import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect } from 'vitest'
import { isolationCheck } from './isolation-check.ts'

const { signal } = new AbortController()

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-doctor-'))
    await use(folder)
    await rm(folder, { recursive: true })
  },
})

/** The modes of a folder and of what it contains. */
async function modesIn(folder: string): Promise<Record<string, number>> {
  const names = ['.', ...(await readdir(folder))]
  const modes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mode] as const))
  return Object.fromEntries(modes)
}

test('the data folder is not changed', async ({ folder }) => {
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'panel.db'), 'x')
  await chmod(join(dataDir, 'panel.db'), 0o644)
  const before = await modesIn(dataDir)

  const results = await isolationCheck({ dataDir, uids: undefined }).run(signal)

  expect(results).not.toEqual([])
  expect(await modesIn(dataDir)).toEqual(before)
})

test('it is only known to root', async ({ folder }) => {
  const result = await isolationCheck({ dataDir: folder, uids: undefined, isRoot: false }).run(signal)

  expect(result).toMatchObject({ state: 'warning', message: expect.stringContaining('Only root') })
})

test('a data folder in which nothing can be created is a warning', async ({ folder }) => {
  const dataDir = join(folder, 'data')
  await writeFile(dataDir, 'not a folder')

  const result = await isolationCheck({ dataDir, uids: undefined, isRoot: true }).run(signal)

  expect(result).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(/^No folder can be created in .*ENOTDIR/),
    advice: expect.stringContaining('writable'),
  })
})
