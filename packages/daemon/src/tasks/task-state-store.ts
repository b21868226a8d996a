import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { knownItems } from '@innkeeper/contract/api/known-items'
import { type RequiredPermission, requiredPermissions } from '@innkeeper/contract/api/permissions'
import { sharedSave, withLock } from '@innkeeper/contract/jobs/mutex'
import { TaskRun } from '@innkeeper/contract/servers/tasks'
import { isSafeKey } from '@innkeeper/contract/text/names'
import type { Logger } from 'pino'
import { z } from 'zod'
import { getCode } from '../errors/error-code.ts'
import { writeFileAtomic } from '../fs/atomic-write.ts'

const TaskState = z.object({
  /** The schedule that `served` refers to. */
  times: z.string(),
  /** All times up to here are done (epoch milliseconds). */
  served: z.number(),
  /** The active run; if it is still here after a restart, it was interrupted. */
  running: z.optional(TaskRun),
  last: z.optional(TaskRun),
})
/** The persistent state of a task. */
export type TaskState = z.infer<typeof TaskState>

const SafeKey = z.string().refine(isSafeKey)
const StoredState = z.object({
  tasks: z.record(SafeKey, TaskState),
  /** The last known permissions from the panel, by user id. */
  permissions: z.record(z.string().regex(/^\d+$/), knownItems(z.enum(requiredPermissions))),
})

/** The persistent state of a server's tasks, in one file that is written atomically. */
export class TaskStateStore {
  readonly tasks = new Map<string, TaskState>()
  readonly permissions = new Map<number, readonly RequiredPermission[]>()
  readonly #dir: string
  readonly #log: Logger
  #isGone = false

  private constructor(dir: string, log: Logger) {
    this.#dir = dir
    this.#log = log
  }

  static async open(dir: string, log: Logger): Promise<TaskStateStore> {
    const stateStore = new TaskStateStore(dir, log)
    try {
      const stored = StoredState.parse(JSON.parse(await readFile(stateStore.#path, 'utf8')))
      for (const [key, task] of Object.entries(stored.tasks)) stateStore.tasks.set(key, task)
      for (const [userId, permissions] of Object.entries(stored.permissions))
        stateStore.permissions.set(Number(userId), permissions)
    } catch (cause) {
      if (getCode(cause) !== 'ENOENT') log.error({ err: cause }, 'failed to load the state of tasks')
    }
    return stateStore
  }

  /** Resolves when the current state is saved, or the failure is logged. */
  readonly save = sharedSave(this, async () => {
    await this.#write().catch((err: unknown) => this.#log.error({ err }, 'failed to save the state of tasks'))
  })

  async remove(): Promise<void> {
    this.#isGone = true
    await withLock([this], () => rm(this.#dir, { recursive: true, force: true }))
  }

  async #write(): Promise<void> {
    if (this.#isGone) return
    const stored = { tasks: Object.fromEntries(this.tasks), permissions: Object.fromEntries(this.permissions) }
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await writeFileAtomic(this.#path, JSON.stringify(stored))
  }

  get #path(): string {
    return join(this.#dir, 'tasks.json')
  }
}
