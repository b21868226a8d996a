import type { NodePlannedJob } from '@innkeeper/contract/backups/backup-plan'
import type { BackupUsage } from '@innkeeper/contract/backups/node-backups'
import type { Registry } from '../servers/registry.ts'
import type { BackupEvents } from './backup-events.ts'
import type { ProofSchedule } from './schedule/proof-schedule.ts'
import type { PruneSchedule } from './schedule/prune-schedule.ts'
import type { BackupIndexes } from './storage/backup-index.ts'
import type { TargetStore } from './targets/target-store.ts'

interface Deps {
  readonly servers: Pick<Registry, 'servers' | 'get'>
  readonly indexes: BackupIndexes
  readonly store: TargetStore
  readonly events: BackupEvents
  readonly proofs: ProofSchedule
  readonly prunes: PruneSchedule
}

/** What the panel shows of the backups of all servers. */
export class BackupOverview {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The next proofs, and when space is freed. */
  async planned(): Promise<NodePlannedJob[]> {
    const { proofs, prunes, store } = this.#deps
    const getIso = (at: number) => new Date(at).toISOString()
    const planned = (await proofs.planned()).map(({ server, at }) => ({
      type: 'proof' as const,
      server,
      at: getIso(at),
    }))
    const pruned = prunes.planned().map(({ target, at }) => {
      const name = store.find(target)?.name
      return { type: 'prune' as const, at: getIso(at), ...(name !== undefined && { name }) }
    })
    return [...planned, ...pruned]
  }

  /** The space of the backups of each server that has some, and what failed. */
  async usage(): Promise<BackupUsage[]> {
    const { servers, indexes, events } = this.#deps
    const usages = servers.servers.map(async ({ id: server }) => {
      const index = indexes.of(server)
      const [{ length: backups }, bytes] = [await index.backups(), await index.storedBytes()]
      const failure = await events.findFailure(server)
      if (backups === 0 && !failure) return []
      return [{ server, backups, ...(bytes !== undefined && { bytes }), ...(failure && { failure }) }]
    })
    return (await Promise.all(usages)).flat()
  }

  /** Removes the last failure of a server. */
  async dismissFailure(server: string): Promise<void> {
    this.#deps.servers.get(server)
    await this.#deps.events.dismiss(server)
  }
}
