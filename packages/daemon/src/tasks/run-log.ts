import { createHash } from 'node:crypto'
import { appendFile, mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { TaskRun } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'

/** Size of the stored history of a task. */
export const maxLogBytes = 1_048_576

export const LoggedRun = z.extend(TaskRun, { lines: z.array(z.string()) })
export type LoggedRun = z.infer<typeof LoggedRun>

/**
 * The log of a task's runs: one line of JSON per run, appended. When it has twice as many runs or bytes as the limit,
 * it is truncated to the limit. A line that is incomplete after a power loss is skipped.
 */
export class RunLog {
  readonly #path: string
  readonly #log: Logger
  /** The size of the file; undefined before it was read. */
  #size: { runs: number; bytes: number } | undefined

  constructor(dir: string, key: string, log: Logger) {
    // Keys are arbitrary text; their digest is a valid file name.
    this.#path = join(dir, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.runs`)
    this.#log = log
  }

  /** Never rejects: a logging failure does not affect the run. */
  async add(run: LoggedRun): Promise<void> {
    await withLock([this], async () => {
      // The last line of an earlier daemon may be incomplete: starts a new one.
      const isFirst = this.#size === undefined
      this.#size ??= getSize(await this.#read())
      const line = `${isFirst ? '\n' : ''}${JSON.stringify(run)}\n`
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
      await appendFile(this.#path, line, { mode: 0o600 })
      this.#size.runs++
      this.#size.bytes += Buffer.byteLength(line)
      if (this.#size.runs >= 2 * limits.taskRunsKept || this.#size.bytes > 2 * maxLogBytes) await this.#shorten()
    }).catch((cause: unknown) => {
      this.#log.error({ err: cause }, 'failed to log a run of a task')
    })
  }

  /** The last runs, newest first. */
  async list(): Promise<LoggedRun[]> {
    return await withLock([this], async () => newest(await this.#read()).reverse())
  }

  async remove(): Promise<void> {
    await withLock([this], () => rm(this.#path, { force: true }))
  }

  async #shorten(): Promise<void> {
    const runs = newest(await this.#read())
    await writeFileAtomic(this.#path, runs.map((run) => `${JSON.stringify(run)}\n`).join(''))
    this.#size = getSize(runs)
  }

  async #read(): Promise<LoggedRun[]> {
    const text = (await readTextIfExists(this.#path)) ?? ''
    return text.split('\n').flatMap((line) => readLine(line) ?? [])
  }
}

const readLine = (line: string): LoggedRun | undefined => LoggedRun.safeParse(parseJsonOrUndefined(line)).data

/** The newest runs within the limits. */
function newest(runs: readonly LoggedRun[]): LoggedRun[] {
  let bytes = 0
  const count = runs
    .slice(-limits.taskRunsKept)
    .toReversed()
    .findIndex((run, at) => {
      bytes += Buffer.byteLength(JSON.stringify(run))
      return at > 0 && bytes > maxLogBytes
    })
  return runs.slice(-(count === -1 ? limits.taskRunsKept : count))
}

function getSize(runs: readonly LoggedRun[]): { runs: number; bytes: number } {
  return { runs: runs.length, bytes: runs.reduce((sum, run) => sum + Buffer.byteLength(JSON.stringify(run)) + 1, 0) }
}
