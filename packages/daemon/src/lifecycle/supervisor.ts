import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { LastExit, LastInstall, NotResponding, ServerStatus } from '@innkeeper/contract/servers/status'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import { killTimeoutMs } from '../proc/kill-tree.ts'
import type { Exit, Run } from '../processes/run.ts'
import type { LifecycleActions } from './actions.ts'
import { exitText, findExplanation, getLastExit } from './last-exit.ts'
import type { ReadyWatch } from './ready-line.ts'
import {
  actionOutcome,
  type Effect,
  getStatus,
  type Input,
  isRunning,
  maxRestartsAfterCrash,
  type PowerAction,
  type Rules,
  resume,
  type State,
  type Transition,
  transition,
} from './rules.ts'
import type { Asked, PassedChecks, SavedSleep, StateFile, Unresponsive } from './state-file.ts'

export const defaultRestartDelayMs = 1_000

interface Deps {
  readonly actions: LifecycleActions
  readonly console: Pick<Console, 'say' | 'follow'>
  readonly file: StateFile
  readonly log: Logger
  readonly restartDelayMs?: number
}

/** How often a server has started and crashed since the daemon started. Crashes include those by lack of memory. */
export interface LifecycleCounts {
  readonly starts: number
  readonly crashes: number
  readonly outOfMemory: number
}

interface Waiter {
  readonly action: PowerAction
  readonly done: () => void
  readonly failed: (reason: unknown) => void
}

/** A stop of the running server. */
interface RequestedStop {
  /** Monotonic time until which it may take. */
  readonly deadline: number
  isOverdue: boolean
  timer?: NodeJS.Timeout
  attempt?: Disposable
}

const overdueDelayMs = 2_000

const unknownExit: Exit = { code: null, signal: null }

