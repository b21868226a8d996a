import { readdirSync, readlinkSync } from 'node:fs'
import { isUnreadable } from './process-details.ts'
import { readThreadStat } from './process-stat.ts'

const maxThreads = 2_000

/** The number of threads of a process by state, as in `/proc`; none when it has exited. */
export function countThreads(pid: number): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const thread of attempt(() => readdirSync(`/proc/${pid}/task`))?.slice(0, maxThreads) ?? []) {
    const state = readThreadStat(pid, Number(thread))?.state
    if (state !== undefined) counts[state] = (counts[state] ?? 0) + 1
  }
  return counts
}

/** The path of the program that a process runs; undefined when it cannot be read. */
export function findExecutable(pid: number): string | undefined {
  return attempt(() => readlinkSync(`/proc/${pid}/exe`))
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (isUnreadable(error)) return undefined
    throw error
  }
}
