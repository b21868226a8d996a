import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { limits } from '@innkeeper/contract/limits'
import { startWorker } from '../workers/start-worker.ts'

/** A regular expression that is not yet run. */
export interface PatternText {
  readonly source: string
  readonly flags: string
}

/** What the worker is given. */
export interface ReplaceRequest {
  readonly text: string
  readonly pattern: PatternText
  readonly replacement: string
  readonly maxLength: number
}

/** What it sends back: the text as it is now, or why there is none. */
export type ReplaceResult = { readonly text: string } | { readonly problem: string }

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
 * Replaces everything that fits a pattern, in a thread of its own: some patterns take longer than the universe lasts, and
 * only a thread can be ended. It is made when it is needed first, and serves one after the other.
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
      // It would go on for ever, or has died of what it was given.
      await this[Symbol.asyncDispose]()
      if (!late.aborted) throw error
      throw new Error(`searching for "${pattern.source}" took too long and was ended`, { cause: error })
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