/** Owns the state of one server and carries out the effects of the lifecycle table, one at a time. */
export class Supervisor {
  readonly #deps: Deps
  readonly #listeners = new Set<(status: ServerStatus) => void>()
  readonly #waiters = new Set<Waiter>()
  #state: State = { is: 'offline' }
  #since = new Date()
  #run: Run | undefined
  #launchedAt = 0
  /** Whether an earlier daemon launched the process. */
  #isReattached = false
  #exit: Exit = unknownExit
  #lastExit: LastExit | undefined
  #lastInstall: LastInstall | undefined
  #asked: Asked | undefined
  #unresponsive: Unresponsive | undefined
  #sleep: SavedSleep | undefined
  #passedChecks: PassedChecks | undefined
  #isInDoubt = false
  #abortController = new AbortController()
  /** The operation in progress; handles its own failure. */
  #operation: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #readyWatch: ReadyWatch | undefined
  #stop: RequestedStop | undefined
  #counts: LifecycleCounts = { starts: 0, crashes: 0, outOfMemory: 0 }
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get status(): ServerStatus {
    // An operation of this daemon is never in doubt.
    const isInDoubt = this.#isInDoubt && (this.#state.is === 'offline' || isRunning(this.#state))
    return {
      ...getStatus(this.#state, this.#since),
      ...(isInDoubt && { isInDoubt }),
      ...(this.#stop?.isOverdue && { isStopOverdue: true }),
      ...(this.#lastExit && { lastExit: this.#lastExit }),
      ...(this.#lastInstall && { lastInstall: this.#lastInstall }),
      ...(this.#asked && { prompt: this.#asked.prompt }),
      ...(this.#unresponsive?.run === this.run?.id &&
        this.#unresponsive && { notResponding: this.#unresponsive.notResponding }),
      ...(this.#sleep && { sleeping: this.#sleep.sleeping, since: this.#sleep.sleeping.since }),
    }
  }

  get counts(): LifecycleCounts {
    return this.#counts
  }

  get #rules(): Rules {
    const { actions, restartDelayMs = defaultRestartDelayMs } = this.#deps
    return { ...actions.rules(), restartDelayMs }
  }

  /** The server's process while it runs. */
  get run(): Run | undefined {
    return isRunning(this.#state) ? this.#run : undefined
  }

  /** Sets whether it is unknown that the process runs. */
  setStateUnknown(isInDoubt: boolean): void {
    if (this.#isClosed || this.#isInDoubt === isInDoubt) return
    this.#isInDoubt = isInDoubt
    this.#notify()
  }

  /** The question that waits for an answer. */
  get asked(): Asked | undefined {
    return this.#asked
  }

  /** It stays after a restart of the daemon. */
  setAsked(asked: Asked | undefined): void {
    if (this.#isClosed || asked === this.#asked) return
    this.#asked = asked
    this.#save()
    this.#notify()
  }

  /** Sets whether a process responds. It stays after a restart of the daemon, until the process ends. */
  setNotResponding(run: string, notResponding: NotResponding | undefined): void {
    if (this.#isClosed) return
    this.#unresponsive = notResponding && { run, notResponding }
    this.#save()
    this.#notify()
  }

  /** That it sleeps, until its state changes. */
  get sleep(): SavedSleep | undefined {
    return this.#sleep
  }

  /** A server that was stopped for its sleep sleeps on after a restart of the daemon. */
  setSleep(sleep: SavedSleep | undefined): void {
    if (this.#isClosed || sleep === this.#sleep) return
    this.#sleep = sleep
    this.#save()
    this.#notify()
  }

  /** The liveness checks that its process has passed. */
  get passedChecks(): readonly string[] {
    return this.#passedChecks?.run === this.run?.id ? (this.#passedChecks?.checks ?? []) : []
  }

  /** They stay after a restart of the daemon, until the process ends. */
  setPassedChecks(run: string, checks: readonly string[]): void {
    if (this.#isClosed) return
    this.#passedChecks = { run, checks: [...checks] }
    this.#save()
  }

  /** Continues from the saved state of an earlier daemon. `run` is the server's process, if the keeper has it. */
  resume(run: Run | undefined): void {
    const saved = this.#load()
    const isDone = run !== undefined && saved?.state.is === 'ending' && saved.run?.id === run.id
    if (isDone) run.release()
    const found = isDone ? undefined : run
    this.#exit = saved?.exit ?? unknownExit
    this.#lastExit = saved?.lastExit
    this.#lastInstall = saved?.lastInstall
    this.#asked = saved?.asked
    this.#unresponsive = saved?.unresponsive
    // The earlier daemon may have ended while it was frozen.
    if (saved?.sleep?.sleeping.isFrozen) this.#thaw(run)
    this.#sleep = found || saved?.sleep?.sleeping.isFrozen ? undefined : saved?.sleep
    this.#passedChecks = saved?.passedChecks
    this.#isInDoubt = false
    if (found) {
      const wasAgo = saved?.run?.id === found.id ? Math.max(0, Date.now() - saved.run.launchedMs) : 0
      this.#attachRun(found, performance.now() - wasAgo, true)
    }
    if (saved?.stopUntilMs !== undefined)
      this.#stop = { deadline: performance.now() + saved.stopUntilMs - Date.now(), isOverdue: false }
    const before = saved?.state ?? this.#state
    this.#state = before
    if (saved) this.#since = new Date(saved.since)
    const { interrupted, ...step } = resume(before, found !== undefined, this.#rules)
    if (interrupted) this.#deps.console.say(interruptions[interrupted])
    if (interrupted === 'install') this.#setLastInstall({ type: 'installFailed' })
    if (!found && isRunning(before)) {
      this.#deps.console.say('The process of the server is gone. How it ended is unknown.')
      this.#lastExit = getLastExit(unknownExit, before, this.#rules, new Date())
    }
    if (found && saved) this.#deps.console.say('Daemon was restarted, the server continued to run')
    this.#enter(step)
    this.#notify()
    if (found) void this.#followUntilExit(found)
  }

  /**
   * Requests a power action. `ended` resolves when it has completed and rejects with the reason of a failure; it may be
   * ignored, failures are on the console.
   */
  request(action: PowerAction): { ended: Promise<void> } {
    if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    const ended = new Promise<void>((done, failed) => {
      this.#waiters.add({ action, done, failed })
    })
    ended.catch(() => {})
    this.#dispatch({ type: action })
    return { ended }
  }

  /** Calls the listener on every status change. Returns the unsubscribe function. */
  onStatus(listener: (status: ServerStatus) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Detaches without stopping the server. Running steps are aborted; the next daemon finds them interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelWaits()
    this.#endStop()
    for (const { failed } of this.#waiters) failed(new Refusal('ErrServiceNotAvailable'))
    this.#waiters.clear()
    this.#abortController.abort(new Refusal('ErrServiceNotAvailable'))
    // A process that is being launched must not appear after the components closed later.
    await this.#operation
  }

  #dispatch(input: Input, reason?: unknown): void {
    if (this.#isClosed) return
    this.#setLastInstall(input)
    const next = transition(this.#state, input, this.#rules)
    if (next) this.#enter(next)
    for (const waiter of [...this.#waiters]) {
      const outcome = actionOutcome(waiter.action, input, this.#state)
      if (outcome === 'pending') continue
      this.#waiters.delete(waiter)
      if (outcome === 'done') waiter.done()
      else waiter.failed(reason ?? new Refusal('ErrServerBusy', { state: this.status.state }))
    }
  }

  #enter({ now, effect }: Transition): void {
    const before = this.status
    const hasChanged = before.state !== getStatus(now, this.#since).state
    this.#state = now
    if (hasChanged) this.#since = new Date()
    this.#updateLastOutcomes(now, effect)
    if (now.is !== (this.#sleep?.sleeping.isFrozen ? 'online' : 'offline')) this.#sleep = undefined
    this.#cancelWaits()
    if (now.is !== 'stopping' || now.of !== 'server' || now.by !== 'asking') this.#endStop()
    this.#save()
    if (hasChanged || before.running !== this.status.running) this.#notify()
    if (effect) this.#effects[effect]()
  }

  /** Called before the transition: an install that ends while it is being stopped was canceled. */
  #setLastInstall(input: Input): void {
    if (input.type !== 'installed' && input.type !== 'installFailed') return
    const failure = this.#state.is === 'stopping' ? 'cancelled' : 'failed'
    this.#lastInstall = { at: new Date().toISOString(), outcome: input.type === 'installed' ? 'done' : failure }
  }

  /** An install clears the last exit and install, a start that is not an automatic recovery the last exit. */
  #updateLastOutcomes(now: State, effect: Effect | undefined): void {
    if (effect === 'install') this.#lastInstall = undefined
    if (effect === 'install' || (effect === 'prepare' && !('crashes' in now && now.crashes > 0))) {
      this.#lastExit = undefined
    } else if (effect === 'giveUp' && this.#lastExit) {
      this.#lastExit = { ...this.#lastExit, gaveUpAfter: maxRestartsAfterCrash + 1 }
    }
  }

  #cancelWaits(): void {
    clearTimeout(this.#timer)
    this.#readyWatch?.[Symbol.dispose]()
    this.#readyWatch = undefined
  }

  #endStop(): void {
    clearTimeout(this.#stop?.timer)
    this.#stop?.attempt?.[Symbol.dispose]()
    this.#stop = undefined
  }

  /** Nothing waits longer for a stop than it may take; the requested action follows when the server has ended. */
  #endWaits(timeoutMs: number): void {
    for (const waiter of [...this.#waiters]) {
      const { action, failed } = waiter
      if (action === 'kill') continue
      this.#waiters.delete(waiter)
      failed(new Refusal('ErrPowerTooSlow', { action, seconds: Math.round(timeoutMs / 1000) }))
    }
  }

  /** Asks the running server to stop, and reports when its time is over. It is never killed unasked. */
  #requestStop(isRequested: boolean): void {
    const run = this.#run
    if (!run) return
    const known = this.#stop
    try {
      const timeoutMs = this.#deps.actions.stopTimeoutMs()
      const stop: RequestedStop = { deadline: known?.deadline ?? performance.now() + timeoutMs, isOverdue: false }
      this.#stop = stop
      this.#save()
      const onOverdue = () => {
        stop.isOverdue = true
        this.#say(overdueText(timeoutMs))
        this.#notify()
        this.#endWaits(timeoutMs)
      }
      // What is killed at the deadline ends the stop.
      stop.timer = setTimeout(onOverdue, Math.max(0, stop.deadline - performance.now()) + overdueDelayMs)
      stop.attempt = this.#deps.actions.requestStop(run, { deadline: stop.deadline, isRequested })
    } catch (cause) {
      this.#fail('Failed to stop server', cause)
    }
  }

  #notify(): void {
    const { status } = this
    for (const listener of this.#listeners) listener(status)
  }

  readonly #effects: Readonly<Record<Effect, () => void>> = {
    prepare: () => {
      this.#say('Starting server')
      this.#operation = this.#attempt(
        (signal) => this.#deps.actions.prepare(signal),
        'prepared',
        'launchFailed',
        'Error running pre execute',
      )
    },
    launch: () => {
      this.#operation = this.#launch()
    },
    watchForReady: () => {
      if (!this.#run) return
      const onReady = (reason?: string) => {
        if (reason !== undefined) this.#say(reason)
        this.#dispatch({ type: 'ready' })
      }
      const options = { launchedAt: this.#launchedAt, isReattached: this.#isReattached, onReady }
      this.#readyWatch = this.#deps.actions.watchForReady(this.#run, options)
      if (!this.#readyWatch) onReady()
    },
    requestStop: () => {
      if (!this.#run) return
      this.#say('Server was told to stop')
      this.#requestStop(false)
    },
    awaitStop: () => this.#requestStop(true),
    kill: () => void this.#kill(),
    abort: () => this.#abortController.abort(new Refusal('ErrCancelled')),
    giveUp: () => {
      const outcome = this.#lastExit?.reason === 'ended' ? 'ended within seconds of its start' : 'crashed'
      this.#say(`Server ${outcome} ${maxRestartsAfterCrash + 1} times in a row and stays offline`)
      this.#effects.finish()
    },
    finish: () => {
      this.#operation = this.#attempt(
        (signal) => this.#deps.actions.finish(this.#exit, signal),
        'finished',
        'finishFailed',
        'Failed to run post-execution steps',
      )
    },
    install: () => {
      this.#say('Installing server')
      this.#operation = this.#attempt(
        async (signal) => {
          await this.#deps.actions.install(signal)
          this.#say('Server installed')
        },
        'installed',
        'installFailed',
        'Failed to install server',
      )
    },
    backOff: () => {
      if (this.#state.is !== 'waiting') return
      const { crashes, forMs } = this.#state
      const isQuickExit = this.#lastExit?.reason === 'ended'
      if (crashes > 0 && isQuickExit) this.#say(quickExitText)
      const after = isQuickExit ? '' : ' after a crash'
      const count = crashes > 0 ? ` (attempt ${crashes} of ${maxRestartsAfterCrash}${after})` : ''
      this.#say(`Server has been queued to start in ${forMs / 1000} s${count}`)
      this.#timer = setTimeout(() => this.#dispatch({ type: 'backoffOver' }), forMs)
    },
  }

  /** Runs an operation that can fail or be aborted, and dispatches the resulting event. */
  async #attempt(
    run: (signal: AbortSignal) => Promise<void>,
    success: 'prepared' | 'finished' | 'installed',
    failure: 'launchFailed' | 'finishFailed' | 'installFailed',
    message: string,
  ): Promise<void> {
    this.#abortController = new AbortController()
    try {
      await run(this.#abortController.signal)
    } catch (cause) {
      this.#fail(message, cause)
      this.#dispatch({ type: failure }, cause)
      return
    }
    this.#dispatch({ type: success })
  }

  async #launch(): Promise<void> {
    let run: Run
    try {
      run = await this.#deps.actions.launch()
    } catch (cause) {
      this.#fail('Failed to start server', cause)
      this.#dispatch({ type: 'launchFailed' }, cause)
      return
    }
    // The next daemon reattaches to it.
    if (this.#isClosed) return
    this.#count('starts')
    this.#attachRun(run, performance.now(), false)
    this.#dispatch({ type: 'launched' })
    void this.#followUntilExit(run)
  }

  #attachRun(run: Run, launched: number, isReattached: boolean): void {
    this.#run = run
    this.#launchedAt = launched
    this.#isReattached = isReattached
    this.#isInDoubt = false
    run.onReachability?.((isInDoubt) => {
      if (this.#run === run) this.setStateUnknown(isInDoubt)
    })
  }

  /** Follows a process until it has exited and all of its output is logged. */
  async #followUntilExit(run: Run): Promise<void> {
    if (this.#isReattached) await this.#readyWatch?.replayed
    const options = { isNew: !this.#isReattached, encoding: this.#deps.actions.encoding() }
    await this.#deps.console.follow(run, options).catch((err: unknown) => {
      this.#deps.log.error({ err }, 'failed to follow the output of a server')
    })
    this.#end(run, await run.exited)
  }

  #end(run: Run, exit: Exit): void {
    if (this.#isClosed || this.#run !== run) return
    this.#exit = exit
    this.#isInDoubt = false
    this.#lastExit = getLastExit(exit, this.#state, this.#rules, new Date())
    const { reason } = this.#lastExit
    if (reason === 'crashed' || reason === 'outOfMemory') this.#count('crashes')
    if (reason === 'outOfMemory') this.#count('outOfMemory')
    this.#say(exitText(exit))
    const explanation = findExplanation(this.#lastExit)
    if (explanation) this.#say(explanation)
    this.#dispatch({ type: 'exited', exit, uptimeMs: performance.now() - this.#launchedAt })
    // The saved state contains the exit from here on.
    this.#run = undefined
    run.release()
  }

  #thaw(run: Run | undefined): void {
    Promise.resolve(run?.thaw?.()).catch((err: unknown) => this.#deps.log.error({ err }, 'failed to thaw a server'))
  }

  #count(event: keyof LifecycleCounts): void {
    this.#counts = { ...this.#counts, [event]: this.#counts[event] + 1 }
  }

  async #kill(): Promise<void> {
    const run = this.#run
    if (!run) return
    try {
      await run.kill()
      this.#say('Server killed')
    } catch (cause) {
      this.#fail('Failed to kill server', cause)
      return
    }
    // The exit should have been reported by now. If the keeper or Docker Engine is broken, the server must not hang.
    const timeout = setTimeout(() => this.#end(run, unknownExit), killTimeoutMs)
    await run.exited
    clearTimeout(timeout)
  }

  #say(message: string): void {
    if (!this.#isClosed) this.#deps.console.say(message)
  }

  #fail(message: string, cause: unknown): void {
    this.#say(cause instanceof Refusal ? `${message}: ${cause.message}` : message)
    if (!(cause instanceof Refusal)) this.#deps.log.error({ err: cause }, message)
  }

  #load() {
    try {
      return this.#deps.file.load()
    } catch (cause) {
      this.#deps.log.error({ err: cause }, 'failed to load the saved state of a server')
      return undefined
    }
  }

  #save(): void {
    const launchedMs = Math.round(Date.now() - (performance.now() - this.#launchedAt))
    try {
      this.#deps.file.save({
        state: this.#state,
        since: this.#since.toISOString(),
        ...(this.#run && { run: { id: this.#run.id, launchedMs } }),
        ...(this.#stop && { stopUntilMs: Math.round(Date.now() + this.#stop.deadline - performance.now()) }),
        exit: this.#exit,
        ...(this.#lastExit && { lastExit: this.#lastExit }),
        ...(this.#lastInstall && { lastInstall: this.#lastInstall }),
        ...(this.#asked && { asked: this.#asked }),
        ...(this.#unresponsive && { unresponsive: this.#unresponsive }),
        ...(this.#sleep && { sleep: this.#sleep }),
        ...(this.#passedChecks && { passedChecks: this.#passedChecks }),
      })
    } catch (cause) {
      this.#deps.log.error({ err: cause }, 'failed to save the state of a server')
    }
  }
}

function overdueText(timeoutMs: number): string {
  return `The server has not stopped within ${Math.round(timeoutMs / 1000)} s. It may still be saving. Kill ends it at once, without saving.`
}

const quickExitText =
  'Server ended within seconds of its start. If it runs in the background, use its option to stay in the foreground.'

const interruptions = {
  install: 'The install was interrupted by a restart of the daemon. Install the server again.',
  start: 'The start was interrupted by a restart of the daemon',
  finish: 'The post-execution steps were interrupted by a restart of the daemon and run again',
} as const
