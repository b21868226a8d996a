import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { files, isForTests, type Source, sources } from './sources.ts'

/** Folders that use the kernel, other processes and sockets, where almost every call can fail in an expected way. */
const systemEdge = [
  'environments',
  'files/path',
  'files/read',
  'files/write',
  'fs',
  'isolation',
  'keeper',
  'network',
  'proc',
].map((folder) => `packages/daemon/src/${folder}/`)

const daemon = sources('packages/daemon/src/**/*.ts').filter(({ path }) => !isForTests(path))

test('the daemon handles errors in few places', () => {
  const inner = daemon.filter(({ path }) => !systemEdge.some((folder) => path.startsWith(folder)))
  const lines = inner.reduce((sum, { text }) => sum + text.split('\n').length, 0)
  const attempts = inner.reduce((sum, source) => sum + countTryStatements(source), 0)

  expect((attempts / lines) * 1_000).toBeLessThanOrEqual(4)
})

// oxlint finds functions of more than 150 lines.
test.each([
  ['contract', 60],
  ['daemon', 60],
  ['panel', 90],
  ['web', 90],
  ['cli', 60],
])('99 of 100 functions of %s have fewer than %i lines', (name, limit) => {
  const own = sources(`packages/${name}/src/**/*.{ts,tsx}`).filter(({ path }) => !isForTests(path))
  const functions = own.flatMap(getFunctions)
  const long = functions.filter(({ lines }) => lines >= limit)

  expect(functions.length).toBeGreaterThan(500)
  expect(
    long.length,
    `split one of them by subject:\n${long.map(({ at, lines }) => `${at} ${lines} lines`).join('\n')}`,
  ).toBeLessThanOrEqual(functions.length / 100)
})

/** Grows with each change of the tables; a migration is found by its number. */
const migrations = 'packages/panel/src/database/migrations'

test('no folder has more than 40 files, not counting tests, styles and migrations', () => {
  const folders = Map.groupBy(
    files('packages/*/src/**/*.{ts,tsx}').filter(({ path }) => !isForTests(path) && posix.dirname(path) !== migrations),
    ({ path }) => posix.dirname(path),
  )
  const large = [...folders].filter(([, inside]) => inside.length > 40).map(([folder]) => folder)

  expect(large, 'sort its files into subfolders by subject').toEqual([])
})

function countTryStatements(source: Source): number {
  let count = 0
  source.visit({ TryStatement: () => void count++ })
  return count
}

function getFunctions(source: Source): { readonly at: string; readonly lines: number }[] {
  const found: { readonly at: string; readonly lines: number }[] = []
  const add = ({ start, end }: { readonly start: number; readonly end: number }) => {
    found.push({ at: source.at(start), lines: source.text.slice(start, end).split('\n').length })
  }
  source.visit({ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add })
  return found
}
