import { randomBytes } from 'node:crypto'
import { shortestIntervalMs } from '@innkeeper/contract/cron'
import { limits } from '@innkeeper/contract/limits'
import { issuesOfStep, permissionOfStep } from '@innkeeper/contract/operations'
import { type RequiredPermission, scopeOfPermission } from '@innkeeper/contract/permissions'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerStatus } from '@innkeeper/contract/status'
import type { TaskEvent, TaskInput, TaskView } from '@innkeeper/contract/tasks'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/ticket'
import { TokenBucket } from '@innkeeper/contract/token-bucket'
import type { Logger } from 'pino'
import type { PatternWatch } from '../patterns/pattern-watch.ts'
import type { Server } from '../servers/server.ts'
import { Consequences } from './consequences.ts'
import type { TaskMemory } from './memory.ts'
import { objectionTo, readTask, versionOf } from './read-task.ts'
import type { TaskRights } from './rights.ts'
import { type LoggedRun, RunLog } from './run-log.ts'
import type { Due, Scheduler } from './scheduler.ts'
import { type Occasion, TaskRunner } from './task-runner.ts'
import type { RunTurns } from './turns.ts'

export interface ServerTasksDeps {
  readonly server: Server
  /** Where runs are written down. */
  readonly dir: string
  readonly memory: TaskMemory
  readonly scheduler: Scheduler
  readonly patterns: PatternWatch
  readonly rights: TaskRights
  readonly turns: RunTurns
  readonly now: () => number
  readonly log: Logger
}

/** Who saves a task, and what the panel says that they may do. */
export interface Saver {
  readonly person: number | undefined
  readonly rights: TicketPermissions
}

/** What lists show and no definition keeps, should somebody send a task back as they got it. */
const shownOnly = [
  'isRunning',
  'nextRun',
  'lastRun',
  'problem',
  'refusal',
  'version',
  'savedBy',
  'savedRights',
  'id',
] as const

/** The tasks of one server: as its definition has them, set off by time and by what happens to the server. */
export class ServerTasks {
  readonly #deps: ServerTasksDeps
  readonly #runners = new Map<string, TaskRunner>()
  /** Tasks of which a pattern was switched off, by the version that had it. */
  readonly #off = new Map<string, string>()
  readonly #firedAt = new Map<string, number>()
  /** Runs that nobody asked for. */
  readonly #automaticRuns = new TokenBucket(limits.automaticRuns)
  /** When a run of a task was left out because there were too many; monotonic. */
  readonly #leftOutAt = new Map<string, number>()
  readonly #consequences = new Consequences()
  readonly #leave: (() => void)[]
  #status: ServerStatus
  #unlisten: (() => void) | undefined
  #isClosed = false

  constructor(deps: ServerTasksDeps) {
    const { server } = deps
    this.#deps = deps
    this.#status = server.status
    this.#leave = [server.onDefinition(() => this.#read()), server.onStatus((status) => this.#follow(status))]
    this.#read()
  }

  list(): Record<string, TaskView> {
    const views = Object.keys(this.#deps.server.tasks).map((key) => [key, this.#view(key)] as const)
    return Object.fromEntries(views.flatMap(([key, view]) => (view ? [[key, view]] : [])))
  }

  /** Answers the new key. */
  async create(task: TaskInput, by: Saver): Promise<string> {
    const key = randomBytes(6).toString('hex')
    await this.#save(key, task, by)
    return key
  }

  /** Answers the new version. What we do not know of the task stays as it was. */
  async put(key: string, task: TaskInput, by: Saver, ifMatch?: string): Promise<string> {
    await this.#save(key, task, by, (tasks) => {
      const known = existing(tasks, key)
      if (ifMatch !== undefined && versionOf(known) !== ifMatch) throw new Refusal('ErrStaleVersion')
    })
    return versionOf(this.#deps.server.tasks[key])
  }

