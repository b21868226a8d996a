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
  /** Whether each line is reported that the pattern is the first to match. */
  readonly hasLines: boolean
}

/** The result for each output: the numbers of the matching patterns, and of those with lines each match in order. */
export interface PatternMatches {
  readonly matches: readonly number[]
  readonly lines: readonly LineMatch[]
}

interface LineMatch {
  readonly number: number
  readonly groups: Readonly<Record<string, string>>
}

/** Of one output, which is as much as 10,000 short lines. */
const maxLineMatches = 2_000
const maxGroupChars = 1_000

/** The worker of `PatternMatcher`, which terminates it and reads from the shared cell which pattern was running. */
const currentPattern = new Int32Array(workerData as SharedArrayBuffer)
type Compiled = Omit<Numbered, 'pattern'> & { readonly compiled: ReturnType<typeof compilePattern> }
const all = new Map<string, { lines: LineSplitter; patterns: readonly Compiled[] }>()

parentPort?.on('message', (request: PatternRequest) => {
  if (request.type === 'watch') {
    const patterns = request.patterns.map(({ pattern, ...one }) => ({ ...one, compiled: compilePattern(pattern) }))
    const lines = all.get(request.name)?.lines ?? new LineSplitter(matchedLineChars)
    if (patterns.length === 0) all.delete(request.name)
    else all.set(request.name, { lines, patterns })
    return
  }
  const { lines, patterns = [] } = all.get(request.name) ?? {}
  if (request.isAfterGap) lines?.skip()
  const matches = matchLines(lines?.push(request.data) ?? [], patterns)
  Atomics.store(currentPattern, 0, 0)
  parentPort?.postMessage(matches)
})

function matchLines(texts: readonly string[], patterns: readonly Compiled[]): PatternMatches {
  const matches = new Set<number>()
  const lines: LineMatch[] = []
  for (const text of texts) {
    let isTaken = false
    for (const { number, compiled, hasLines } of patterns) {
      if (hasLines ? isTaken || lines.length >= maxLineMatches : matches.has(number)) continue
      Atomics.store(currentPattern, 0, number)
      if (!hasLines) {
        if (compiled.test(text)) matches.add(number)
        continue
      }
      const matcher = compiled.matcher(text)
      if (!matcher.find()) continue
      isTaken = true
      const groups = Object.keys(compiled.namedGroups()).flatMap((name) => {
        const value: string | null = matcher.group(name)
        return value ? [[name, value.slice(0, maxGroupChars)] as const] : []
      })
      lines.push({ number, groups: Object.fromEntries(groups) })
    }
  }
  return { matches: [...matches], lines }
}
