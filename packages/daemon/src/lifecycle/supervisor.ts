import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import type { LastExit, ServerStatus } from '@innkeeper/contract/status'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import type { Exit, Run } from '../processes/run.ts'
import { exitText, explanationOf, lastExitOf } from './last-exit.ts'
import type { ReadyLook } from './ready-line.ts'
import {
  type Effect,
  fateOf,
  follow,
  type Input,
  isRunning,
  type Rules,
  resume,
  type State,
  type Step,
  statusOf,
  type Wish,
} from './rules.ts'
import type { StateFile } from './state-file.ts'
import type { Work } from './work.ts'

interface Needs {
  readonly work: Work
  readonly console: Pick<Console, 'say' | 'follow'>
  readonly file: StateFile
  readonly log: Logger
  readonly restartDelayMs?: number
}

interface Waiter {
  readonly wish: Wish
  readonly done: () => void
  readonly failed: (reason: unknown) => void
}

const unknownExit: Exit = { code: null, signal: null }

/** Holds the state of one server and carries out what the table says, one operation at a time. */
export class Supervisor {
  readonly #needs: Needs
  readonly #watchers = new Set<(status: ServerStatus) => void>()
  readonly #waiters = new Set<Waiter>()
  #state: State = { is: 'offline' }
  #since = new Date()
  #run: Run | undefined
  #launched = 0
  /** Whether an earlier daemon launched it. */
  #isFound = false
  #exit: Exit = unknownExit
  #lastExit: LastExit | undefined
  #isInDoubt = false
  #aborting = new AbortController()
  /** What is being done at the moment, one thing at a time; it handles its own failure. */
  #act: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #looking: ReadyLook | undefined
  #isClosed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get status(): ServerStatus {
    // What is being done to it at the moment is no matter of doubt.
    const isInDoubt = this.#isInDoubt && (this.#state.is === 'offline' || isRunning(this.#state))
    return {
      ...statusOf(this.#state, this.#since),
      ...(isInDoubt && { isInDoubt }),
      ...(this.#lastExit && { lastExit: this.#lastExit }),
    }
  }

  get #rules(): Rules {
    const { work, restartDelayMs = limits.restartDelayMs } = this.#needs
    return { ...work.rules(), restartDelayMs }
  }

