import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import { credentialKey, type Principal } from '../access/principal.ts'
import { findChanged, type Grant } from './reauthorization.ts'

interface Deps {
  readonly access: Pick<AccessService, 'readPermissions'>
  /** Resolves the credentials of principals without a cache; those that ended are omitted. */
  readonly resolveUncached: (principals: readonly Principal[]) => Promise<Principal[]>
  readonly log: Logger
  /** Interval of re-authorization of uploads and downloads. */
  readonly recheckMs?: number | undefined
}

/** An active upload or download with its authorization. */
interface Transfer extends Grant {
  readonly end: (refusal: Refusal) => void
}

interface TransferHandle {
  readonly principal: Principal
  readonly server: string
  readonly permission: RequiredPermission
  readonly end: (refusal: Refusal) => void
}

/**
 * Uploads and downloads through this panel. They are re-authorized periodically, and aborted when access is revoked.
 */
export class ActiveTransfers {
  readonly #deps: Deps
  readonly #transfers = new Set<Transfer>()
  readonly #job: PeriodicJob

  constructor(deps: Deps) {
    this.#deps = deps
    this.#job = new PeriodicJob({
      everyMs: deps.recheckMs ?? limits.socketRecheckMs,
      run: () => this.#reauthorize(),
      // During a database outage transfers continue; the check is repeated later.
      onError: (err) => deps.log.warn({ err }, 'uploads and downloads could not be re-authorized'),
    }).start()
  }

  get size(): number {
    return this.#transfers.size
  }

  /** Calls `end` when access is revoked, until the returned function is called. */
  begin({ principal, server, permission, end }: TransferHandle): () => void {
    const transfer: Transfer = { principal, server, permissions: new Set([permission]), end }
    this.#transfers.add(transfer)
    return () => void this.#transfers.delete(transfer)
  }

  /** Ends re-authorization. */
  async close(): Promise<void> {
    await this.#job.close()
  }

  async #reauthorize(): Promise<void> {
    const { revoked } = await findChanged(this.#transfers, this.#deps)
    if (revoked.length === 0) return
    const live = await this.#deps.resolveUncached(revoked.map(({ principal }) => principal))
    const known = new Set(live.map(credentialKey))
    for (const { principal, end } of revoked) {
      end(new Refusal(known.has(credentialKey(principal)) ? 'ErrNoPermission' : 'ErrSessionTimedOut'))
    }
  }
}