  async remove(key: string): Promise<void> {
    await this.#deps.server.changeTasks((tasks) => {
      existing(tasks, key)
      return Object.fromEntries(Object.entries(tasks).filter(([other]) => other !== key))
    })
  }

  run(key: string, by: number | undefined): { readonly ended: Promise<void> } {
    return this.#runner(key).start({ cause: 'person', by })
  }

  async cancel(key: string): Promise<void> {
    await this.#runner(key).cancel()
  }

  async runs(key: string): Promise<LoggedRun[]> {
    return await this.#runner(key).list()
  }

  /** Ends what is at work, for the next daemon to know, and sets nothing off any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const leave of this.#leave) leave()
    this.#unlisten?.()
    const { server, scheduler, patterns } = this.#deps
    patterns.watch(server.id, [])
    for (const key of this.#runners.keys()) scheduler.delete(entryOf(server, key))
    await Promise.all([...this.#runners.values()].map((runner) => runner.interrupt()))
    await this.#deps.memory.save()
  }

  #view(key: string): TaskView | undefined {
    const runner = this.#runners.get(key)
    if (!runner) return undefined
    const { task, problem, version } = runner.read
    // Nothing that comes due runs while nobody answers for it.
    const next = task.savedBy == null ? undefined : this.#deps.scheduler.nextOf(entryOf(this.#deps.server, key))
    const { lastRun } = runner
    const refusal =
      this.#off.get(key) === version ? new Refusal('ErrTaskSlowPattern') : (this.#tooFrequent(key) ?? problem)
    return {
      ...task,
      isRunning: runner.isRunning,
      ...(next && { nextRun: next.toISOString() }),
      ...(lastRun && { lastRun }),
      ...(refusal && { problem: wordsOf(refusal), refusal: envelopeOf(refusal).error }),
      version,
    }
  }

  #tooFrequent(key: string): Refusal | undefined {
    const at = this.#leftOutAt.get(key)
    const isLately = at !== undefined && performance.now() - at < limits.automaticRunsWarningMs
    return isLately ? new Refusal('ErrTaskTooFrequent') : undefined
  }

  #runner(key: string): TaskRunner {
    existing(this.#deps.server.tasks, key)
    const runner = this.#runners.get(key)
    if (!runner || this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    return runner
  }

  async #save(
    key: string,
    task: TaskInput,
    { person, rights }: Saver,
    look?: (tasks: Readonly<Record<string, unknown>>) => void,
  ): Promise<void> {
    const objection = objectionTo(task, Object.keys(this.#deps.server.definition.definition.data))
    if (objection) throw objection
    const { cronSchedule } = task
    if (cronSchedule && !hasPermission(rights, 'admin') && shortestIntervalMs(cronSchedule) < limits.scheduleIntervalMs)
      throw new Refusal('ErrScheduleTooFrequent', {
        field: 'cronSchedule',
        seconds: limits.scheduleIntervalMs / 1_000,
      })
    for (const [at, step] of task.operations.entries()) {
      const [issue] = issuesOfStep(step)
      if (!issue) continue
      const code = issue.problem === 'missing' ? 'ErrFieldRequired' : 'ErrFieldInvalid'
      throw new Refusal(code, { field: `operations.${at}.${issue.field}` })
    }
    const own = [...rights].filter((right): right is RequiredPermission => right !== 'node')
    for (const [at, step] of task.operations.entries()) {
      const right = permissionOfStep(step)
      if (!hasPermission(rights, right))
        throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[right], step: at + 1, type: step.type })
    }
    await this.#deps.server.changeTasks((tasks) => {
      look?.(tasks)
      this.#off.delete(key)
      const before = Object.hasOwn(tasks, key) ? tasks[key] : undefined
      const kept = { ...(typeof before === 'object' ? before : {}), ...task } as Record<string, unknown>
      for (const name of shownOnly) delete kept[name]
      const savedRights = hasPermission(rights, 'admin') ? undefined : own
      const saved = person === undefined ? {} : { savedBy: person, ...(savedRights && { savedRights }) }
      return { ...tasks, [key]: { ...kept, ...saved } }
    })
    const { memory } = this.#deps
    if (person === undefined || memory.rights.has(person)) return
    // The panel signed these rights a moment ago.
    memory.rights.set(person, own)
    await memory.save()
  }

  /** Takes over what the definition has now. What is not there any more is ended, and its runs are forgotten. */
  #read(): void {
    const tasks = this.#tasks()
    if (this.#isClosed || !tasks) return
    for (const key of [...this.#runners.keys()]) if (!Object.hasOwn(tasks, key)) this.#forget(key)
    for (const key of [...this.#deps.memory.tasks.keys()])
      if (!Object.hasOwn(tasks, key)) this.#deps.memory.tasks.delete(key)
    for (const [key, raw] of Object.entries(tasks)) this.#take(key, raw)
    this.#watchOutput()
  }

  /** While the definition is damaged nothing is set off, and nothing forgotten. */
  #tasks(): Readonly<Record<string, unknown>> | undefined {
    try {
      return this.#deps.server.tasks
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      const { server, scheduler, patterns } = this.#deps
      for (const key of this.#runners.keys()) scheduler.delete(entryOf(server, key))
      patterns.watch(server.id, [])
      return undefined
    }
  }

  #take(key: string, raw: unknown): void {
    const { server, memory, scheduler, dir, log, now } = this.#deps
    const known = this.#runners.get(key)
    const read =
      known?.read.version === versionOf(raw)
        ? known.read
        : readTask(key, raw, Object.keys(server.definition.definition.data))
    if (known) known.read = read
    else {
      const runs = new RunLog(dir, key, log)
      const runner = new TaskRunner({ ...this.#deps, key, runs, consequences: this.#consequences }, read)
      this.#runners.set(key, runner)
      void runner.recover()
    }
    const before = memory.tasks.get(key)
    const isSameTime = before?.times === read.times
    const served = isSameTime ? before.served : now()
    memory.tasks.set(key, { ...before, times: read.times, served })
    if (served !== before?.served) void memory.save()
    const entry = entryOf(server, key)
    // One that waits already must not take a time that comes this moment for one that was missed.
    if (isSameTime && known && scheduler.has(entry)) return
    if (read.schedule) scheduler.set(entry, { schedule: read.schedule, served, due: (due) => this.#due(key, due) })
    else scheduler.delete(entry)
  }

  #forget(key: string): void {
    const runner = this.#runners.get(key)
    this.#runners.delete(key)
    this.#off.delete(key)
    this.#firedAt.delete(key)
    this.#leftOutAt.delete(key)
    this.#deps.scheduler.delete(entryOf(this.#deps.server, key))
    void runner
      ?.cancel()
      .then(() => runner.forget())
      .catch((cause: unknown) => this.#deps.log.error({ err: cause }, 'runs of a task cannot be removed'))
  }

  #due(key: string, { served, wasMissed }: Due): void {
    const { memory } = this.#deps
    const runner = this.#runners.get(key)
    const known = memory.tasks.get(key)
    if (!runner || !known) return
    memory.tasks.set(key, { ...known, served })
    void memory.save()
    if (wasMissed && runner.read.task.catchUp !== true) return
    this.#setOff(key, runner, { cause: wasMissed ? 'missed' : 'schedule' })
  }

  #follow(status: ServerStatus): void {
    const before = this.#status
    this.#status = status
    const { lastExit } = status
    if (lastExit && lastExit.at !== before.lastExit?.at)
      this.#happened(['stopped', 'killed', 'ended'].includes(lastExit.reason) ? 'stopped' : 'crashed')
    if (before.state === 'starting' && status.state === 'online') this.#happened('started')
  }

  #happened(event: TaskEvent): void {
    const behind = this.#consequences.behind(event)
    for (const [key, runner] of this.#runners)
      if (runner.read.events.has(event) && !behind.has(key))
        this.#setOff(key, runner, { cause: 'event', event, chain: behind })
  }

  #setOff(key: string, runner: TaskRunner, occasion: Occasion): void {
    if (this.#isClosed || this.#deps.server.isBeingRemoved) return
    // Nobody answers for it: its problem says so, and every time of it would say it again.
    if (runner.read.task.savedBy == null) return
    // A server starts and ends rarely; times and lines can come as often as somebody likes.
    const isLimited = occasion.cause !== 'event' || occasion.event === 'console'
    if (isLimited && !this.#automaticRuns.take()) {
      this.#leftOutAt.set(key, performance.now())
      return
    }
    try {
      runner.start(occasion)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
    }
  }

  /** Output is only listened to when some task asks for it. */
  #watchOutput(): void {
    const { server, patterns } = this.#deps
    const watched = [...this.#runners].flatMap(([key, runner]) =>
      this.#off.get(key) === runner.read.version
        ? []
        : runner.read.patterns.map((pattern) => ({
            pattern,
            onFit: (at: number) => this.#heard(key, at),
            onOff: () => this.#off.set(key, runner.read.version),
          })),
    )
    patterns.watch(server.id, watched)
    if (watched.length === 0) {
      this.#unlisten?.()
      this.#unlisten = undefined
    } else {
      this.#unlisten ??= server.console.listen((run, data) => {
        if (run.key === `${server.id}/main`) patterns.take(server.id, data)
      })
    }
  }

  #heard(key: string, at: number): void {
    const runner = this.#runners.get(key)
    const now = performance.now()
    if (!runner || now - (this.#firedAt.get(key) ?? Number.NEGATIVE_INFINITY) < limits.taskEventEveryMs) return
    const behind = this.#consequences.behind('console', at)
    if (behind.has(key)) return
    this.#firedAt.set(key, now)
    this.#setOff(key, runner, { cause: 'event', event: 'console', chain: behind })
  }
}

const entryOf = ({ id }: Server, key: string): string => `${id} ${key}`

/** A reason that the message of a refusal leaves out, its own catalogue has no words for. */
function wordsOf({ message, metadata: { reason } }: Refusal): string {
  return reason === undefined || message.includes(String(reason)) ? message : `${message}: ${reason}`
}

function existing(tasks: Readonly<Record<string, unknown>>, key: string): unknown {
  if (!Object.hasOwn(tasks, key)) throw new Refusal('ErrTaskNotFound')
  return tasks[key]
}
