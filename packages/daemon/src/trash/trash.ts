import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { ServerId } from '@innkeeper/contract/text/server-id'
import type { Logger } from 'pino'
import { endsWithin } from '../concurrency/timeout.ts'
import { RootFs } from '../files/root.ts'
import { ifExists } from '../fs/if-exists.ts'
import type { TrashLimits } from './expired-entries.ts'
import { ServerTrash } from './server-trash.ts'
import { type DiscardContext, TrashSink } from './trash-sink.ts'

export interface TrashOptions extends TrashLimits {
  /** Whether it also keeps what is deleted and overwritten over SFTP. */
  readonly sftp: boolean
}

export const defaultTrash: TrashOptions = { days: 7, maxBytes: 10 * 1024 ** 3, maxVersions: 20, sftp: true }

interface Deps {
  readonly dataDir: string
  readonly options: TrashOptions
  readonly log: Logger
}

const expireEveryMs = 60 * 60 * 1000
/** How long others wait until the expired entries of one server are deleted. */
const expireWaitMs = 60_000

/**
 * The trash of all servers. It is beside their files, for renames without a copy, in a directory that neither servers
 * nor SFTP can reach.
 */
export class Trash {
  readonly options: TrashOptions
  readonly #serversDirectory: string
  readonly #directory: string
  readonly #log: Logger
  readonly #ofServer = new Map<string, ServerTrash>()
  readonly #expiry: PeriodicJob

  constructor({ dataDir, options, log }: Deps) {
    this.options = options
    this.#serversDirectory = join(dataDir, 'servers')
    this.#directory = join(this.#serversDirectory, '.trash')
    this.#log = log
    this.#expiry = new PeriodicJob({
      everyMs: expireEveryMs,
      run: (signal) => this.#expire(signal),
      onError: (err) => this.#warn({ err }),
    })
    void this.#expiry.start().run()
  }

  /** The trash of an existing server. */
  of(server: string): ServerTrash {
    const known = this.#ofServer.get(server)
    if (known) return known
    const log = this.#log.child({ server })
    const fresh = new ServerTrash({
      directory: join(this.#directory, server),
      filesDirectory: join(this.#serversDirectory, server),
      limits: this.options,
      log,
    })
    this.#ofServer.set(server, fresh)
    return fresh
  }

  /** Creates the folder of the trash of a server, and returns its path. */
  async prepare(server: string): Promise<string> {
    const directory = join(this.#directory, server)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    return directory
  }

  /** Receives what an operation discards in the files of a server. */
  sink(server: string, context: DiscardContext): TrashSink {
    return new TrashSink(this.of(server), context, this.#log.child({ server }))
  }

  /** Closes the trash of a server; it is read again when it is needed. */
  async release(server: string): Promise<void> {
    await this.#ofServer.get(server)?.close()
    this.#ofServer.delete(server)
  }

  /** Deletes the trash of a server that was removed. */
  async removeAll(server: string): Promise<void> {
    await this.release(server)
    await RootFs.remove(join(this.#directory, server))
  }

  async close(): Promise<void> {
    await this.#expiry.close()
    await Promise.all([...this.#ofServer.values()].map((trash) => trash.close()))
  }

  /** One server at a time: it is disk I/O without urgency. */
  async #expire(signal: AbortSignal): Promise<void> {
    const ends: Promise<void>[] = []
    for (const server of (await ifExists(readdir(this.#directory))) ?? []) {
      if (signal.aborted) return
      if (!ServerId.safeParse(server).success) continue
      const expiring = this.of(server)
        .expire()
        .catch((err: unknown) => this.#warn({ err, server }))
      ends.push(expiring)
      await endsWithin(expiring, expireWaitMs)
    }
    await Promise.all(ends)
  }

  #warn(failure: { readonly err: unknown; readonly server?: string }): void {
    this.#log.warn(failure, 'failed to remove expired entries of the trash')
  }
}
