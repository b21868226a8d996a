import { join } from 'node:path'
import type { NodePlannedJob } from '@innkeeper/contract/backups/backup-plan'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { ServerBackups } from '../backups/server-backups.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { withRollback } from '../errors/cleanup.ts'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { PanelLink } from '../panel-link/panel-link.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Registry } from '../servers/registry.ts'
import type { Server } from '../servers/server.ts'
import { type Clock, Scheduler, systemClock } from './scheduler.ts'
import { ServerTasks } from './server-tasks.ts'
import { TaskPermissions } from './task-permissions.ts'
import { TaskStateStore } from './task-state-store.ts'

const maxRunningTasks = 5
export const maxRunningTasksPerServer = 2
/** A task that downloads, waits or runs a program for hours must not hold up other servers. */
const sharedTaskMs = 60_000

interface Deps {
  readonly dataDir: string
  readonly servers: Registry
  readonly backups: Pick<ServerBackups, 'create'>
  readonly patterns: PatternMatcher
  /** Provides permissions; without it those at the time of saving are used. */
  readonly panel: Pick<PanelLink, 'request'> | undefined
  /** Receives failed runs. */
  readonly events?: Pick<NodeEvents, 'add'>
  readonly log: Logger
  readonly clock?: Clock
  readonly permissionsMs?: number | undefined
  /** How long a run counts for the tasks of all servers. */
  readonly sharedMs?: number | undefined
  /** How long a minute of a countdown is, for tests. */
  readonly minuteMs?: number | undefined
}

/** The tasks of all servers of this node, with shared clock and concurrency limit. */
export class Tasks {
  readonly #deps: Deps
  readonly #clock: Clock
  readonly #scheduler: Scheduler
  readonly #permissions: TaskPermissions
  readonly #semaphore: Semaphore
  readonly #onServer = new Map<string, Promise<ServerTasks>>()
  #closing: Promise<void> | undefined

  private constructor(deps: Deps) {
    const { log, panel, permissionsMs: timeoutMs } = deps
    this.#deps = deps
    this.#clock = deps.clock ?? systemClock
    this.#scheduler = new Scheduler(this.#clock)
    this.#permissions = new TaskPermissions({ panel, log, timeoutMs })
    const { sharedMs = sharedTaskMs } = deps
    this.#semaphore = new Semaphore(maxRunningTasks, { perKey: maxRunningTasksPerServer, sharedMs })
  }

  static async open(deps: Deps): Promise<Tasks> {
    const tasks = new Tasks(deps)
    deps.servers.onAdded((server) => tasks.#begin(server))
    for (const server of deps.servers.servers) tasks.#begin(server)
    await Promise.all(tasks.#onServer.values())
    return tasks
  }

  /** The default time zone of tasks. */
  get timezone(): string {
    return new Intl.DateTimeFormat().resolvedOptions().timeZone
  }

  /** Throws ErrServerNotFound. */
  async on(id: string): Promise<ServerTasks> {
    const { isBeingRemoved } = this.#deps.servers.get(id)
    const tasks = this.#onServer.get(id)
    if (!tasks || isBeingRemoved) throw new Refusal('ErrServerNotFound')
    return await tasks
  }

  /** The next run of each task that makes backups. */
  async plannedBackups(): Promise<NodePlannedJob[]> {
    const planned = [...this.#onServer].map(async ([server, tasks]) =>
      Object.values((await tasks).list()).flatMap(({ name, nextRun: at, operations }) => {
        const isBackup = operations.some(({ type }) => type === 'backup')
        return isBackup && at !== undefined ? [{ type: 'backup' as const, server, name, at }] : []
      }),
    )
    return (await Promise.all(planned)).flat()
  }

  /** Removes a server and its tasks; no task runs meanwhile. */
  async removing(id: string, remove: () => Promise<void>): Promise<void> {
    await this.releasing(id, remove)
    const stateStore = await TaskStateStore.open(this.#getDir(id), this.#deps.log)
    await stateStore.remove()
  }

  /** Ends the tasks of a server while `release` makes it unavailable; their state stays. */
  async releasing(id: string, release: () => Promise<void>): Promise<void> {
    const tasks = this.#onServer.get(id)
    this.#onServer.delete(id)
    await (await tasks)?.close()
    await withRollback(release(), () => {
      const server = this.#deps.servers.find(id)
      if (server && !this.#onServer.has(id)) this.#begin(server)
    })
  }

  /** Interrupts active runs and stops triggering. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#scheduler.close()
    this.#permissions.close()
    await Promise.all([...this.#onServer.values()].map(async (tasks) => (await tasks).close()))
  }

  #begin(server: Server): void {
    this.#onServer.set(server.id, this.#open(server))
  }

  async #open(server: Server): Promise<ServerTasks> {
    const log = this.#deps.log.child({ server: server.id })
    const dir = this.#getDir(server.id)
    const stateStore = await TaskStateStore.open(dir, log)
    return new ServerTasks({
      server,
      dir,
      stateStore,
      scheduler: this.#scheduler,
      patterns: this.#deps.patterns,
      backups: this.#deps.backups,
      events: this.#deps.events,
      permissions: this.#permissions,
      semaphore: this.#semaphore,
      now: () => this.#clock.now(),
      minuteMs: this.#deps.minuteMs,
      log,
    })
  }

  #getDir(id: string): string {
    return join(this.#deps.dataDir, 'tasks', id)
  }
}
