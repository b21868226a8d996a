import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ExtractConflictPolicy } from '@innkeeper/contract/servers/files'
import { test as base } from 'vitest'
import { extractArchive, findArchiveKind, packArchive } from '../archives/archives.ts'
import type { ArchiveLimits } from '../archives/unpack/unpacking.ts'
import { parsePath } from '../files/path/safe-path.ts'
import { RootFs } from '../files/root.ts'
import { Progress } from '../files/tree/progress.ts'

interface Changes {
  readonly to?: string
  readonly onConflict?: ExtractConflictPolicy
  readonly limits?: Partial<ArchiveLimits>
  readonly signal?: AbortSignal
  readonly progress?: Progress
}

/** A server's directory with files outside of it, and helpers to create and extract archives. */
export interface ArchiveFixture {
  readonly outside: string
  readonly inside: string
  readonly files: RootFs
  /** Writes a file of the server, with parent directories. */
  put(name: string, content: string | Buffer): string
  /** Runs a program in the server's directory. */
  run(file: string, ...args: readonly string[]): string
  pack(name: string, ...paths: readonly string[]): Promise<Progress>
  unpack(name: string, changes?: Changes): Promise<Progress>
  /** The code and reason of the refusal; fails when it succeeds. */
  getRefusal(trying: Promise<unknown>): Promise<string>
  /** What is below a directory: files with content, directories with a slash, links with targets. */
  readTree(folder?: string): Record<string, string>
}

export const test = base.extend<{ fixture: ArchiveFixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  fixture: async ({}, use) => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-archives-')))
    const inside = join(outside, 'server')
    mkdirSync(inside)
    await using files = await RootFs.open(inside)
    await use(getGround(outside, inside, files))
    rmSync(outside, { recursive: true, force: true })
  },
})

function getGround(outside: string, inside: string, files: RootFs): ArchiveFixture {
  const signal = new AbortController().signal
  const run = (file: string, ...args: readonly string[]) =>
    execFileSync(file, args, {
      cwd: inside,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      // UTF-8 names, whatever the locale of the test run.
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
  return {
    outside,
    inside,
    files,
    run,
    put(name, content) {
      const path = join(inside, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
    async pack(name, ...paths) {
      const kind = findArchiveKind(name)
      if (!kind) throw new Error(`${name} is no archive`)
      const progress = new Progress()
      await using draft = await files.draft(parsePath(name))
      const write = (chunk: Uint8Array) => draft.write(chunk)
      await packArchive({ files, paths: paths.map(parsePath), kind, write, progress, signal })
      await draft.commit()
      return progress
    },
    async unpack(name, { to = 'out', onConflict = 'replace', ...changes } = {}) {
      mkdirSync(join(inside, to), { recursive: true })
      const progress = changes.progress ?? new Progress()
      const order = { files, archive: parsePath(name), destination: parsePath(to), onConflict, signal }
      await extractArchive({ ...order, ...changes, progress })
      return progress
    },
    async getRefusal(trying) {
      try {
        await trying
      } catch (error) {
        if (error instanceof Refusal) {
          const { reason, limit, path } = error.metadata
          return [error.code, reason ?? limit ?? path].filter((part) => part !== undefined).join(': ')
        }
        throw error
      }
      return 'no refusal'
    },
    readTree(folder = '.') {
      const lines = run('find', folder, '-mindepth', '1', '-printf', '%P\\t%y\\t%l\\n').split('\n').filter(Boolean)
      return Object.fromEntries(
        lines.toSorted().map((line) => {
          const [name = '', kind, target] = line.split('\t')
          if (kind === 'd') return [`${name}/`, '']
          return [name, kind === 'l' ? `-> ${target}` : run('head', '-c', '200', '--', join(folder, name))]
        }),
      )
    },
  }
}

/** Throws an error with the program's name when it is missing: its test must not be skipped silently. */
export function deps(program: string): void {
  if (spawnSync('which', [program]).status !== 0) throw new Error(`This test needs the program '${program}'.`)
}
