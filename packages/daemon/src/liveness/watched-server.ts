import { isDeepStrictEqual } from 'node:util'
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
  readonly run: Pick<Run, 'id' | 'hasConsole' | 'isPaused'> | undefined
  readonly console: Pick<Console, 'listen'>
  /** When its processes were last frozen, by `performance.now()`. */
  readonly frozenAt: number
  /** The checks that its process has passed, by key. */
  readonly passedChecks: readonly string[]
  /** Sets them, also for later daemons. */
  setPassedChecks(run: Pick<Run, 'id'>, checks: readonly string[]): void
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
  readonly #keys: readonly string[]
  #state: LivenessState
  #results: readonly CheckResult[] = []
  #nextAt: number
  #checkedAt = this.#since
  /** By `performance.now()`. */
  #printedAt = Number.NEGATIVE_INFINITY
  #savesUntil = Number.NEGATIVE_INFINITY

  constructor(server: CheckedServer, { run, settings }: { run: string; settings: Liveness }, deps: Deps) {
    this.run = run
    this.settings = settings
    this.#server = server
    this.#deps = deps
    this.#keys = getKeys(server, settings)
    this.#state = restoredState(server, settings, this.#keys)
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

  /** Whether it checks this process in this way. */
  isFor(run: string | undefined, settings: Liveness | undefined): boolean {
    if (run !== this.run || !isDeepStrictEqual(settings, this.settings)) return false
    return isDeepStrictEqual(getKeys(this.#server, this.settings), this.#keys)
  }

  isDue(now: number): boolean {
    return now >= this.#nextAt
  }

  /** Runs all checks. Changes nothing when the server could not be checked, or was frozen, paused or saving. */
  async check(signal: AbortSignal): Promise<void> {
    const startedAt = performance.now()
    const slower = this.isNotResponding ? intervalsWhenNotResponding : 1
    this.#nextAt = startedAt + this.#ms(this.settings.interval) * slower
    if (!this.#isCheckable(startedAt)) return
    const { checks } = this.settings
    const results = await Promise.all(checks.map((check, index) => this.#run(check, index, signal)))
    const hasFailed = results.some(({ outcome }) => outcome === 'failed')
    const isPaused = hasFailed && (await this.#server.run?.isPaused?.())
    if (isPaused || !this.#isCheckable(startedAt)) return
    this.#checkedAt = startedAt
    this.#results = results
    const passed = this.#state.proven.size
    this.#state = advance(this.#state, checks, results, Date.now())
    if (this.#state.proven.size > passed) this.#savePassed()
  }

  [Symbol.dispose](): void {
    this.#cleanup[Symbol.dispose]()
  }

  #savePassed(): void {
    const passed = this.#keys.filter((_, index) => this.#state.proven.has(index))
    this.#server.setPassedChecks({ id: this.run }, passed)
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
    // One that did not respond is checked more rarely than it may be silent.
    const recentMs = this.isNotResponding ? Math.max(withinMs, now - this.#checkedAt) : withinMs
    if (silentMs < recentMs) return { outcome: 'succeeded', detail: 'It prints' }
    const watchedMs = now - Math.max(this.#since, this.#server.frozenAt, this.#savesUntil)
    const seconds = Math.round(Math.min(silentMs, watchedMs) / this.#deps.secondMs)
    return { outcome: watchedMs < withinMs ? 'unknown' : 'failed', detail: `It printed nothing for ${seconds} s` }
  }
}

/** Names each check across restarts of the daemon. A query of another port is another check. */
function getKeys({ gameQuery, address }: CheckedServer, { checks }: Liveness): readonly string[] {
  return checks.map((check) => JSON.stringify(check.type === 'query' ? { check, gameQuery, ip: address.ip } : check))
}

/** What an earlier daemon, or the same checks before a change of the definition, knew. */
function restoredState(
  { status: { notResponding }, passedChecks }: CheckedServer,
  { checks, failures }: Liveness,
  keys: readonly string[],
): LivenessState {
  const type = checks.find((check) => check.type === notResponding?.reason)?.type
  if (notResponding && type) {
    const failing = { since: Date.parse(notResponding.since), type, detail: '' }
    return { proven: new Set(checks.keys()), failures, failing }
  }
  const passed = keys.flatMap((key, index) => (passedChecks.includes(key) ? [index] : []))
  return { ...initialState, proven: new Set(passed) }
}
