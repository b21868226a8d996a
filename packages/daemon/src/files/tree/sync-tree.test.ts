import { chmodSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { test as base } from '../../testing/test-directory.ts'
import { rootPath } from '../path/safe-path.ts'
import type { RootFs } from '../root.ts'

interface Watched {
  /** The path of the program `sync`. */
  readonly programs: string
  /** The files and directories that were synced, by their names at that time. */
  readonly kept: string[]
}

const test = base.extend<{ watched: Watched }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  watched: async ({}, use) => {
    const programs = mkdtempSync(join(tmpdir(), 'innkeeper-programs-'))
    vi.stubEnv('PATH', programs)
    const kept: string[] = []
    const one = await open('/dev/null')
    const prototype: FileHandle = Object.getPrototypeOf(one)
    await one.close()
    const { sync } = prototype
    const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      kept.push(readlinkSync(`/proc/self/fd/${this.fd}`))
      await sync.call(this)
    })
    await use({ programs, kept })
    spy.mockRestore()
    vi.unstubAllEnvs()
    rmSync(programs, { recursive: true })
  },
})

/** Places a tree with this many files. */
async function bring(files: RootFs, count: number): Promise<void> {
  await using staging = await files.stage(rootPath)
  for (let at = 0; at < count; at++) {
    await using file = await staging.file(['world', 'region', `${at}.mca`], 0o644)
    await file?.write(Buffer.from(`content ${at}`))
    await file?.finish(undefined)
  }
  await staging.merge({ onConflict: 'refuse', skip: () => {}, signal: new AbortController().signal })
}

/** What is synced before anything is placed, without the name of the temporary directory. */
const beforehand = (kept: readonly string[]) =>
  kept.filter((path) => path.includes('/.innkeeper-')).map((path) => path.replace(/^.*\.tmp\/tree/, ''))

test('files of a tree are synced before they get their names, and then the names', async ({
  fixture: { files, inside },
  watched: { kept },
}) => {
  await bring(files, 3)

  expect(beforehand(kept).sort()).toEqual([
    '',
    '/world',
    '/world/region',
    ...[0, 1, 2].map((at) => `/world/region/${at}.mca`),
  ])
  expect(kept.at(-1)).toBe(inside)
})

test('many files are synced at once with the file system', async ({
  fixture: { files, inside },
  watched: { programs, kept },
}) => {
  const seen = join(programs, 'seen')
  writeFileSync(join(programs, 'sync'), `#!/bin/sh\necho "$@" > ${seen}\necho world/region/* >> ${seen}\n`)
  chmodSync(join(programs, 'sync'), 0o755)

  await bring(files, 200)

  const [order, names] = readFileSync(seen, 'utf8').split('\n')
  expect([order, names?.split(' ').length]).toEqual(['-f .', 200])
  expect(kept).toEqual([inside])
})

test.for([
  ['missing', undefined],
  ['not up to it', '#!/bin/sh\nexit 1\n'],
])('a host whose sync is %s syncs each file', async ([, script], { fixture: { files, inside }, watched }) => {
  if (script !== undefined) {
    writeFileSync(join(watched.programs, 'sync'), script)
    chmodSync(join(watched.programs, 'sync'), 0o755)
  }

  await bring(files, 200)

  expect(beforehand(watched.kept).filter((path) => path.endsWith('.mca')).length).toBe(200)
  expect(readdirSync(join(inside, 'world/region')).length).toBe(200)
})
