import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test as base, expect } from 'vitest'
import { assertMounted, openFolders } from './folders.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  folder: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-folders-')))
    await use(folder)
    rmSync(folder, { recursive: true })
  },
})

test('folders are created, and those that links lead to are refused', async ({ folder }) => {
  const folders = [
    { folder: 'a/b', target: '/a', isReadOnly: true },
    { folder: '', target: '/all' },
  ]

  const opened = await openFolders(folder, folders)

  const name = basename(folder)
  expect(opened).toEqual([
    { source: join(folder, 'a/b'), target: '/a', inside: `/${name}/a/b`, isReadOnly: true },
    { source: folder, target: '/all', inside: undefined },
  ])
  symlinkSync('a', join(folder, 'link'))
  for (const linked of ['link', 'link/b'])
    await expect(openFolders(folder, [{ folder: linked, target: '/x' }])).rejects.toThrow('is a link')
  symlinkSync('/etc', join(folder, 'outside'))
  await expect(openFolders(folder, [{ folder: 'outside', target: '/x' }])).rejects.toThrow()
})

test('a mount of another folder is refused', async ({ folder }) => {
  mkdirSync(join(folder, 'a'))
  // This process has something else at its root and at /proc.
  const mounted = (target: string) => ({ source: join(folder, 'a'), target, inside: `/${basename(folder)}/a` })

  await expect(assertMounted({ pid: process.pid, startTime: 0 }, [mounted('/proc')])).rejects.toThrow('is a link')
  await expect(assertMounted({ pid: -1, startTime: 0 }, [mounted('/proc')])).resolves.toBeUndefined()
})
