import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import { startWorker } from '../workers/start-worker.ts'

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

/** The result: the new text, or an error. */
export type ReplaceResult = { readonly text: string } | { readonly problem: string }

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

/**
 * Replaces all matches in a worker thread: some patterns backtrack exponentially, and only a thread can be terminated.
 * Started on first use; one request at a time.
 */
export class RegexWorker implements AsyncDisposable {
  #worker: Worker | undefined

  async replace(deadlineMs: number, text: string, pattern: PatternText, replacement: string): Promise<string> {
    const replacing: ReplaceRequest = { text, pattern, replacement, maxLength: limits.editableFileBytes }
    this.#worker ??= startWorker(new URL('./replace-worker.ts', import.meta.url), {
      heap: { maxOldGenerationSizeMb: 512 },
    })
    const late = AbortSignal.timeout(deadlineMs)
    const answered = once(this.#worker, 'message', { signal: late })
    this.#worker.postMessage(replacing)
    const [replaced] = (await answered.catch(async (error: unknown) => {
      // It is stuck, or has crashed.
      await this[Symbol.asyncDispose]()
      if (!late.aborted) throw error
      throw new Error(`searching for "${pattern.source}" took too long and was aborted`, { cause: error })
    })) as [ReplaceResult]
    if ('problem' in replaced) throw new Error(replaced.problem)
    return replaced.text
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
