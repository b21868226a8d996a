import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'

/** A regular expression that is not yet run. */
export interface PatternText {
  readonly source: string
  readonly flags: string
}

/** What the worker is given, and what it sends back unless it fails. */
export interface Replacing {
  readonly text: string
  readonly pattern: PatternText
  readonly replacement: string
  readonly maxLength: number
}

const leadingFlags = /^\(\?(?<flags>[imsU]+)\)/

/**
 * Reads the regular expression of a template, which is written for Go: `(?i)` at the start and `(?P<name>…)` mean what
 * they mean there. `^` and `$` are those of lines. Throws when it is none.
 */
export function parsePatternText(text: string): PatternText {
  const given = leadingFlags.exec(text)
  const source = text.slice(given?.[0].length ?? 0).replaceAll('(?P<', '(?<')
  const flags = [...new Set(`gm${(given?.groups?.flags ?? '').replace('U', '')}`)].join('')
  try {
    new RegExp(source, flags)
  } catch (error) {
    throw new Error(`"${text}" is not a regular expression`, { cause: error })
  }
  return { source, flags }
}

/**
 * Replaces everything that fits, in a thread of its own: some patterns take longer than the universe lasts, and only a
 * thread can be ended.
 */
export async function replaceWithin(
  deadlineMs: number,
  text: string,
  pattern: PatternText,
  replacement: string,
): Promise<string> {
  const replacing: Replacing = { text, pattern, replacement, maxLength: limits.editableFileBytes }
  const worker = new Worker(new URL('./replace-worker.ts', import.meta.url), {
    workerData: replacing,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  const late = AbortSignal.timeout(deadlineMs)
  try {
    const [after] = (await once(worker, 'message', { signal: late })) as [string]
    return after
  } catch (error) {
    if (late.aborted) throw new Error(`searching for "${pattern.source}" took too long and was ended`, { cause: error })
    throw error
  } finally {
    await worker.terminate()
  }
}
