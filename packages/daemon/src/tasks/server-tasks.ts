import { randomBytes } from 'node:crypto'
import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { issuesOfStep, permissionOfStep } from '@innkeeper/contract/definitions/operations'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { shortestIntervalMs } from '@innkeeper/contract/jobs/cron'
import { TokenBucket } from '@innkeeper/contract/jobs/token-bucket'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { readOnlyTaskFields, type TaskEvent, type TaskInput, type TaskView } from '@innkeeper/contract/servers/tasks'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Server } from '../servers/server.ts'
import { LoopGuard } from './loop-guard.ts'
import { getVersion, parseTask, validateTask } from './parse-task.ts'
import { RestartCountdown, restartCountdownKey } from './restart-countdown.ts'
import { type LoggedRun, RunLog } from './run-log.ts'
import type { DueTask, Scheduler } from './scheduler.ts'
import { getOwner, rememberPermissions, type TaskAuthor } from './task-author.ts'
import { type TaskDeps, TaskRunner, type Trigger } from './task-runner.ts'

/** Minimum interval of a schedule, except for administrators. */
export const minScheduleIntervalMs = 10_000
/** Runs of a server by schedule and console lines; more are skipped. */
const automaticRunRate = { burst: 60, perSecond: 1 } as const
/** How long the warning about skipped runs is shown. */
const skippedRunsWarningMs = 600_000
/** Minimum interval between triggers by console lines. */
const triggerIntervalMs = 1_000

export interface ServerTasksDeps extends TaskDeps {
  /** Directory of run logs. */
  readonly dir: string
  readonly scheduler: Scheduler
  readonly patterns: PatternMatcher
}

/** The tasks of one server: its definition's tasks with schedules and event triggers. */
export class ServerTasks {
  readonly #deps: ServerTasksDeps
  readonly #runners = new Map<string, TaskRunner>()
  /** Tasks with a disabled pattern, by the task version. */
  readonly #disabledPatterns = new Map<string, string>()
  readonly #firedAt = new Map<string, number>()
  /** Rate limit of triggered runs. */
  readonly #automaticRuns = new TokenBucket(automaticRunRate)
  /** When a run was last dropped because of the rate limit; monotonic. */
  readonly #droppedAt = new Map<string, number>()
  readonly #loopGuard = new LoopGuard()
  readonly restartCountdown: RestartCountdown
  readonly #unsubscribers: (() => void)[]
  #status: ServerStatus
  #stopListening: (() => void) | undefined
  #isClosed = false

