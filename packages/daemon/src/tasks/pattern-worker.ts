import { parentPort, workerData } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import { Lines } from './lines.ts'
import type { Pattern } from './pattern.ts'

/** What the thread is told. A server that is watched anew begins with a new line. */
export type Told =
  | { readonly kind: 'watch'; readonly server: string; readonly patterns: readonly (Pattern & { number: number })[] }
  | { readonly kind: 'output'; readonly server: string; readonly data: Uint8Array; readonly isAfterGap: boolean }

/** What it says after each output: the numbers of the patterns that fit a line of it. */
export interface Found {
  readonly fitting: readonly number[]
}

/** The thread of `PatternWatch`: whoever started it ends it, and learns from the first cell which pattern was at work. */
const atWork = new Int32Array(workerData as SharedArrayBuffer)
const servers = new Map<string, { lines: Lines; patterns: readonly { number: number; shape: RegExp }[] }>()

parentPort?.on('message', (told: Told) => {
  if (told.kind === 'watch') {
    const patterns = told.patterns.map(({ number, source, flags }) => ({ number, shape: new RegExp(source, flags) }))
    const lines = servers.get(told.server)?.lines ?? new Lines(limits.taskLineChars)
    if (patterns.length === 0) servers.delete(told.server)
    else servers.set(told.server, { lines, patterns })
    return
  }
  const { lines, patterns = [] } = servers.get(told.server) ?? {}
  if (told.isAfterGap) lines?.skip()
  const fitting = new Set<number>()
  for (const line of lines?.take(told.data) ?? []) {
    for (const { number, shape } of patterns) {
      if (fitting.has(number)) continue
      Atomics.store(atWork, 0, number)
      if (shape.test(line)) fitting.add(number)
    }
  }
  Atomics.store(atWork, 0, 0)
  parentPort?.postMessage({ fitting: [...fitting] } satisfies Found)
})
