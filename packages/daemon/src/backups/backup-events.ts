import type { NodeEvents } from '../panel-link/node-events.ts'
import type { BackupIndex } from './backup-index.ts'
import type { EndedJob } from './job-queue.ts'
import { copiesOf } from './targets/copies.ts'

interface Deps {
  readonly events: Pick<NodeEvents, 'add'> | undefined
  readonly indexOf: (server: string) => BackupIndex
}

/** Tells the panel how backups and verifications ended. It sends alerts about those that failed. */
export class BackupEvents {
  readonly #deps: Deps
  /** The servers whose last backup or verification failed. */
  readonly #failing = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A user who restores a backup sees the result, and a missing copy was reported when its backup was made. */
  jobEnded({ server, type, name, refusal, warning }: EndedJob): void {
    if (type === 'restore' || type === 'copy' || refusal?.code === 'ErrCancelled') return
    if (refusal) this.#failing.add(server)
    else if (type === 'create') this.#failing.delete(server)
    const failure = refusal ?? warning
    const parts = [...(type === 'verify' ? ['Verification failed'] : []), ...(name === '' ? [] : [name])]
    if (failure)
      this.#deps.events?.add({ type: 'backupFailed', server, detail: [...parts, failure.message].join(': ') })
    else if (type === 'create') this.#deps.events?.add({ type: 'backupDone', server })
  }

  /** Ends the alert about a missing copy of the last backup, when that is what it is about. */
  async copiesMade(server: string): Promise<void> {
    const index = this.#deps.indexOf(server)
    const latest = await index.find((await index.latest()) ?? '')
    if (!latest || this.#failing.has(server)) return
    const { error, bootError } = latest.verification ?? {}
    if (error || bootError || copiesOf(latest).some(({ state }) => state !== 'stored')) return
    this.#deps.events?.add({ type: 'backupDone', server })
  }
}