  /** The process of the server while it runs. */
  get run(): Run | undefined {
    return isRunning(this.#state) ? this.#run : undefined
  }

  /** Says that nobody can tell whether the process runs, or that somebody can again. */
  doubt(isInDoubt: boolean): void {
    if (this.#isClosed || this.#isInDoubt === isInDoubt) return
    this.#isInDoubt = isInDoubt
    this.#tell()
  }

  /** Takes up where an earlier daemon stopped; `run` is the server's process if the keeper has it. */
  resume(run: Run | undefined): void {
    const saved = this.#load()
    const isDone = run !== undefined && saved?.state.is === 'ending' && saved.run?.id === run.id
    if (isDone) run.forget()
    const found = isDone ? undefined : run
    this.#exit = saved?.exit ?? unknownExit
    this.#lastExit = saved?.lastExit
    this.#isInDoubt = false
    if (found) {
      const wasAgo = saved?.run?.id === found.id ? Math.max(0, Date.now() - saved.run.launchedMs) : 0
      this.#take(found, performance.now() - wasAgo, true)
    }
    const before = saved?.state ?? this.#state
    this.#state = before
    if (saved) this.#since = new Date(saved.since)
    const { interrupted, ...step } = resume(before, found !== undefined, this.#rules)
    if (interrupted) this.#needs.console.say(interruptions[interrupted])
    if (!found && isRunning(before)) {
      this.#needs.console.say('The process of the server is gone, nobody saw how it ended')
      this.#lastExit = lastExitOf(unknownExit, before, this.#rules, new Date())
    }
    if (found && saved) this.#needs.console.say('Daemon was restarted, the server ran on')
    this.#enter(step)
    this.#tell()
    if (found) void this.#attend(found)
  }

  /**
   * Wants something of the server. `ended` resolves when it is through and rejects with the reason why it is not; who does
   * not wait for it learns of a failure on the console.
   */
  wish(wish: Wish): { ended: Promise<void> } {
    if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    const ended = new Promise<void>((done, failed) => {
      this.#waiters.add({ wish, done, failed })
    })
    ended.catch(() => {})
    this.#follow({ is: wish })
    return { ended }
  }

  /** Tells of every change of the status, until the answer is called. */
  watch(watcher: (status: ServerStatus) => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Lets go without touching the server; steps that run are ended, the next daemon finds them interrupted. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#waitNoMore()
    for (const { failed } of this.#waiters) failed(new Refusal('ErrServiceNotAvailable'))
    this.#waiters.clear()
    this.#aborting.abort(new Refusal('ErrServiceNotAvailable'))
    // A process that is being launched must not come up behind the back of those who close after us.
    await this.#act
  }

  #follow(input: Input, reason?: unknown): void {
    if (this.#isClosed) return
    const step = follow(this.#state, input, this.#rules)
    if (step) this.#enter(step)
    for (const waiter of [...this.#waiters]) {
      const fate = fateOf(waiter.wish, input, this.#state)
      if (fate === 'pending') continue
      this.#waiters.delete(waiter)
      if (fate === 'done') waiter.done()
      else waiter.failed(reason ?? new Refusal('ErrServerBusy', { state: this.status.state }))
    }
  }

  #enter({ now, effect }: Step): void {
    const before = this.status
    const hasChanged = before.state !== statusOf(now, this.#since).state
    this.#state = now
    if (hasChanged) this.#since = new Date()
    this.#remember(now, effect)
    this.#waitNoMore()
    this.#save()
    if (hasChanged || before.running !== this.status.running) this.#tell()
    if (effect) this.#effects[effect]()
  }

  /** A start that nobody had to make good for, and an install, leave the past behind. */
  #remember(now: State, effect: Effect | undefined): void {
    if (effect === 'install' || (effect === 'prepare' && !('crashes' in now && now.crashes > 0))) {
      this.#lastExit = undefined
    } else if (effect === 'giveUp' && this.#lastExit) {
      this.#lastExit = { ...this.#lastExit, gaveUpAfter: limits.crashLimit + 1 }
    }
  }

  #waitNoMore(): void {
    clearTimeout(this.#timer)
    this.#looking?.[Symbol.dispose]()
    this.#looking = undefined
  }

  #tell(): void {
    const { status } = this
    for (const watcher of this.#watchers) watcher(status)
  }

  readonly #effects: Readonly<Record<Effect, () => void>> = {
    prepare: () => {
      this.#say('Starting server')
      this.#act = this.#attempt(
        (signal) => this.#needs.work.prepare(signal),
        'prepared',
        'launchFailed',
        'Error running pre execute',
      )
    },
    launch: () => {
      this.#act = this.#launch()
    },
    lookForReady: () => {
      if (!this.#run) return
      const onReady = (trouble?: string) => {
        if (trouble !== undefined) this.#say(trouble)
        this.#follow({ is: 'ready' })
      }
      const how = { launched: this.#launched, isFound: this.#isFound, onReady }
      this.#looking = this.#needs.work.lookForReady(this.#run, how)
      if (!this.#looking) onReady()
    },
    askToStop: () => {
      const run = this.#run
      if (!run) return
      this.#say('Server was told to stop')
      try {
        this.#needs.work.askToStop(run)
      } catch (cause) {
        this.#fail('Failed to stop server', cause)
      }
    },
    kill: () => void this.#kill(),
    abort: () => this.#aborting.abort(new Refusal('ErrServerBusy', { state: 'stopping' })),
    giveUp: () => {
      this.#say(`Server crashed ${limits.crashLimit + 1} times in a row and stays offline`)
      this.#effects.finish()
    },
    finish: () => {
      this.#act = this.#attempt(
        (signal) => this.#needs.work.finish(this.#exit, signal),
        'finished',
        'finishFailed',
        'Failed to run post-execution steps',
      )
    },
    install: () => {
      this.#say('Installing server')
      this.#act = this.#attempt(
        async (signal) => {
          await this.#needs.work.install(signal)
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
      const count = crashes > 0 ? ` (${crashes} of ${limits.crashLimit} tries after a crash)` : ''
      this.#say(`Server has been queued to start in ${forMs / 1000} s${count}`)
      this.#timer = setTimeout(() => this.#follow({ is: 'backoffOver' }), forMs)
    },
  }

  /** Does one thing that can fail or be aborted, and follows what came of it. */
  async #attempt(
    act: (signal: AbortSignal) => Promise<void>,
    good: 'prepared' | 'finished' | 'installed',
    bad: 'launchFailed' | 'finishFailed' | 'installFailed',
    words: string,
  ): Promise<void> {
    this.#aborting = new AbortController()
    try {
      await act(this.#aborting.signal)
    } catch (cause) {
      this.#fail(words, cause)
      this.#follow({ is: bad }, cause)
      return
    }
    this.#follow({ is: good })
  }

  async #launch(): Promise<void> {
    let run: Run
    try {
      run = await this.#needs.work.launch()
    } catch (cause) {
      this.#fail('Failed to start server', cause)
      this.#follow({ is: 'launchFailed' }, cause)
      return
    }
    // The next daemon finds it.
    if (this.#isClosed) return
    this.#take(run, performance.now(), false)
    this.#follow({ is: 'launched' })
    void this.#attend(run)
  }

  #take(run: Run, launched: number, isFound: boolean): void {
    this.#run = run
    this.#launched = launched
    this.#isFound = isFound
    this.#isInDoubt = false
    run.doubts?.((isInDoubt) => {
      if (this.#run === run) this.doubt(isInDoubt)
    })
  }

  /** Cares for a process until it has ended and all of its output is kept. */
  async #attend(run: Run): Promise<void> {
    if (this.#isFound) await this.#looking?.begun
    try {
      await this.#needs.console.follow(run, { isNew: !this.#isFound })
    } catch (cause) {
      this.#needs.log.error({ err: cause }, 'the output of a server cannot be followed')
    }
    this.#end(run, await run.exited)
  }

  #end(run: Run, exit: Exit): void {
    if (this.#isClosed || this.#run !== run) return
    this.#exit = exit
    this.#isInDoubt = false
    this.#lastExit = lastExitOf(exit, this.#state, this.#rules, new Date())
    this.#say(exitText(exit))
    const explanation = explanationOf(this.#lastExit)
    if (explanation) this.#say(explanation)
    this.#follow({ is: 'exited', exit, uptimeMs: performance.now() - this.#launched })
    // From here on the saved state knows how it ended.
    this.#run = undefined
    run.forget()
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
    // Whoever holds the process should have told of its end by now; a server must not stay stuck if that one is broken.
    const late = setTimeout(() => this.#end(run, unknownExit), limits.killWithinMs)
    await run.exited
    clearTimeout(late)
  }

  #say(message: string): void {
    if (!this.#isClosed) this.#needs.console.say(message)
  }

  #fail(words: string, cause: unknown): void {
    this.#say(cause instanceof Refusal ? `${words}: ${cause.message}` : words)
    if (!(cause instanceof Refusal)) this.#needs.log.error({ err: cause }, words)
  }

  #load() {
    try {
      return this.#needs.file.load()
    } catch (cause) {
      this.#needs.log.error({ err: cause }, 'the saved state of a server is lost')
      return undefined
    }
  }

  #save(): void {
    const launchedMs = Math.round(Date.now() - (performance.now() - this.#launched))
    try {
      this.#needs.file.save({
        state: this.#state,
        since: this.#since.toISOString(),
        ...(this.#run && { run: { id: this.#run.id, launchedMs } }),
        exit: this.#exit,
        ...(this.#lastExit && { lastExit: this.#lastExit }),
      })
    } catch (cause) {
      this.#needs.log.error({ err: cause }, 'the state of a server cannot be saved')
    }
  }
}

const interruptions = {
  install: 'The install was interrupted by the end of the daemon: install the server again',
  start: 'The start was interrupted by the end of the daemon',
  finish: 'The post-execution steps were interrupted by the end of the daemon and run again',
} as const
