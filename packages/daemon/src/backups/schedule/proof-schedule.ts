import { isRefusal } from '../../errors/refusals.ts'
import type { Registry } from '../../servers/registry.ts'
import type { DueWork, JobSource } from '../jobs/job-queue.ts'
import type { BackupIndexes, StoredBackup } from '../storage/backup-index.ts'
import { getBestCopy } from '../storage/stored-copies.ts'
import { nextQuietTime, type QuietHours } from './quiet-hours.ts'

/** Time until a proof that failed is tried again. */
const retryMs = 20 * 60 * 60 * 1000
/** The same for one that was canceled, by a user or because another job came first. */
const canceledRetryMs = 15 * 60 * 1000

interface Deps {
  /** Time after which a server needs a new proof; 0: never. */
  readonly everyMs: number
  readonly quietHours: QuietHours
  readonly servers: Pick<Registry, 'servers'>
  readonly indexes: Pick<BackupIndexes, 'of'>
  /** Queues the verification of a backup. `ended` resolves when it is verified. */
  readonly verify: (server: string, backup: string) => Promise<{ readonly ended: Promise<void> }>
}

/** The next proof of a server. */
interface Proof {
  readonly server: string
  readonly backup: string
  /** When it is due and when it begins, in milliseconds since 1970. */
  readonly dueAt: number
  readonly at: number
}

/** Verifies the newest backup of each server at least once in an interval, in quiet hours and one after another. */
export class ProofSchedule implements JobSource {
  readonly #deps: Deps
  /** When a server may be tried again whose last proof failed. */
  readonly #retryAt = new Map<string, number>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The next proof of each server that has backups to prove. */
  async planned(now = Date.now()): Promise<Proof[]> {
    const { everyMs, quietHours, servers, indexes } = this.#deps
    if (everyMs <= 0) return []
    const planned = servers.servers.map(async ({ id: server }) => {
      const index = indexes.of(server)
      const due = dueProof(await index.backups(), await index.provedAt(), everyMs)
      if (!due) return []
      const from = new Date(Math.max(now, this.#retryAt.get(server) ?? 0))
      return [{ server, backup: due.backup.id, dueAt: due.dueAt, at: nextQuietTime(due.dueAt, quietHours, from) }]
    })
    return (await Promise.all(planned)).flat()
  }

  async next(now: number): Promise<DueWork | undefined> {
    const [first] = (await this.planned(now)).toSorted((a, b) => a.at - b.at || a.dueAt - b.dueAt)
    return first && { at: first.at, start: () => this.#prove(first) }
  }

  async #prove({ server, backup }: Proof): Promise<void> {
    const failed = (error: unknown) => {
      this.#retryAt.set(server, Date.now() + (isRefusal(error, 'ErrCancelled') ? canceledRetryMs : retryMs))
    }
    try {
      const { ended } = await this.#deps.verify(server, backup)
      // The job reports why it failed.
      ended.then(() => this.#retryAt.delete(server), failed)
    } catch (error) {
      failed(error)
      throw error
    }
  }
}

/** The newest backup that may be good, and when it needs a proof. */
export function dueProof(
  backups: readonly StoredBackup[],
  provedAt: string | undefined,
  everyMs: number,
): { readonly backup: StoredBackup; readonly dueAt: number } | undefined {
  const backup = backups.findLast(
    (candidate) => getBestCopy(candidate)?.snapshot !== undefined && !candidate.verification?.error,
  )
  if (!backup) return undefined
  const dueAt = provedAt === undefined ? Date.parse(backup.createdAt) : Date.parse(provedAt) + everyMs
  return { backup, dueAt }
}
