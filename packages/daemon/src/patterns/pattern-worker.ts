import { parentPort, workerData } from 'node:worker_threads'
import { compilePattern, matchedLineChars } from '@innkeeper/contract/text/pattern'
import { LineSplitter } from './line-splitter.ts'

/** Requests to the worker. Newly watched patterns start with a new line. */
export type PatternRequest =
  | { readonly type: 'watch'; readonly name: string; readonly patterns: readonly Numbered[] }
  | { readonly type: 'output'; readonly name: string; readonly data: Uint8Array; readonly isAfterGap: boolean }

interface Numbered {
  readonly number: number
  readonly pattern: string
}

/** The result for each output: the numbers of the matching patterns. */
export interface PatternMatches {
  readonly matches: readonly number[]
}

/** The worker of `PatternMatcher`, which terminates it and reads from the shared cell which pattern was running. */
const currentPattern = new Int32Array(workerData as SharedArrayBuffer)
const all = new Map<
  string,
  { lines: LineSplitter; patterns: readonly { number: number; compiled: ReturnType<typeof compilePattern> }[] }
>()

parentPort?.on('message', (request: PatternRequest) => {
  if (request.type === 'watch') {
    const patterns = request.patterns.map(({ number, pattern }) => ({ number, compiled: compilePattern(pattern) }))
    const lines = all.get(request.name)?.lines ?? new LineSplitter(matchedLineChars)
    if (patterns.length === 0) all.delete(request.name)
    else all.set(request.name, { lines, patterns })
    return
  }
  const { lines, patterns = [] } = all.get(request.name) ?? {}
  if (request.isAfterGap) lines?.skip()
  const matches = new Set<number>()
  for (const line of lines?.push(request.data) ?? []) {
    for (const { number, compiled } of patterns) {
      if (matches.has(number)) continue
      Atomics.store(currentPattern, 0, number)
      if (compiled.test(line)) matches.add(number)
    }
  }
  Atomics.store(currentPattern, 0, 0)
  parentPort?.postMessage({ matches: [...matches] } satisfies PatternMatches)
})
