import type { ServerDefinition } from '@innkeeper/contract/definition'
import { type PromptRule, promptsOf } from '@innkeeper/contract/prompts'
import type { ServerPrompt } from '@innkeeper/contract/status'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'

interface Deps {
  readonly id: string
  readonly console: Pick<Console, 'listen'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  /** Undefined while it is damaged. */
  readonly definition: () => ServerDefinition | undefined
}

/** Finds the lines of a server's output after which users are asked something, see `prompts.ts`. */
export class PromptWatch implements Disposable {
  readonly #deps: Deps
  readonly #name: string
  readonly #listeners = new Set<() => void>()
  #run: string | undefined
  #current: ServerPrompt | undefined
  #stopListening: (() => void) | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#name = `${deps.id}/prompts`
  }

  /** The question that waits for an answer. */
  get current(): ServerPrompt | undefined {
    return this.#current
  }

  /** Watches the output of a process. A new process needs no answer to the questions of the last one. */
  watch(run: string): void {
    if (run === this.#run) return
    this.#run = run
    this.#set(undefined)
    const { console, patterns, definition } = this.#deps
    const current = definition()
    const rules = current ? promptsOf(current) : []
    const watched = rules.flatMap((rule) => rule.patterns.map((pattern) => ({ pattern, rule })))
    patterns.watch(
      this.#name,
      watched.map(({ pattern, rule }) => ({
        pattern,
        onMatch: () => this.#ask(run, rule),
        // The matcher logs it. Without the question, the line in the console is still there.
        onDisabled: () => {},
      })),
    )
    this.#stopListening?.()
    // The last lines before an exit are matched after it, so this goes on until the next process.
    this.#stopListening =
      watched.length === 0
        ? undefined
        : console.listen((from, data) => {
            if (from.id === run) patterns.push(this.#name, data)
          })
  }

  /** Calls the listener when a question comes up or is no longer open. Returns the unsubscribe function. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  [Symbol.dispose](): void {
    this.#stopListening?.()
    this.#deps.patterns.watch(this.#name, [])
  }

  /** The first question stays: later lines are often its consequences. */
  #ask(run: string, { type, variable }: PromptRule): void {
    if (run !== this.#run || this.#current) return
    this.#set({ type, ...(variable !== undefined && { variable }), at: new Date().toISOString() })
  }

  #set(prompt: ServerPrompt | undefined): void {
    if (prompt === this.#current) return
    this.#current = prompt
    for (const listener of this.#listeners) listener()
  }
}
