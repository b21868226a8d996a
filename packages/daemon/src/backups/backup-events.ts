import type { BackupFailure } from '@innkeeper/contract/backups/node-backups'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { EndedJob } from './jobs/job-queue.ts'
import type { BackupIndexes } from './storage/backup-index.ts'
import { getCopies } from './storage/stored-copies.ts'

interface Deps {
  readonly events: Pick<NodeEvents, 'add'>
  readonly indexes: Pick<BackupIndexes, 'of'>
  readonly serverTargets: {
    of(server: string): Promise<readonly { readonly id: string }[]>
    withMissingCopies(server: string): Promise<readonly string[]>
  }
  readonly log: Logger
}

/** Tells the panel how backups and verifications ended, which sends alerts about those that failed, and records it. */
export class BackupEvents {
  readonly #deps: Deps
  /** By server: also in the indexes, unless the disk is full. Undefined when the last backup succeeded. */
  readonly #failures = new Map<string, BackupFailure | undefined>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The last failure, unless a backup has succeeded since, its cause was removed, or it was dismissed. */
  async findFailure(server: string): Promise<BackupFailure | undefined> {
    if (this.#failures.has(server)) return this.#failures.get(server)
    return await this.#deps.indexes.of(server).failure()
  }

  /**
   * A user who restores a backup sees the result, and a missing copy was reported when its backup was made, unless it
   * turns out that the backup is damaged.
   */
  jobEnded({ server, type, name, backup, refusal, warning }: EndedJob): void {
    if (type === 'restore' || refusal?.code === 'ErrCancelled') return
    const failure = type === 'copy' ? warning : (refusal ?? warning)
    if (failure) {
      const of = type === 'verify' && backup !== undefined ? { backup } : {}
      const isCopy = type === 'copy' || (!refusal && failure.code !== 'ErrBackupIncomplete')
      this.#setFailure(server, { type: isCopy ? 'copy' : type, refusal: failure, ...of })
      const parts = [...(type === 'verify' ? ['Verification failed'] : []), ...(name === '' ? [] : [name])]
      this.#deps.events.add({ type: 'backupFailed', server, detail: [...parts, failure.message].join(': ') })
    } else if (type === 'create') this.#end(server)
    else if (type === 'verify' && backup !== undefined) void this.#verified(server, backup)
  }

  /** Ends the failure of a server at the wish of a user. */
  async dismiss(server: string): Promise<void> {
    if (await this.findFailure(server)) this.#end(server)
  }

  /** Removes what is known about a server that was removed. */
  forget(server: string): void {
    this.#failures.delete(server)
  }

  /** Ends a failure whose cause is gone: no copy is missing any more, or the backup that failed its verification was deleted. */
  async endSolved(server: string): Promise<void> {
    const failure = await this.findFailure(server)
    if (failure?.type === 'copy' && !(await this.#lacksCopies(server))) this.#end(server)
    if (failure?.type !== 'verify' || failure.backup === undefined) return
    if (!(await this.#deps.indexes.of(server).find(failure.backup))) this.#end(server)
  }

  async #lacksCopies(server: string): Promise<boolean> {
    const { indexes, serverTargets } = this.#deps
    const index = indexes.of(server)
    const latest = await index.find((await index.latest()) ?? '')
    const { error, bootError } = latest?.verification ?? {}
    if (error || bootError || (await serverTargets.withMissingCopies(server)).length > 0) return true
    const targets = (await serverTargets.of(server)).map(({ id }) => id)
    const copies = latest ? getCopies(latest) : []
    return copies.some(({ target, state }) => targets.includes(target) && state !== 'stored')
  }

  /** A later verification of the same backup succeeded. */
  async #verified(server: string, backup: string): Promise<void> {
    try {
      const failure = await this.findFailure(server)
      if (failure?.type === 'verify' && failure.backup === backup) this.#end(server)
    } catch (err) {
      this.#deps.log.error({ err, server }, 'the failure of a verification cannot be ended')
    }
  }

  #end(server: string): void {
    this.#setFailure(server)
    this.#deps.events.add({ type: 'backupDone', server })
  }

  #setFailure(server: string, failed?: Failed): void {
    const failure = failed && toFailure(failed)
    this.#failures.set(server, failure)
    this.#deps.indexes
      .of(server)
      .setFailure(failure)
      .catch((err: unknown) => this.#deps.log.error({ err, server }, 'the failure of a backup cannot be recorded'))
  }
}

type Failed = Pick<BackupFailure, 'type' | 'backup'> & { readonly refusal: Refusal }

function toFailure({ refusal, ...failed }: Failed): BackupFailure {
  return { ...failed, at: new Date().toISOString(), error: toEnvelope(refusal).error }
}
