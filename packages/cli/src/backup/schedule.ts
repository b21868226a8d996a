import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'

interface Deps {
  /** The folder of the backups. */
  readonly dir: string
  readonly everyMs: number
  /** How many backups of the schedule are kept. */
  readonly keep: number
  /** Writes a backup to a file. */
  readonly backUp: (file: string, signal: AbortSignal) => Promise<void>
  readonly log: Logger
  readonly now?: () => number
}

/** Interval of checks whether a backup is due, and of attempts after a failure. */
const checkMs = 10 * 60_000
const scheduledName = /^innkeeper-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/

/**
 * Makes backups at an interval and deletes the oldest ones. The names of the files contain the time of the last one, so a
 * restart neither delays nor repeats one.
 */
export class BackupSchedule {
  readonly #deps: Deps
  readonly #job: PeriodicJob

  constructor(deps: Deps) {
    this.#deps = deps
    this.#job = new PeriodicJob({
      everyMs: checkMs,
      run: (signal) => this.#backUpIfDue(signal),
      onError: (err) => deps.log.error({ err }, 'the scheduled backup failed; it will be tried again'),
    })
    void this.#job.start().run()
  }

  /** Makes a backup if one is due. Failures are logged, and tried again at the next check. */
  check(): Promise<void> {
    return this.#job.run()
  }

  async close(): Promise<void> {
    await this.#job.close()
  }

  async #backUpIfDue(signal: AbortSignal): Promise<void> {
    const { dir, everyMs, keep, backUp, log, now = Date.now } = this.#deps
    const at = now()
    const last = findTime((await this.#existing()).at(-1))
    if (last !== undefined && at - last < everyMs) return
    const file = join(dir, `innkeeper-${new Date(at).toISOString().replace(/[-:]|\.\d+/g, '')}.backup`)
    await backUp(file, signal)
    log.info({ file }, 'a backup was made')
    for (const name of (await this.#existing()).slice(0, -keep)) await rm(join(dir, name), { force: true })
  }

  /** Names of the backups of the schedule, the oldest first. */
  async #existing(): Promise<string[]> {
    const names = await readdir(this.#deps.dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    return names.filter((name) => scheduledName.test(name)).toSorted()
  }
}

/** The time in the name of a backup, in epoch milliseconds. */
function findTime(name: string | undefined): number | undefined {
  const [, year, month, day, hour, minute, second] = scheduledName.exec(name ?? '') ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
