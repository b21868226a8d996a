import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import { findDiskError } from '../../errors/error-code.ts'
import type { StoredCopy } from '../storage/stored-copies.ts'
import type { Target } from './repositories.ts'

interface Deps {
  /** Receives how the work on each target ended. */
  readonly report: (target: Target, error: Refusal | undefined) => void
  readonly log: Logger
}

/** Does the same on several targets; one that fails does not affect the others. */
export class TargetAttempts {
  readonly #deps: Deps
  readonly #failures = new Map<Target, Refusal>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns whether it succeeded. Throws when it was aborted, and faults. */
  async try(target: Target, work: () => Promise<unknown>, signal: AbortSignal): Promise<boolean> {
    const error = await work().then(
      () => undefined,
      (cause: unknown) => {
        if (signal.aborted) throw cause
        return getRefusal(cause)
      },
    )
    this.#deps.report(target, error)
    if (!error) return true
    this.#deps.log.warn({ err: error, target: target.id }, 'work on a target of backups failed')
    this.#failures.set(target, error)
    return false
  }

  /** Adds a failure that is not one of the target itself. */
  addFailure(target: Target, error: Refusal): void {
    this.#failures.set(target, error)
  }

  get failures(): ReadonlyMap<Target, Refusal> {
    return this.#failures
  }

  /** The failures as parts of a backup. */
  get copies(): StoredCopy[] {
    return [...this.#failures].map(([{ id }, error]) => failedCopy(id, error))
  }
}

export function failedCopy(target: string, error: Refusal): StoredCopy {
  return { target, state: 'failed', error: toEnvelope(error).error }
}

/** What failed on which targets, in words; undefined if nothing did. */
export function findWarning(failures: ReadonlyMap<Target, Refusal>): Refusal | undefined {
  if (failures.size === 0) return undefined
  const reasons = [...failures].map(([{ id, name }, error]) => {
    const text = String(error.metadata.reason ?? error.message)
    return id === localTarget ? text : `${name}: ${text}`
  })
  return new Refusal('ErrBackupFailed', { reason: reasons.join('; ') })
}

function getRefusal(cause: unknown): Refusal {
  if (cause instanceof Refusal) return cause
  const reason = findDiskError(cause)
  if (reason === undefined) throw cause
  return new Refusal('ErrDisk', { reason }, { cause })
}
