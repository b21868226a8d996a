import type { Liveness, LivenessCheck } from '@innkeeper/contract/definitions/liveness'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import type { Console } from '../console/console.ts'
import { sendAndAwaitLine } from '../patterns/await-line.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { GameQueries, QueriedServer } from '../players/game-queries.ts'
import type { Run } from '../processes/run.ts'
import { advance, type CheckResult, initialState, type LivenessState } from './rules.ts'

/** A server that is checked. */
export interface CheckedServer extends QueriedServer {
  readonly status: Pick<ServerStatus, 'state' | 'isInDoubt' | 'notResponding'>
  readonly run: Pick<Run, 'id' | 'hasConsole'> | undefined
  readonly console: Pick<Console, 'listen'>
  /** When its processes were last frozen, by `performance.now()`. */
  readonly frozenAt: number
  send(command: string): void
  onCommand(listener: (command: string) => void): () => void
}

interface Deps {
  readonly games: Pick<GameQueries, 'ask'>
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  /** Length of a second in definitions, in milliseconds. */
  readonly secondMs: number
}

/** A server that does not respond is checked more rarely: it may run the commands of all checks when it responds again. */
const intervalsWhenNotResponding = 4
/** Of texts of a game. */
const maxDetailLength = 500

/** Checks the process of one server. */
export class WatchedServer implements Disposable {
  readonly settings: Liveness
  readonly run: string
  readonly #server: CheckedServer
  readonly #deps: Deps
  readonly #cleanup = new DisposableStack()
  readonly #since = performance.now()
  #state: LivenessState
  #results: readonly CheckResult[] = []
  #nextAt: number
  /** By `performance.now()`. */
  #printedAt = Number.NEGATIVE_INFINITY
  #savesUntil = Number.NEGATIVE_INFINITY

  constructor(server: CheckedServer, { run, settings }: { run: string; settings: Liveness }, deps: Deps) {
    this.run = run
    this.settings = settings
    this.#server = server
    this.#deps = deps
    this.#state = restoredState(server.status, settings)
    // Many servers may be found at once.
    this.#nextAt = this.#since + Math.random() * this.#ms(settings.interval)
    const { pattern, command } = settings.saving ?? {}
    const name = `${server.id}/saving`
    const isOutputUsed = pattern || settings.checks.some(({ type }) => type === 'output')
    if (pattern) {
      const onMatch = () => this.#onSave()
      deps.patterns.watch(name, [{ pattern, onMatch, onDisabled: () => {} }])
      this.#cleanup.defer(() => deps.patterns.watch(name, []))
    }
    if (isOutputUsed)
      this.#cleanup.defer(
        server.console.listen((from, data) => {
          if (from.id !== run) return
          this.#printedAt = performance.now()
          if (pattern) deps.patterns.push(name, data)
        }),
      )
    if (command)
      this.#cleanup.defer(
        server.onCommand((line) => {
          if (line === command || line.startsWith(`${command} `)) this.#onSave()
        }),
      )
  }

  get state(): LivenessState {
    return this.#state
  }

  get isNotResponding(): boolean {
    return this.#state.failures >= this.settings.failures
  }

  /** What the checks have found in the last round. */
  get results(): { type: string; detail: string }[] {
    return this.settings.checks.flatMap(({ type }, index) => {
      const detail = this.#results[index]?.detail.slice(0, maxDetailLength)
      return detail === undefined ? [] : [{ type, detail }]
    })
  }

  isDue(now: number): boolean {
    return now >= this.#nextAt
  }

  /** Runs all checks. Changes nothing when the server could not be checked, or was frozen or saving. */
  async check(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    const slower = this.isNotResponding ? intervalsWhenNotResponding : 1
    this.#nextAt = startedAt + this.#ms(this.settings.interval) * slower
    if (!this.#isCheckable(startedAt)) return
    const { checks } = this.settings
    const results = await Promise.all(checks.map((check, index) => this.#run(check, index, signal)))
    if (!this.#isCheckable(startedAt)) return
    this.#results = results
    this.#state = advance(this.#state, checks, results, Date.now())
  }

  [Symbol.dispose](): void {
    this.#cleanup[Symbol.dispose]()
  }

  #ms(seconds: number): number {
    return seconds * this.#deps.secondMs
  }

  #onSave(): void {
    const { seconds = 0 } = this.settings.saving ?? {}
    this.#savesUntil = performance.now() + this.#ms(seconds)
  }

  /** Whether the result of a check that began then counts. */
  #isCheckable(startedAt: number): boolean {
    const { status, run, frozenAt } = this.#server
    if (status.state !== 'online' || status.isInDoubt || run?.id !== this.run) return false
    return frozenAt < startedAt && this.#savesUntil < startedAt
  }

  async #run(check: LivenessCheck, index: number, signal: AbortSignal): Promise<CheckResult> {
    // The keeper is gone, and with it the pipes.
    if (check.type !== 'query' && !this.#server.run?.hasConsole)
      return { outcome: 'unknown', detail: 'It has no console' }
    switch (check.type) {
      case 'query':
        return await this.#query()
      case 'command':
        return await this.#command(check, index, signal)
      case 'output':
        return this.#output(this.#ms(check.within))
    }
  }

  async #query(): Promise<CheckResult> {
    const result = await this.#deps.games.ask(this.#server, this.#ms(this.settings.timeout))
    if (!result) return { outcome: 'unknown', detail: 'The game cannot be queried' }
    if (!result.status) return { outcome: 'failed', detail: `The game did not answer a query: ${result.error}` }
    const { players, answeredMs } = result.status
    const detail = `The game answered after ${Math.round(answeredMs)} ms: ${players.online} of ${players.max} players`
    return { outcome: 'succeeded', detail }
  }

  async #command(
    { command, pattern }: Extract<LivenessCheck, { type: 'command' }>,
    index: number,
    signal: AbortSignal,
  ): Promise<CheckResult> {
    const timeoutMs = this.#ms(this.settings.timeout)
    const options = { name: `${this.#server.id}/liveness-${index}`, commands: [command], pattern, timeoutMs }
    const isAnswered = await sendAndAwaitLine(options, { ...this.#deps, server: this.#server, signal })
    if (isAnswered === undefined) return { outcome: 'unknown', detail: 'The pattern was disabled' }
    return isAnswered
      ? { outcome: 'succeeded', detail: `A line matched after the command “${command}”` }
      : { outcome: 'failed', detail: `No line matched after the command “${command}”` }
  }

  /** It need not print while it is frozen or saves, and what it printed before an earlier daemon ended is unknown. */
  #output(withinMs: number): CheckResult {
    const now = performance.now()
    const silentMs = now - this.#printedAt
    if (silentMs < withinMs) return { outcome: 'succeeded', detail: 'It prints' }
    const watchedMs = now - Math.max(this.#since, this.#server.frozenAt, this.#savesUntil)
    const seconds = Math.round(Math.min(silentMs, watchedMs) / this.#deps.secondMs)
    return { outcome: watchedMs < withinMs ? 'unknown' : 'failed', detail: `It printed nothing for ${seconds} s` }
  }
}

/** What an earlier daemon, or the same checks before a change of the definition, knew. */
function restoredState({ notResponding }: CheckedServer['status'], { checks, failures }: Liveness): LivenessState {
  if (!notResponding) return initialState
  const { since, reason } = notResponding
  const type = checks.find((check) => check.type === reason)?.type
  if (!type) return initialState
  return { proven: new Set(checks.keys()), failures, failing: { since: Date.parse(since), type, detail: '' } }
}
