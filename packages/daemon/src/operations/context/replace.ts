import { limits } from '@innkeeper/contract/text/limits'
import { DeadlineWorker } from '../../workers/deadline-worker.ts'

/** A regular expression that is not compiled yet. */
export interface PatternText {
  readonly source: string
  readonly flags: string
}

/** The worker data. */
export interface ReplaceRequest {
  readonly text: string
  readonly pattern: PatternText
  readonly replacement: string
  readonly maxLength: number
}

const leadingFlags = /^\(\?(?<flags>[imsU]+)\)/

/**
 * Translates a Go regular expression: `(?i)` at the start and `(?P<name>…)` have their meaning in Go. `^` and `$` match
 * at lines. Throws when it is invalid.
 */
export function parsePatternText(text: string): PatternText {
  const leading = leadingFlags.exec(text)
  const source = text.slice(leading?.[0].length ?? 0).replaceAll('(?P<', '(?<')
  const flags = [...new Set(`gm${(leading?.groups?.flags ?? '').replace('U', '')}`)].join('')
  try {
    new RegExp(source, flags)
  } catch (error) {
    throw new Error(`"${text}" is not a regular expression`, { cause: error })
  }
  return { source, flags }
}

/** Replaces all matches in a worker thread: some patterns backtrack exponentially. */
export class RegexWorker implements AsyncDisposable {
  readonly #worker = new DeadlineWorker<ReplaceRequest, string>(new URL('./replace-worker.ts', import.meta.url))

  async replace(deadlineMs: number, text: string, pattern: PatternText, replacement: string): Promise<string> {
    const request: ReplaceRequest = { text, pattern, replacement, maxLength: limits.editableFileBytes }
    const late = `searching for "${pattern.source}" took too long and was aborted`
    return await this.#worker.run(request, deadlineMs, late)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker[Symbol.asyncDispose]()
  }
}
