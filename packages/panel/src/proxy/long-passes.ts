import { limits } from '@innkeeper/contract/limits'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { type Ground, withdrawn } from './grounds.ts'

interface Needs {
  readonly access: Pick<AccessService, 'rightsOn'>
  /** Whom those of the callers' credentials that are live speak for now, past every cache. */
  readonly currentCallers: (callers: readonly Caller[]) => Promise<Caller[]>
  readonly log: Logger
  /** How often the grounds of uploads and downloads are checked again. */
  readonly recheckMs?: number | undefined
}

/** Bytes of a server on their way, and on what grounds. */
interface Pass extends Ground {
  readonly end: (refusal: Refusal) => void
}

interface Passing {
  readonly caller: Caller
  readonly server: string
  readonly right: RequiredPermission
  readonly end: (refusal: Refusal) => void
}

/** Uploads and downloads that pass through this panel. Their grounds are looked at again and again: revoked is ended. */
export class LongPasses {
  readonly #needs: Needs
  readonly #passing = new Set<Pass>()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  get size(): number {
    return this.#passing.size
  }

  /** From now on `end` is called once the grounds are gone, until the answer is called. */
  begin({ caller, server, right, end }: Passing): () => void {
    const pass: Pass = { caller, server, rights: new Set([right]), end }
    this.#passing.add(pass)
    this.#timer ??= setInterval(() => void this.#lookAgain(), this.#needs.recheckMs ?? limits.socketRecheckMs).unref()
    return () => {
      this.#passing.delete(pass)
      if (this.#passing.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  async #lookAgain(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const gone = await withdrawn(this.#passing, this.#needs)
      if (gone.length === 0) return
      const live = await this.#needs.currentCallers(gone.map(({ caller }) => caller))
      const known = new Set(live.map(({ sessionId }) => sessionId))
      for (const { caller, end } of gone) {
        end(new Refusal(known.has(caller.sessionId) ? 'ErrNoPermission' : 'ErrSessionTimedOut'))
      }
    } catch (error) {
      // A database that is away for a moment takes nobody's download; it will be asked again.
      this.#needs.log.warn({ err: error }, 'the grounds of uploads and downloads could not be looked at')
    } finally {
      this.#isLooking = false
    }
  }
}
