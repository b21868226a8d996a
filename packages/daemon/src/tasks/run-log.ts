import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { TaskRun } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { JsonLog } from '../fs/json-log.ts'

/** Size of the stored history of a task. */
export const maxLogBytes = 1_048_576

export const LoggedRun = z.extend(TaskRun, { lines: z.array(z.string()) })
export type LoggedRun = z.infer<typeof LoggedRun>

/** The log of a task's runs. */
export class RunLog {
  readonly #runs: JsonLog<LoggedRun>
  readonly #log: Logger

  constructor(dir: string, key: string, log: Logger) {
    // Keys are arbitrary text; their digest is a valid file name.
    const path = join(dir, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.runs`)
    this.#runs = new JsonLog({ path, schema: LoggedRun, maxItems: limits.taskRunsKept, maxBytes: maxLogBytes })
    this.#log = log
  }

  /** Never rejects: a logging failure does not affect the run. */
  async add(run: LoggedRun): Promise<void> {
    await this.#runs.append([run]).catch((cause: unknown) => {
      this.#log.error({ err: cause }, 'failed to log a run of a task')
    })
  }

  /** The last runs, newest first. */
  async list(): Promise<LoggedRun[]> {
    return (await this.#runs.read()).reverse()
  }

  async remove(): Promise<void> {
    await this.#runs.remove()
  }
}
