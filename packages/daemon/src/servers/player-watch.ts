import { isDeepStrictEqual } from 'node:util'
import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getPlayerPatterns, type PlayerPattern } from '@innkeeper/contract/definitions/player-patterns'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import { RunPatterns } from '../patterns/run-patterns.ts'
import type { PlayerSessions } from '../players/sessions/player-sessions.ts'

interface Deps {
  readonly id: string
  readonly console: Pick<Console, 'listen' | 'say'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  readonly sessions: Pick<PlayerSessions, 'addLine'>
  /** Undefined while it is damaged. */
  readonly definition: () => ServerDefinition | undefined
  /** Called after each line. */
  readonly onLine: () => void
}

/** Finds the lines of a server's output about players, see `player-patterns.ts`. */
export class PlayerWatch implements Disposable {
  readonly #deps: Deps
  readonly #patterns: RunPatterns
  #watched: { readonly run: string; readonly patterns: readonly PlayerPattern[] } | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    this.#patterns = new RunPatterns({ ...deps, name: `${deps.id}/players` })
  }

  /** Watches the output of a process, with the patterns of the current definition. */
  watch(run: string): void {
    const { definition, sessions, console, onLine } = this.#deps
    const current = definition()
    const patterns = current ? getPlayerPatterns(current) : []
    if (isDeepStrictEqual(this.#watched, { run, patterns })) return
    this.#watched = { run, patterns }
    this.#patterns.watch(
      run,
      patterns.map(({ event, pattern }) => ({
        pattern,
        onLine: (groups) => {
          sessions.addLine(run, event, groups)
          onLine()
        },
        onDisabled: () => console.say(`A pattern for lines about players takes too long to match: ${pattern}`),
      })),
    )
  }

  /** Whether lines tell how many play. */
  get countsPlayers(): boolean {
    const events = this.#watched?.patterns.map(({ event }) => event) ?? []
    return events.includes('join') && events.includes('leave')
  }

  [Symbol.dispose](): void {
    this.#patterns[Symbol.dispose]()
  }
}
