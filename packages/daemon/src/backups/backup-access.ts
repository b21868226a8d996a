import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { Confinement } from '../isolation/isolation.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Registry } from '../servers/registry.ts'
import type { Server } from '../servers/server.ts'
import type { BackupIndex, BackupIndexes, StoredBackup } from './storage/backup-index.ts'
import type { Restic } from './storage/restic.ts'
import { copyOn, getBestCopy } from './storage/stored-copies.ts'
import type { Repositories, Target } from './targets/repositories.ts'
import type { TestBoots } from './test-boots.ts'

/** What a job works with. */
export interface BackupTools {
  readonly server: Server
  /** Where the backup is read that is restored or verified. */
  readonly target: string
  readonly restic: Restic
  /** The folder of the node. */
  readonly local: Target
  /** Receives how the work on a target ended. */
  readonly report: (target: Target, error: Refusal | undefined) => void
  readonly index: BackupIndex
  readonly patterns: PatternMatcher
  readonly confinement: Confinement
  readonly testBoots: TestBoots
  /** How long the processes of a server are frozen at most. */
  readonly freezeMs: number
  readonly log: Logger
}

interface Deps {
  readonly servers: Pick<Registry, 'get'>
  readonly indexes: Pick<BackupIndexes, 'of'>
  readonly repositories: Repositories
  readonly shared: Pick<BackupTools, 'patterns' | 'confinement' | 'testBoots' | 'freezeMs' | 'log'>
}

/** Finds backups, and what works with them. */
export class BackupAccess {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What makes backups of a server. Throws ErrServerNotFound. */
  toolsFor(id: string): BackupTools {
    const { servers, indexes, repositories, shared } = this.#deps
    const { local, report } = repositories
    const server = servers.get(id)
    return { ...shared, server, index: indexes.of(id), target: local.id, restic: local.restic, local, report }
  }

  /**
   * A backup with its snapshots on a target, and what reads it there. Without a target it is the first that has the
   * backup. Throws ErrBackupNotFound.
   */
  async open(server: string, id: string, from?: string): Promise<BackupTools & { readonly backup: StoredBackup }> {
    const backup = await this.find(server, id)
    const copy = from === undefined ? getBestCopy(backup) : copyOn(backup, from)
    if (copy?.state !== 'stored') throw new Refusal('ErrBackupNotFound')
    const { target, snapshot, definitionSnapshot } = copy
    const { restic } = this.#deps.repositories.get(target)
    return { ...this.toolsFor(server), target, restic, backup: { ...backup, snapshot, definitionSnapshot } }
  }

  /** Throws ErrBackupNotFound. */
  async find(server: string, id: string): Promise<StoredBackup> {
    this.#deps.servers.get(server)
    const backup = await this.#deps.indexes.of(server).find(id)
    if (!backup) throw new Refusal('ErrBackupNotFound')
    return backup
  }
}
