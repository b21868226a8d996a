import type { BackupFailure } from '@innkeeper/contract/node-backups'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { NodeEvents } from '../panel-link/node-events.ts'
import type { BackupIndex } from './backup-index.ts'
import type { EndedJob } from './job-queue.ts'
import { copiesOf } from './targets/copies.ts'

interface Deps {
  readonly events: Pick<NodeEvents, 'add'> | undefined
  readonly indexOf: (server: string) => BackupIndex
  /** The targets on which copies of backups of a server are missing. */
  readonly missingOn: (server: string) => Promise<readonly string[]>
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

  /** The last failure, unless a backup has succeeded since. */
  async failureOf(server: string): Promise<BackupFailure | undefined> {
    if (this.#failures.has(server)) return this.#failures.get(server)
    return await this.#deps.indexOf(server).failure()
  }

  /**
   * A user who restores a backup sees the result, and a missing copy was reported when its backup was made, unless it
   * turns out that the backup is damaged.
   */
  jobEnded({ server, type, name, refusal, warning }: EndedJob): void {
    if (type === 'restore' || refusal?.code === 'ErrCancelled') return
    const failure = type === 'copy' ? warning : (refusal ?? warning)
    if (failure) {
      this.#setFailure(server, refusal && type !== 'copy' ? type : 'copy', failure)
      const parts = [...(type === 'verify' ? ['Verification failed'] : []), ...(name === '' ? [] : [name])]
      this.#deps.events?.add({ type: 'backupFailed', server, detail: [...parts, failure.message].join(': ') })
    } else if (type === 'create') {
      this.#setFailure(server)
      this.#deps.events?.add({ type: 'backupDone', server })
    }
  }

  /** Ends the alert about missing copies, when that is what it is about and none is missing any more. */
  async copiesMade(server: string): Promise<void> {
    const index = this.#deps.indexOf(server)
    const latest = await index.find((await index.latest()) ?? '')
    const failure = await this.failureOf(server)
    if (!latest || (failure && failure.type !== 'copy')) return
    const { error, bootError } = latest.verification ?? {}
    if (error || bootError || copiesOf(latest).some(({ state }) => state !== 'stored')) return
    if ((await this.#deps.missingOn(server)).length > 0) return
    this.#setFailure(server)
    this.#deps.events?.add({ type: 'backupDone', server })
  }

  #setFailure(server: string, type: BackupFailure['type'] = 'create', refusal?: Refusal): void {
    const failure = refusal && { type, at: new Date().toISOString(), error: envelopeOf(refusal).error }
    this.#failures.set(server, failure)
    this.#deps
      .indexOf(server)
      .setFailure(failure)
      .catch((err: unknown) => this.#deps.log.error({ err, server }, 'the failure of a backup cannot be recorded'))
  }
}
