import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupJob } from '@innkeeper/contract/backups/backups'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { ifExists } from '../../fs/if-exists.ts'

/** A running job on disk, so that the next daemon knows what was interrupted and what must be undone. */
export const JobMarker = z.extend(
  z.pick(BackupJob, { id: true, type: true, backup: true, name: true, startedAt: true }),
  {
    server: z.string(),
    /** Of the request that started it. */
    idempotencyKey: z.optional(z.string()),
    /** Commands that let a paused server change its files again. */
    after: z.optional(z.array(z.string())),
    /** Whether its processes are frozen. */
    isFrozen: z.optional(z.boolean()),
    /** Whether the server must be started again. */
    startAgain: z.optional(z.boolean()),
    /** The temporary directory of a restore that is exchanging the files: if it is interrupted, some may be missing. */
    replacing: z.optional(z.string()),
    /** The definition that this restore sets, and the user who becomes the owner of changed tasks. */
    definition: z.optional(z.unknown()),
    userId: z.optional(z.number()),
  },
)
export type JobMarker = z.infer<typeof JobMarker>

export class JobMarkers {
  readonly #dir: string
  readonly #log: Logger

  constructor(dir: string, log: Logger) {
    this.#dir = dir
    this.#log = log
  }

  async write(marker: JobMarker): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await writeFileAtomic(this.#getPath(marker.id), Buffer.from(JSON.stringify(marker)))
  }

  async remove(id: string): Promise<void> {
    await rm(this.#getPath(id), { force: true })
  }

  /** Removes the markers of restores of a server that left its files incomplete. */
  async removeIncomplete(server: string): Promise<void> {
    for (const marker of await this.all()) {
      if (marker.server === server && marker.replacing !== undefined) await this.remove(marker.id)
    }
  }

  /** The jobs that an earlier daemon did not end, and restores that left the files of a server incomplete. */
  async all(): Promise<JobMarker[]> {
    const names = (await ifExists(readdir(this.#dir))) ?? []
    const markers: JobMarker[] = []
    for (const name of names.filter((fileName) => fileName.endsWith('.json'))) {
      try {
        markers.push(JobMarker.parse(JSON.parse(await readFile(join(this.#dir, name), 'utf8'))))
      } catch (error) {
        this.#log.error({ err: error, name }, 'the record of an interrupted backup job is damaged')
      }
    }
    return markers
  }

  #getPath(id: string): string {
    return join(this.#dir, `${id}.json`)
  }
}
