import type { Console } from '../console/console.ts'
import type { PatternMatcher, WatchedPattern } from './pattern-matcher.ts'

interface Deps {
  /** The name for the matcher: of a server and a purpose. */
  readonly name: string
  readonly console: Pick<Console, 'listen'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
}

/** Matches patterns in the output of the current process of a server. */
export class RunPatterns implements Disposable {
  readonly #deps: Deps
  #stopListening: (() => void) | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Replaces the process and the patterns. */
  watch(run: string, watched: readonly WatchedPattern[]): void {
    const { name, console, patterns } = this.#deps
    patterns.watch(name, watched)
    this.#stopListening?.()
    // The last lines before an exit are matched after it, so this goes on until the next process.
    this.#stopListening =
      watched.length === 0
        ? undefined
        : console.listen((from, data) => {
            if (from.id === run) patterns.push(name, data)
          })
  }

  [Symbol.dispose](): void {
    this.#stopListening?.()
    this.#deps.patterns.watch(this.#deps.name, [])
  }
}
