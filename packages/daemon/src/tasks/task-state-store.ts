import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isSafeKey } from '@innkeeper/contract/names'
import { type RequiredPermission, requiredPermissions } from '@innkeeper/contract/permissions'
import { TaskRun } from '@innkeeper/contract/tasks'
import type { Logger } from 'pino'
import { z } from 'zod'
import { codeOf } from '../files/error-code.ts'
import { writeFileAtomic } from '../servers/atomic-write.ts'

const TaskState = z.object({
  /** The schedule that the next is about. */
  times: z.string(),
  /** Everything up to here is served, epoch milliseconds. */
  served: z.number(),
  /** What was at work; still there, it was interrupted. */
  running: TaskRun.optional(),
  last: TaskRun.optional(),
})
/** What of a task must survive the daemon. */
export type TaskState = z.infer<typeof TaskState>

const SafeKey = z.string().refine(isSafeKey)
const StoredState = z.object({
  tasks: z.record(SafeKey, TaskState),
  /** What the panel said last that people may do, by their number. */
  rights: z.record(z.string().regex(/^\d+$/), z.array(z.enum(requiredPermissions))),
})

/** What the tasks of a server leave behind for the next daemon, in one file that is there whole or not at all. */
export class TaskStateStore {
  readonly tasks = new Map<string, TaskState>()
  readonly rights = new Map<number, readonly RequiredPermission[]>()
  readonly #dir: string
  readonly #log: Logger
  #writing: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined
  #isGone = false

  private constructor(dir: string, log: Logger) {
    this.#dir = dir
    this.#log = log
  }

  static async open(dir: string, log: Logger): Promise<TaskStateStore> {
    const stateStore = new TaskStateStore(dir, log)
    try {
      const kept = StoredState.parse(JSON.parse(await readFile(stateStore.#path, 'utf8')))
      for (const [key, task] of Object.entries(kept.tasks)) stateStore.tasks.set(key, task)
      for (const [person, rights] of Object.entries(kept.rights)) stateStore.rights.set(Number(person), rights)
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT') log.error({ err: cause }, 'what tasks did is lost')
    }
    return stateStore
  }

  /** Resolves when all that was remembered by now is kept, or is told in the log. */
  save(): Promise<void> {
    this.#next ??= this.#writing.then(() => {
      this.#next = undefined
      return this.#write()
    })
    this.#writing = this.#next
    return this.#next
  }

  async remove(): Promise<void> {
    this.#isGone = true
    await this.#writing
    await rm(this.#dir, { recursive: true, force: true })
  }

  async #write(): Promise<void> {
    if (this.#isGone) return
    const kept = { tasks: Object.fromEntries(this.tasks), rights: Object.fromEntries(this.rights) }
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      await writeFileAtomic(this.#path, Buffer.from(JSON.stringify(kept)))
    } catch (cause) {
      this.#log.error({ err: cause }, 'what tasks did cannot be kept')
    }
  }

  get #path(): string {
    return join(this.#dir, 'tasks.json')
  }
}
