import { randomBytes } from 'node:crypto'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import type { TaskEvent, TaskRun } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import type { Logger } from 'pino'
import type { ServerBackups } from '../backups/server-backups.ts'
import type { Semaphore } from '../concurrency/semaphore.ts'
import { findDiskError } from '../errors/error-code.ts'
import { errorText } from '../errors/error-text.ts'
import { StepError } from '../operations/steps.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { Server } from '../servers/server.ts'
import type { CausalChain, LoopGuard } from './loop-guard.ts'
import type { ParsedTask } from './parse-task.ts'
import type { LoggedRun, RunLog } from './run-log.ts'
import { maxLineBytes, runTaskSteps } from './run-task-steps.ts'
import type { TaskPermissions } from './task-permissions.ts'
import type { TaskStateStore } from './task-state-store.ts'

const runTimeoutMs = 6 * 60 * 60 * 1000
export const maxRunLines = 200

/** The same for all tasks of a server. */
export interface TaskDeps {
  readonly server: Server
  readonly stateStore: TaskStateStore
  readonly permissions: TaskPermissions
  readonly backups: Pick<ServerBackups, 'create'>
  readonly events?: Pick<NodeEvents, 'add'> | undefined
  readonly semaphore: Semaphore
  readonly now: () => number
  readonly minuteMs?: number | undefined
  readonly log: Logger
}

interface RunnerDeps extends TaskDeps {
  readonly key: string
  readonly runs: RunLog
  readonly loopGuard: LoopGuard
}

/** Why a task is run. */
export interface Trigger {
  readonly cause: TaskRun['cause']
  readonly event?: TaskEvent
  readonly by?: number | undefined
  /** The tasks that led to it. */
  readonly chain?: CausalChain
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface ActiveRun {
  readonly run: Mutable<TaskRun>
  readonly lines: string[]
  readonly aborting: AbortController
  readonly ended: Promise<void>
}

/** Aborts runs when the daemon closes. */
const interruptedRefusal = new Refusal('ErrTaskInterrupted')

/** The condition of a task is not met. */
const unmetCodes: readonly RefusalCode[] = ['ErrTaskConditionFalse', 'ErrPlayersUnknown']

/** Runs one task, never concurrently, and logs its runs. */
export class TaskRunner {
  readonly #deps: RunnerDeps
  #read: ParsedTask
  #active: ActiveRun | undefined
  #unmet: { readonly at: string; readonly refusal: Refusal } | undefined
  /** Triggers that were skipped during the active run, combined into one entry. */
  #skipped: { readonly run: LoggedRun; times: number } | undefined

  constructor(deps: RunnerDeps, read: ParsedTask) {
    this.#deps = deps
    this.#read = read
  }

  get read(): ParsedTask {
    return this.#read
  }

  /** An active run continues unchanged. */
  set read(read: ParsedTask) {
    this.#read = read
  }

  get isRunning(): boolean {
    return this.#active !== undefined
  }

  get lastRun(): TaskRun | undefined {
    const run = this.#active?.run ?? this.#deps.stateStore.tasks.get(this.#deps.key)?.last
    return run && { ...run }
  }

  /** When it was not run because of its condition, and why; undefined after a run. */
  get unmet(): { readonly at: string; readonly refusal: Refusal } | undefined {
    return this.#unmet
  }

