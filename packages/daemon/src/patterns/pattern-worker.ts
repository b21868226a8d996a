import { parentPort, workerData } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import { compilePattern } from '@innkeeper/contract/pattern'
import { Lines } from './lines.ts'

/** What the thread is told. What is watched anew begins with a new line. */
export type Told =
  | { readonly kind: 'watch'; readonly name: string; readonly patterns: readonly Numbered[] }
  | { readonly kind: 'output'; readonly name: string; readonly data: Uint8Array; readonly isAfterGap: boolean }

interface Numbered {
  readonly number: number
  readonly pattern: string
}

/** What it says after each output: the numbers of the patterns that fit a line of it. */
export interface Found {
  readonly fitting: readonly number[]
}

/** The thread of `PatternWatch`: whoever started it ends it, and learns from the first cell which pattern was at work. */
const atWork = new Int32Array(workerData as SharedArrayBuffer)
const all = new Map<
  string,
  { lines: Lines; patterns: readonly { number: number; compiled: ReturnType<typeof compilePattern> }[] }
>()

parentPort?.on('message', (told: Told) => {
  if (told.kind === 'watch') {
    const patterns = told.patterns.map(({ number, pattern }) => ({ number, compiled: compilePattern(pattern) }))
    const lines = all.get(told.name)?.lines ?? new Lines(limits.patternLineChars)
    if (patterns.length === 0) all.delete(told.name)
    else all.set(told.name, { lines, patterns })
    return
  }
  const { lines, patterns = [] } = all.get(told.name) ?? {}
  if (told.isAfterGap) lines?.skip()
  const fitting = new Set<number>()
  for (const line of lines?.take(told.data) ?? []) {
    for (const { number, compiled } of patterns) {
      if (fitting.has(number)) continue
      Atomics.store(atWork, 0, number)
      if (compiled.test(line)) fitting.add(number)
    }
  }
  Atomics.store(atWork, 0, 0)
  parentPort?.postMessage({ fitting: [...fitting] } satisfies Found)
})
