import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getPrompts, type PromptRule } from '@innkeeper/contract/definitions/prompts'
import type { Console } from '../console/console.ts'
import type { Asked } from '../lifecycle/state-file.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import { RunPatterns } from '../patterns/run-patterns.ts'

interface Deps {
  readonly id: string
  readonly console: Pick<Console, 'listen'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  /** Undefined while it is damaged. */
  readonly definition: () => ServerDefinition | undefined
  /** The question that waits for an answer. */
  readonly asked: () => Asked | undefined
  readonly setAsked: (asked: Asked | undefined) => void
}

/** Finds the lines of a server's output after which users are asked something, see `prompts.ts`. */
export class PromptWatch implements Disposable {
  readonly #deps: Deps
  readonly #patterns: RunPatterns
  #run: string | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#patterns = new RunPatterns({ ...deps, name: `${deps.id}/prompts` })
  }

  /** Watches the output of a process. A new process needs no answer to the questions of the last one. */
  watch(run: string): void {
    if (run === this.#run) return
    this.#run = run
    const { definition, asked, setAsked } = this.#deps
    if (asked()?.run !== run) setAsked(undefined)
    const current = definition()
    const rules = current ? getPrompts(current) : []
    const watched = rules.flatMap((rule) => rule.patterns.map((pattern) => ({ pattern, rule })))
    this.#patterns.watch(
      run,
      watched.map(({ pattern, rule }) => ({
        pattern,
        onMatch: () => this.#ask(run, rule),
        // The matcher logs it. Without the question, the line in the console is still there.
        onDisabled: () => {},
      })),
    )
  }

  [Symbol.dispose](): void {
    this.#patterns[Symbol.dispose]()
  }

  /** The first question stays: later lines are often its consequences. */
  #ask(run: string, { type, variable }: PromptRule): void {
    const { asked, setAsked } = this.#deps
    if (run !== this.#run || asked()) return
    const at = new Date().toISOString()
    setAsked({ run, prompt: { type, ...(variable !== undefined && { variable }), at } })
  }
}