  /** Starts a run. `ended` rejects with the refusal that ended it. Throws ErrTaskRunning during an active run. */
  start(trigger: Trigger): { readonly ended: Promise<void> } {
    if (this.#active) {
      if (trigger.cause !== 'person') this.#recordSkipped(trigger)
      throw new Refusal('ErrTaskRunning')
    }
    const run: Mutable<TaskRun> = { id: randomBytes(8).toString('hex'), startedAt: this.#time(), ...runInfo(trigger) }
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
    // Without a waiting caller the outcome is in the run log and on the console.
    ended.catch(() => {})
    const activeRun: ActiveRun = { run, lines: [], aborting: new AbortController(), ended }
    this.#active = activeRun
    void this.#execute(activeRun, trigger).then((refusal) => (refusal ? reject(refusal) : resolve()))
    return { ended }
  }

  /** Cancels the active run and waits for its end. */
  async cancel(reason = new Refusal('ErrCancelled')): Promise<void> {
    const { aborting, ended } = this.#active ?? {}
    aborting?.abort(reason)
    await ended?.catch(() => {})
  }

  async interrupt(): Promise<void> {
    await this.cancel(interruptedRefusal)
  }

  /** Logs a run that an earlier daemon left as interrupted. */
  async recover(): Promise<void> {
    const { stateStore, key, server } = this.#deps
    const remembered = stateStore.tasks.get(key)
    if (!remembered?.running) return
    const run: TaskRun = {
      ...remembered.running,
      endedAt: this.#time(),
      result: 'interrupted',
      ...getReasons(interruptedRefusal),
    }
    stateStore.tasks.set(key, { ...remembered, running: undefined, last: run })
    server.console.say(`Task ${this.#name} was interrupted by a restart of the daemon`)
    await Promise.all([stateStore.save(), this.#deps.runs.add({ ...run, lines: [] })])
  }

  /** Deletes its run log. */
  async forget(): Promise<void> {
    await this.#deps.runs.remove()
  }

  /** The last runs, newest first, and the active one. */
  async list(): Promise<LoggedRun[]> {
    const { run, lines } = this.#active ?? {}
    const unlogged = [
      ...(this.#skipped ? [this.#skipped.run] : []),
      ...(run && lines ? [{ ...run, lines: [...lines] }] : []),
    ]
    // A run that ends now is logged already.
    const ids = new Set(unlogged.map(({ id }) => id))
    const logged = (await this.#deps.runs.list()).filter(({ id }) => !ids.has(id))
    return [...unlogged, ...logged].slice(0, limits.taskRunsKept)
  }

  /** Returns why the run failed. */
  async #execute(activeRun: ActiveRun, trigger: Trigger): Promise<Refusal | undefined> {
    const { key, server, semaphore } = this.#deps
    const { run, lines, aborting } = activeRun
    const { task } = this.#read
    const late = setTimeout(
      () => aborting.abort(new Refusal('ErrTaskTooLong', { hours: runTimeoutMs / 3_600_000 })),
      runTimeoutMs,
    )
    late.unref()
    let problem: unknown
    let slot: Disposable | undefined
    // A run that sleeps, counts down or waits for a backup releases its slot: backups have a queue of their own.
    const updateSlot = async (step?: number) => {
      if (['sleep', 'countdown', 'backup'].includes(task.operations[(step ?? 0) - 1]?.type ?? '')) {
        slot?.[Symbol.dispose]()
        slot = undefined
      } else slot ??= await semaphore.acquire({ key: server.id, signal: aborting.signal })
    }
    try {
      await updateSlot()
      run.startedAt = this.#time()
      await this.#saveState({ running: { ...run } })
      await runTaskSteps({
        ...this.#deps,
        task,
        id: run.id,
        chain: new Set([...(trigger.chain ?? []), key]),
        signal: aborting.signal,
        onBegin: () => {
          this.#unmet = undefined
          server.console.say(`Running task ${this.#name}`)
        },
        onStep: async (step) => {
          run.step = step
          await updateSlot(step)
        },
        onLine: (line) => {
          lines.push(truncate(line))
          if (lines.length > maxRunLines) lines.shift()
        },
      })
    } catch (cause) {
      problem = cause ?? new Error('it failed without a reason')
    } finally {
      clearTimeout(late)
      slot?.[Symbol.dispose]()
    }
    const unmet = problem instanceof Refusal && unmetCodes.includes(problem.code) ? problem : undefined
    const refusal = unmet ? this.#setUnmet(unmet, trigger) : this.#finish(activeRun, problem)
    await this.#record(activeRun, unmet !== undefined)
    this.#active = undefined
    return refusal
  }

  /** A run whose condition is not met leaves no trace in the log: a task may look every minute. */
  async #record({ run, lines }: ActiveRun, isUnmet: boolean): Promise<void> {
    const { key, stateStore, runs } = this.#deps
    if (!isUnmet) this.#report(run)
    const skipped = this.#skipped
    this.#skipped = undefined
    if (!isUnmet) await runs.add({ ...run, lines: [...lines] })
    if (skipped) await runs.add(skipped.run)
    if (stateStore.tasks.has(key)) await this.#saveState({ running: undefined, ...(!isUnmet && { last: { ...run } }) })
  }

  #setUnmet(refusal: Refusal, { cause }: Trigger): Refusal {
    this.#unmet = { at: this.#time(), refusal }
    if (cause === 'person') this.#deps.server.console.say(`Task ${this.#name} was not run: ${refusal.message}`)
    return refusal
  }

  /** Records the outcome on the console and in the run. */
  #finish({ run, aborting: { signal } }: ActiveRun, problem: unknown): Refusal | undefined {
    const { server } = this.#deps
    const name = this.#name
    run.endedAt = this.#time()
    if (problem === undefined) {
      run.result = 'done'
      delete run.step
      server.console.say(`Task ${name} finished`)
      return undefined
    }
    const refusal = this.#refusalFor(signal.aborted ? signal.reason : problem)
    const { step } = refusal.metadata
    Object.assign(run, getReasons(refusal))
    if (typeof step === 'number') run.step = step
    if (refusal === interruptedRefusal) {
      run.result = 'interrupted'
    } else if (refusal.code === 'ErrCancelled') {
      run.result = 'cancelled'
      server.console.say(`Task ${name} was canceled`)
    } else if (refusal.code === 'ErrTaskRefused') {
      run.result = 'refused'
      server.console.say(`Task ${name} was not run: ${run.reason}`)
    } else {
      run.result = 'failed'
      server.console.say(`Task ${name} failed: ${run.reason}`)
    }
    return refusal
  }

  /** Tells the panel about a failed run, and about the first successful one after it. */
  #report({ result, reason = '' }: TaskRun): void {
    const { key, server, stateStore, events } = this.#deps
    const isFailure = (value: TaskRun['result']) => value === 'failed' || value === 'refused'
    const about = { server: server.id, subject: key }
    if (isFailure(result)) events?.add({ type: 'taskFailed', ...about, detail: `${this.#name}: ${reason}` })
    else if (result === 'done' && isFailure(stateStore.tasks.get(key)?.last?.result))
      events?.add({ type: 'taskDone', ...about })
  }

