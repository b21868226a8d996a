import type { BackupIndexes } from '../storage/backup-index.ts'
import { isMissing } from './copy-to-targets.ts'
import type { Repositories, Target } from './repositories.ts'
import type { TargetStore } from './target-store.ts'

interface Deps {
  readonly store: Pick<TargetStore, 'defaults'>
  readonly repositories: Pick<Repositories, 'all' | 'local'>
  readonly indexes: Pick<BackupIndexes, 'of'>
}

/** Where the backups of each server go. */
export class ServerTargets {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The folder of the node first. */
  async of(server: string): Promise<readonly Target[]> {
    const { store, repositories, indexes } = this.#deps
    const selected = (await indexes.of(server).targets()) ?? store.defaults
    const targets = repositories.all.filter(({ id }) => selected.includes(id))
    return targets.length > 0 ? targets : [repositories.local]
  }

  /** The IDs of those on which copies of its backups are missing that can be made. */
  async withMissingCopies(server: string): Promise<string[]> {
    const backups = await this.#deps.indexes.of(server).backups()
    const ids = (await this.of(server)).map(({ id }) => id)
    return ids.filter((id) => backups.some((backup) => isMissing(backup, id)))
  }
}
