import { statfs } from 'node:fs/promises'
import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import type { Logger } from 'pino'
import { z } from 'zod'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { readTextIfExists } from '../../fs/if-exists.ts'
import type { DueWork, JobQueue, JobSource } from '../jobs/job-queue.ts'
import { mayBegin, nextQuietTime, type QuietHours } from './quiet-hours.ts'

/** Time until pruning is tried again that failed or was interrupted. */
const retryMs = 15 * 60 * 1000
/** With less free space, the folder of the node does not wait for quiet hours. */
const minFreeShare = 0.1

/** When each target got space to free, in milliseconds since 1970, by its ID. */
const Pending = z.record(z.string(), z.number())
type Pending = z.infer<typeof Pending>

interface Options {
  /** The file with what is to be pruned. */
  readonly path: string
  /** The folder of the node's repository. */
  readonly directory: string
  readonly quietHours: QuietHours
  /** Its maintenance prunes what is due. */
  readonly queue: Pick<JobQueue, 'requestMaintenance'>
  readonly log: Logger
}

/** The targets with space to free. That is done in quiet hours, after a day at any hour, or when the disk is short. */
export class PruneSchedule implements JobSource {
  readonly #options: Options
  #pending: Pending
  #retryAt = 0

  private constructor(options: Options, pending: Pending) {
    this.#options = options
    this.#pending = pending
  }

  static async open(options: Options): Promise<PruneSchedule> {
    const text = await readTextIfExists(options.path)
    const { data, error } = text === undefined ? { data: {} } : safeParseJson(Pending, text)
    // Pruning after the next deletion frees the same space.
    if (!data) options.log.error({ err: error, path: options.path }, 'the list of targets to prune is damaged')
    return new PruneSchedule(options, data ?? {})
  }

  async add(target: string): Promise<void> {
    await this.#change((pending) => ({ [target]: Date.now(), ...pending }))
  }

  async remove(target: string): Promise<void> {
    await this.#change(({ [target]: _, ...others }) => others)
  }

  async isDue(target: string, now = new Date()): Promise<boolean> {
    const dueAt = this.#pending[target]
    if (dueAt === undefined) return false
    return mayBegin(dueAt, this.#options.quietHours, now) || (target === localTarget && (await this.#isShort()))
  }

  /** When each target is pruned, in milliseconds since 1970. */
  planned(now = new Date()): { readonly target: string; readonly at: number }[] {
    const { quietHours } = this.#options
    return Object.entries(this.#pending).map(([target, dueAt]) => ({
      target,
      at: nextQuietTime(dueAt, quietHours, now),
    }))
  }

  async next(now: number): Promise<DueWork | undefined> {
    const date = new Date(now)
    const times: number[] = []
    for (const { target, at } of this.planned(date)) times.push((await this.isDue(target, date)) ? now : at)
    if (times.length === 0) return undefined
    const start = () => {
      this.#retryAt = now + retryMs
      this.#options.queue.requestMaintenance()
    }
    return { at: Math.max(this.#retryAt, Math.min(...times)), start }
  }

  async #isShort(): Promise<boolean> {
    const { bavail, blocks } = await statfs(this.#options.directory)
    return bavail < blocks * minFreeShare
  }

  async #change(change: (pending: Pending) => Pending): Promise<void> {
    await withLock([this], async () => {
      const changed = change(this.#pending)
      await writeFileAtomic(this.#options.path, JSON.stringify(changed))
      this.#pending = changed
    })
  }
}