  #refusalFor(cause: unknown): Refusal {
    if (cause instanceof Refusal) return cause
    const { step = 0 } = this.#active?.run ?? {}
    const reason = errorText(cause)
    const type = this.#read.task.operations[step - 1]?.type ?? ''
    if (findDiskError(cause) === undefined) this.#deps.log.warn({ err: cause }, 'a run of a task failed')
    return new Refusal('ErrStepFailed', { step, type, reason }, { cause })
  }

  #recordSkipped(trigger: Trigger): void {
    this.#skipped ??= {
      run: {
        id: randomBytes(8).toString('hex'),
        startedAt: this.#time(),
        endedAt: this.#time(),
        ...runInfo(trigger),
        result: 'skipped',
        lines: [],
      },
      times: 0,
    }
    const refusal = new Refusal('ErrTaskSkipped', { times: ++this.#skipped.times })
    Object.assign(this.#skipped.run, getReasons(refusal))
  }

  async #saveState(more: { running?: TaskRun | undefined; last?: TaskRun }): Promise<void> {
    const { stateStore, key, now } = this.#deps
    const known = stateStore.tasks.get(key) ?? { times: this.#read.times, served: now() }
    stateStore.tasks.set(key, { ...known, ...more })
    await stateStore.save()
  }

  /** The name on one line, for the console. */
  get #name(): string {
    return truncate(this.#read.task.name)
  }

  #time(): string {
    return new Date(this.#deps.now()).toISOString()
  }
}

/** The reason as text and, if it has details, as a refusal for translation. */
function getReasons(refusal: Refusal): Pick<TaskRun, 'reason' | 'refusal'> {
  const root = rootRefusal(refusal)
  const metadata = Object.entries(root?.metadata ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? truncate(value) : value,
  ])
  return {
    reason: truncate(String(refusal.metadata.reason ?? refusal.message)),
    ...(root && { refusal: toEnvelope(new Refusal(root.code, Object.fromEntries(metadata))).error }),
  }
}

/** Refusals that only wrap others; the real one is their cause. */
const wrapperCodes: readonly RefusalCode[] = ['ErrStepFailed', 'ErrTaskRefused']

function rootRefusal(cause: unknown): Refusal | undefined {
  const diskError = findDiskError(cause)
  if (diskError !== undefined) return new Refusal('ErrDisk', { reason: diskError })
  const isFrame = cause instanceof StepError || (cause instanceof Refusal && wrapperCodes.includes(cause.code))
  if (isFrame) return rootRefusal(cause.cause)
  return cause instanceof Refusal ? cause : undefined
}

function runInfo({ cause, event, by }: Trigger): Pick<TaskRun, 'cause' | 'event' | 'by'> {
  return { cause, ...(event && { event }), ...(by !== undefined && { by }) }
}

/** Truncates, and removes control characters. */
function truncate(text: string): string {
  const line = text.replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f]+/g, ' ')
  if (Buffer.byteLength(line) <= maxLineBytes) return line
  return trimEnd(Buffer.from(line).subarray(0, maxLineBytes).toString('utf8'), '\ufffd')
}
