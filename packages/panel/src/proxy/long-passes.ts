import { limits } from '@innkeeper/contract/limits'
import type { ServerRight } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'

interface Needs {
  readonly access: Pick<AccessService, 'allow'>
  /** Who the credential of a caller speaks for now, past every cache. */
  readonly currentCaller: (caller: Caller) => Promise<Caller | undefined>
  readonly log: Logger
}

/** Bytes of a server on their way, and on what grounds. */
interface Pass {
  readonly caller: Caller
  readonly server: string
  readonly right: ServerRight
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
  begin(pass: Pass): () => void {
    this.#passing.add(pass)
    this.#timer ??= setInterval(() => void this.#lookAgain(), limits.socketRecheckMs).unref()
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
      // A browser loads many pieces at a time: the same grounds are asked for once.
      for (const [, passes] of Map.groupBy(this.#passing, groundsOf)) {
        const [first] = passes
        const refusal = first && (await this.#refusalFor(first))
        if (refusal) for (const { end } of passes) end(refusal)
      }
    } catch (error) {
      // A database that is away for a moment takes nobody's download; it will be asked again.
      this.#needs.log.warn({ err: error }, 'the grounds of uploads and downloads could not be looked at')
    } finally {
      this.#isLooking = false
    }
  }

  async #refusalFor({ caller, server, right }: Pass): Promise<Refusal | undefined> {
    const now = await this.#needs.currentCaller(caller)
    if (!now) return new Refusal('ErrSessionTimedOut')
    try {
      await this.#needs.access.allow(now, server, right)
      return undefined
    } catch (error) {
      if (error instanceof Refusal) return error
      throw error
    }
  }
}

const groundsOf = ({ caller, server, right }: Pass): string => [caller.sessionId, server, right].join(' ')