  constructor(deps: ServerTasksDeps) {
    const { server } = deps
    this.#deps = deps
    this.#status = server.status
    this.restartCountdown = new RestartCountdown({ ...deps, loopGuard: this.#loopGuard })
    this.#unsubscribers = [
      server.definition.onChange(() => this.#reload()),
      server.onStatus((status) => this.#onStatus(status)),
      server.onSuspended(() => this.#cancelAll()),
    ]
    this.#reload()
  }

  list(): Record<string, TaskView> {
    const views = Object.keys(this.#deps.server.definition.tasks).map((key) => [key, this.#view(key)] as const)
    return Object.fromEntries(views.flatMap(([key, view]) => (view ? [[key, view]] : [])))
  }

  /** Returns the new key. */
  async create(task: TaskInput, by: TaskAuthor): Promise<string> {
    const key = randomBytes(6).toString('hex')
    await this.#save(key, task, by)
    return key
  }

  /** Returns the new version. Unknown fields of the task are kept. */
  async put(key: string, task: TaskInput, by: TaskAuthor, ifMatch?: string): Promise<string> {
    await this.#save(key, task, by, (tasks) => {
      const known = existing(tasks, key)
      if (ifMatch !== undefined && getVersion(known) !== ifMatch) throw new Refusal('ErrStaleVersion')
    })
    return getVersion(this.#deps.server.definition.tasks[key])
  }

  async remove(key: string): Promise<void> {
    await this.#deps.server.definition.changeTasks((tasks) => {
      existing(tasks, key)
      return Object.fromEntries(Object.entries(tasks).filter(([otherKey]) => otherKey !== key))
    })
  }

  run(key: string, by: number | undefined): { readonly ended: Promise<void> } {
    return this.#getRunner(key).start({ cause: 'person', by })
  }

  async cancel(key: string): Promise<void> {
    await this.#getRunner(key).cancel()
  }

  async runs(key: string): Promise<LoggedRun[]> {
    return await this.#getRunner(key).list()
  }

  /** Interrupts active runs, which the next daemon records, and stops triggering. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const leave of this.#unsubscribers) leave()
    this.#stopListening?.()
    const { server, scheduler, patterns } = this.#deps
    patterns.watch(server.id, [])
    for (const key of this.#runners.keys()) scheduler.delete(getEntry(server, key))
    await Promise.all([...this.#runners.values(), this.restartCountdown].map((runner) => runner.interrupt()))
    await this.#deps.stateStore.save()
  }

  /** A suspended server does nothing. */
  #cancelAll(): void {
    for (const runner of [...this.#runners.values(), this.restartCountdown]) {
      runner.cancel().catch((err: unknown) => this.#deps.log.error({ err }, 'failed to cancel a task'))
    }
  }

  #view(key: string): TaskView | undefined {
    const runner = this.#runners.get(key)
    if (!runner) return undefined
    const { task, problem, version } = runner.read
    // A task without an owner never runs.
    const next = task.savedBy == null ? undefined : this.#deps.scheduler.getNext(getEntry(this.#deps.server, key))
    const { lastRun, unmet } = runner
    const refusal =
      this.#disabledPatterns.get(key) === version
        ? new Refusal('ErrTaskSlowPattern')
        : (this.#tooFrequent(key) ?? problem)
    return {
      ...task,
      isRunning: runner.isRunning,
      ...(next && { nextRun: next.toISOString() }),
      ...(lastRun && { lastRun }),
      ...(unmet && { unmet: { at: unmet.at, refusal: toEnvelope(unmet.refusal).error } }),
      ...(refusal && { problem: getMessage(refusal), refusal: toEnvelope(refusal).error }),
      version,
    }
  }

  #tooFrequent(key: string): Refusal | undefined {
    const at = this.#droppedAt.get(key)
    const isLately = at !== undefined && performance.now() - at < skippedRunsWarningMs
    return isLately ? new Refusal('ErrTaskTooFrequent') : undefined
  }

  #getRunner(key: string): TaskRunner {
    existing(this.#deps.server.definition.tasks, key)
    const runner = this.#runners.get(key)
    if (!runner || this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    return runner
  }

  async #save(
    key: string,
    task: TaskInput,
    author: TaskAuthor,
    check?: (tasks: Readonly<Record<string, unknown>>) => void,
  ): Promise<void> {
    const invalid = validateTask(task, Object.keys(this.#deps.server.definition.value.data))
    if (invalid) throw invalid
    const { cronSchedule } = task
    const { permissions } = author
    if (
      cronSchedule &&
      !hasPermission(permissions, 'admin') &&
      shortestIntervalMs(cronSchedule) < minScheduleIntervalMs
    )
      throw new Refusal('ErrScheduleTooFrequent', {
        field: 'cronSchedule',
        seconds: minScheduleIntervalMs / 1_000,
      })
    for (const [at, step] of task.operations.entries()) {
      const [issue] = issuesOfStep(step)
      if (!issue) continue
      const code = issue.problem === 'missing' ? 'ErrFieldRequired' : 'ErrFieldInvalid'
      throw new Refusal(code, { field: `operations.${at}.${issue.field}` })
    }
    for (const [at, step] of task.operations.entries()) {
      const permission = permissionOfStep(step)
      if (!hasPermission(permissions, permission))
        throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[permission], step: at + 1, type: step.type })
    }
    await this.#deps.server.definition.changeTasks((tasks) => {
      check?.(tasks)
      this.#disabledPatterns.delete(key)
      const before = Object.hasOwn(tasks, key) ? tasks[key] : undefined
      const updated = { ...(typeof before === 'object' ? before : {}), ...task } as Record<string, unknown>
      for (const name of readOnlyTaskFields) delete updated[name]
      return { ...tasks, [key]: { ...updated, ...getOwner(author) } }
    })
    await rememberPermissions(this.#deps.stateStore, author)
  }

  /** Reloads the definition. Removed tasks are stopped and their runs deleted. */
  #reload(): void {
    const tasks = this.#tasks()
    if (this.#isClosed || !tasks) return
    for (const key of [...this.#runners.keys()]) if (!Object.hasOwn(tasks, key)) this.#forget(key)
    for (const key of [...this.#deps.stateStore.tasks.keys()])
      if (!Object.hasOwn(tasks, key) && key !== restartCountdownKey) this.#deps.stateStore.tasks.delete(key)
    for (const [key, raw] of Object.entries(tasks)) this.#updateRunner(key, raw)
    this.#watchOutput()
  }

  /** A damaged definition triggers nothing and deletes nothing. */
  #tasks(): Readonly<Record<string, unknown>> | undefined {
    try {
      return this.#deps.server.definition.tasks
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      const { server, scheduler, patterns } = this.#deps
      for (const key of this.#runners.keys()) scheduler.delete(getEntry(server, key))
      patterns.watch(server.id, [])
      return undefined
    }
  }

  #updateRunner(key: string, raw: unknown): void {
    const { server, stateStore, scheduler, dir, log, now } = this.#deps
    const known = this.#runners.get(key)
    const read =
      known?.read.version === getVersion(raw)
        ? known.read
        : parseTask(key, raw, Object.keys(server.definition.value.data))
    if (known) known.read = read
    else {
      const runs = new RunLog(dir, key, log)
      const runner = new TaskRunner({ ...this.#deps, key, runs, loopGuard: this.#loopGuard }, read)
      this.#runners.set(key, runner)
      void runner.recover()
    }
    const before = stateStore.tasks.get(key)
    const isSameTime = before?.times === read.times
    const served = isSameTime ? before.served : now()
    stateStore.tasks.set(key, { ...before, times: read.times, served })
    if (served !== before?.served) void stateStore.save()
    const entry = getEntry(server, key)
    // A waiting run must not take a time that comes due now for a missed one.
    if (isSameTime && known && scheduler.has(entry)) return
    if (read.schedule)
      scheduler.set(entry, { schedule: read.schedule, dueUntil: served, due: (due) => this.#due(key, due) })
    else scheduler.delete(entry)
  }

  #forget(key: string): void {
    const runner = this.#runners.get(key)
    this.#runners.delete(key)
    this.#disabledPatterns.delete(key)
    this.#firedAt.delete(key)
    this.#droppedAt.delete(key)
    this.#deps.scheduler.delete(getEntry(this.#deps.server, key))
    void runner
      ?.cancel()
      .then(() => runner.forget())
      .catch((cause: unknown) => this.#deps.log.error({ err: cause }, 'failed to delete the runs of a task'))
  }

  #due(key: string, { dueUntil, wasMissed }: DueTask): void {
    const { stateStore } = this.#deps
    const runner = this.#runners.get(key)
    const known = stateStore.tasks.get(key)
    if (!runner || !known) return
    stateStore.tasks.set(key, { ...known, served: dueUntil })
    void stateStore.save()
    if (wasMissed && runner.read.task.catchUp !== true) return
    this.#trigger(key, runner, { cause: wasMissed ? 'missed' : 'schedule' })
  }

  #onStatus(status: ServerStatus): void {
    const before = this.#status
    this.#status = status
    const { lastExit } = status
    if (lastExit && lastExit.at !== before.lastExit?.at)
      this.#onEvent(['stopped', 'killed', 'ended'].includes(lastExit.reason) ? 'stopped' : 'crashed')
    if (before.state === 'starting' && status.state === 'online') this.#onEvent('started')
  }

  #onEvent(event: TaskEvent): void {
    const causes = this.#loopGuard.getCauses(event)
    for (const [key, runner] of this.#runners)
      if (runner.read.events.has(event) && !causes.has(key))
        this.#trigger(key, runner, { cause: 'event', event, chain: causes })
  }

  #trigger(key: string, runner: TaskRunner, trigger: Trigger): void {
    if (this.#isClosed || this.#deps.server.isBeingRemoved || this.#deps.server.suspension) return
    // It has no owner: its problem says so, and every run would repeat it.
    if (runner.read.task.savedBy == null) return
    // Only schedules and output are rate limited: a server rarely starts and stops.
    const isLimited = trigger.cause !== 'event' || trigger.event === 'console'
    if (isLimited && !this.#automaticRuns.take()) {
      this.#droppedAt.set(key, performance.now())
      return
    }
    try {
      runner.start(trigger)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
    }
  }

  /** Listens to output only while a task needs it. */
  #watchOutput(): void {
    const { server, patterns } = this.#deps
    const watched = [...this.#runners].flatMap(([key, runner]) =>
      this.#disabledPatterns.get(key) === runner.read.version
        ? []
        : runner.read.patterns.map((pattern) => ({
            pattern,
            onMatch: (at: number) => this.#onPatternMatch(key, at),
            onDisabled: () => this.#disabledPatterns.set(key, runner.read.version),
          })),
    )
    patterns.watch(server.id, watched)
    if (watched.length === 0) {
      this.#stopListening?.()
      this.#stopListening = undefined
    } else {
      this.#stopListening ??= server.console.listen((run, data) => {
        if (run.key === `${server.id}/main`) patterns.push(server.id, data)
      })
    }
  }

  #onPatternMatch(key: string, at: number): void {
    const runner = this.#runners.get(key)
    const now = performance.now()
    if (!runner || now - (this.#firedAt.get(key) ?? Number.NEGATIVE_INFINITY) < triggerIntervalMs) return
    const causes = this.#loopGuard.getCauses('console', at)
    if (causes.has(key)) return
    this.#firedAt.set(key, now)
    this.#trigger(key, runner, { cause: 'event', event: 'console', chain: causes })
  }
}

const getEntry = ({ id }: Server, key: string): string => `${id} ${key}`

/** A refusal with its reason, for problems that have no translation of their own. */
function getMessage({ message, metadata: { reason } }: Refusal): string {
  return reason === undefined || message.includes(String(reason)) ? message : `${message}: ${reason}`
}

function existing(tasks: Readonly<Record<string, unknown>>, key: string): unknown {
  if (!Object.hasOwn(tasks, key)) throw new Refusal('ErrTaskNotFound')
  return tasks[key]
}
