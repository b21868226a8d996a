import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { test as base } from 'vitest'
import { RootFs } from '../files/root.ts'

/** A server's directory with files outside of it. */
export interface TestDirectory {
  readonly inside: string
  readonly outside: string
  readonly files: RootFs
}

export const test = base.extend<{ fixture: TestDirectory }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  fixture: async ({}, use) => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'innkeeper-files-')))
    const inside = join(outside, 'abc')
    mkdirSync(inside)
    // A sibling whose name has the same prefix: a prefix check would let it through.
    mkdirSync(join(outside, 'abcd'))
    writeFileSync(join(outside, 'secret.txt'), 'outside')
    writeFileSync(join(outside, 'abcd/secret.txt'), 'outside')
    const files = await RootFs.open(inside)
    await use({ inside, outside, files })
    await files[Symbol.asyncDispose]()
    rmSync(outside, { recursive: true, force: true })
  },
})

/** The code of the refusal of a promise. */
export async function readRefusal(trying: Promise<unknown>): Promise<string> {
  try {
    await trying
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
  return 'no refusal'
}

/** All names below a directory. */
export const everythingIn = (folder: string) =>
  execFileSync('find', [folder], { encoding: 'utf8' }).split('\n').toSorted()

export const openDescriptors = () => readdirSync('/proc/self/fd').length

/** A hash of every name, owner, mode, mtime and byte below a directory, except for one directory. */
export function fingerprint(folder: string, without = ''): string {
  const script = `find . ${without && `-path './${without}' -prune -o`} -printf '%p %y %m %U %s %C@ %l\\n' -type f -exec cat {} +`
  return createHash('sha256')
    .update(execFileSync('sh', ['-c', script], { cwd: folder }))
    .digest('hex')
}

/** Nested directories, deeper than any path: short ones moved into each other. Each has a file and a link. */
export function makeDeepTree(top: string, parts = 5): { depth: number } {
  const perPart = 100
  for (let part = 0; part < parts; part++) {
    const head = `${top}-${part}`
    const bottom = join(head, ...Array(perPart - 1).fill('0123456789'))
    mkdirSync(bottom, { recursive: true })
    symlinkSync('/etc', join(bottom, 'etc'))
    writeFileSync(join(bottom, 'file'), 'deep')
    if (part > 0) renameSync(`${top}-${part - 1}`, join(bottom, 'next'))
  }
  renameSync(`${top}-${parts - 1}`, top)
  return { depth: parts * perPart }
}
