import { readFile } from 'node:fs/promises'

/** The content of `/proc/self/limits`. */
export function readProcessLimits(): Promise<string> {
  return readFile('/proc/self/limits', 'utf8')
}

/**
 * The number of files and connections that a process with these limits may have open; Node.js raises its limit to the
 * hard one. Infinity without a limit, undefined when the text has none.
 */
export function openFileLimit(limits: string): number | undefined {
  const text = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1]
  if (text === undefined) return undefined
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
}
