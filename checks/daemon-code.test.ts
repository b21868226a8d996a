import { expect, test } from 'vitest'
import { isForTests, type Source, sources } from './sources.ts'

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

test('functions of the daemon are short', () => {
  const functions = daemon.flatMap(getFunctions).toSorted((a, b) => a.lines - b.lines)

  expect(functions.length).toBeGreaterThan(1_000)
  expect(functions.filter(({ lines }) => lines > 100)).toEqual([])
  expect(functions[Math.floor(functions.length * 0.99)]?.lines).toBeLessThanOrEqual(40)
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
