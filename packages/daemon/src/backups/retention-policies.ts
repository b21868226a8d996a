import { type BackupRetention, expiredBackups, keepEverything } from '@innkeeper/contract/backups/backup-retention'
import type { getBackupRetention } from '@innkeeper/contract/backups/backups'
import type { z } from 'zod'
import type { Registry } from '../servers/registry.ts'
import type { JobQueue } from './jobs/job-queue.ts'
import type { PanelRetention, StoredRetention } from './panel-retention.ts'
import type { BackupIndexes } from './storage/backup-index.ts'
import { getVersion, requireCurrent } from './storage/versions.ts'

type ServerRetention = z.infer<typeof getBackupRetention.response>

interface Deps {
  readonly servers: Registry
  readonly indexes: Pick<BackupIndexes, 'of'>
  /** Its maintenance frees space. */
  readonly queue: Pick<JobQueue, 'requestMaintenance'>
  /** The default that the panel has for this node, or for all. */
  readonly panel: PanelRetention
  /** The default in the configuration of the node. */
  readonly keep: BackupRetention | undefined
}

/**
 * Which backups are kept: those that the retention of the server, else that of the node in the panel, else that of the
 * panel, else the configuration of the node keeps. By default all are.
 */
export class RetentionPolicies {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async get(server: string): Promise<ServerRetention> {
    const { servers, indexes } = this.#deps
    servers.get(server)
    const timezone = new Intl.DateTimeFormat().resolvedOptions().timeZone
    return { ...this.#applied(await indexes.of(server).retention()), timezone }
  }

  getVersion({ retention, source }: Pick<ServerRetention, 'retention' | 'source'>): string {
    return getVersion({ retention, source })
  }

  /**
   * Removes the backups that it does not keep; null sets the default of the node again. Throws ErrStaleVersion when the
   * retention is not `expectedVersion`.
   */
  async set(server: string, retention: BackupRetention | null, expectedVersion?: string): Promise<void> {
    const { servers, indexes, queue } = this.#deps
    servers.get(server)
    await indexes
      .of(server)
      .setRetention(retention ?? undefined, (own) => requireCurrent(expectedVersion, this.#applied(own)))
    await this.apply(server)
    // Its limit of space may be exceeded.
    queue.requestMaintenance()
  }

  /** Sets the default from the panel. It applies after the next backup by a task. */
  async setPanelDefault(
    retention: BackupRetention | undefined,
    source: StoredRetention['source'] | undefined,
  ): Promise<void> {
    await this.#deps.panel.set(retention, source)
  }

  #applied(own: BackupRetention | undefined): Pick<ServerRetention, 'retention' | 'source'> {
    const { panel, keep } = this.#deps
    if (own) return { retention: own, source: 'server' }
    if (panel.current) return panel.current
    if (keep) return { retention: keep, source: 'node' }
    return { retention: keepEverything, source: 'default' }
  }

  /** Removes expired backups, but never the latest one. */
  async apply(server: string): Promise<void> {
    const index = this.#deps.indexes.of(server)
    const { retention, timezone } = await this.get(server)
    const latest = await index.latest()
    const expired = expiredBackups(await index.backups(), retention, timezone, new Date())
    const ids = expired.map(({ id }) => id).filter((id) => id !== latest)
    if (ids.length === 0) return
    await index.removeUnlocked(ids)
    this.#deps.queue.requestMaintenance()
  }
}
