import { limits } from '@innkeeper/contract/limits'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { findRevoked, type Grant } from './reauthorization.ts'

interface Deps {
  readonly access: Pick<AccessService, 'permissionsOf'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly resolveUncached: (principals: readonly Principal[]) => Promise<Principal[]>
  readonly log: Logger
  /** How often the grounds of uploads and downloads are checked again. */
  readonly recheckMs?: number | undefined
}

/** Bytes of a server on their way, and on what grounds. */
interface Transfer extends Grant {
  readonly end: (refusal: Refusal) => void
}

interface TransferHandle {
  readonly principal: Principal
  readonly server: string
  readonly right: RequiredPermission
  readonly end: (refusal: Refusal) => void
}

/** Uploads and downloads that pass through this panel. Their grounds are looked at again and again: revoked is ended. */
export class ActiveTransfers {
  readonly #deps: Deps
  readonly #transfers = new Set<Transfer>()
  #timer: NodeJS.Timeout | undefined
  #isReauthorizing = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#transfers.size
  }

  /** From now on `end` is called once the grounds are gone, until the answer is called. */
  begin({ principal, server, right, end }: TransferHandle): () => void {
    const pass: Transfer = { principal, server, rights: new Set([right]), end }
    this.#transfers.add(pass)
    this.#timer ??= setInterval(() => void this.#reauthorize(), this.#deps.recheckMs ?? limits.socketRecheckMs).unref()
    return () => {
      this.#transfers.delete(pass)
      if (this.#transfers.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #reauthorize(): Promise<void> {
    if (this.#isReauthorizing) return
    this.#isReauthorizing = true
    try {
      const gone = await findRevoked(this.#transfers, this.#deps)
      if (gone.length === 0) return
      const live = await this.#deps.resolveUncached(gone.map(({ principal }) => principal))
      const known = new Set(live.map(({ sessionId }) => sessionId))
      for (const { principal, end } of gone) {
        end(new Refusal(known.has(principal.sessionId) ? 'ErrNoPermission' : 'ErrSessionTimedOut'))
      }
    } catch (error) {
      // A database that is away for a moment takes nobody's download; it will be asked again.
      this.#deps.log.warn({ err: error }, 'the grounds of uploads and downloads could not be looked at')
    } finally {
      this.#isReauthorizing = false
    }
  }
}
