import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  BackupTargetInput,
  BackupTargetTest,
  BackupTargetTestResult,
  NodeBackupTargets,
} from '@innkeeper/contract/backup-targets'
import { envelopeOf } from '@innkeeper/contract/refusal-envelope'
import { versionOf } from '../versions.ts'
import { scanHostKey } from './host-key.ts'
import type { Repositories } from './repositories.ts'
import { repositoryAccess } from './repository-access.ts'
import { editablePartOf, secretsFor, type TargetStore } from './target-store.ts'

interface Deps {
  /** The directory of everything about backups. */
  readonly dir: string
  /** Where programs are looked up. */
  readonly path: string
  readonly store: TargetStore
  readonly repositories: Repositories
  /** Removes a target from all servers. */
  readonly dropTarget: (id: string) => Promise<void>
  /** Called after a change of where backups go by default. */
  readonly onDefaultsChanged: () => Promise<void>
  /** Called when a target was changed, or works. */
  readonly onChanged: (id: string) => void
}

/** The targets of a node, for administrators. */
export class Targets {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  list(): NodeBackupTargets {
    const { store, repositories } = this.#deps
    const targets = store.targets.map((target) => {
      const error = repositories.errorOf(target.id)
      const editable = editablePartOf(target)
      const version = versionOf(editable)
      return { id: target.id, ...editable, version, ...(error && { error: envelopeOf(error).error }) }
    })
    return { targets, defaults: [...store.defaults], defaultsVersion: versionOf(store.defaults) }
  }

  async create(input: BackupTargetInput): Promise<{ id: string }> {
    return { id: await this.#deps.store.add(input) }
  }

  /** Throws ErrStaleVersion when the stored target is not `expectedVersion`. */
  async edit(id: string, input: BackupTargetInput, expectedVersion?: string): Promise<void> {
    const { store, repositories } = this.#deps
    store.get(id)
    await store.edit(id, input, expectedVersion)
    repositories.report(repositories.get(id), undefined)
    this.#deps.onChanged(id)
  }

  async remove(id: string): Promise<void> {
    const { store, repositories, dropTarget } = this.#deps
    store.get(id)
    const target = repositories.get(id)
    await store.remove(id)
    repositories.report(target, undefined)
    await dropTarget(id)
    await this.#removeFiles(id)
  }

  /** Throws ErrStaleVersion when the stored defaults are not `expectedVersion`. */
  async setDefaults(ids: readonly string[], expectedVersion?: string): Promise<void> {
    await this.#deps.store.setDefaults(ids, expectedVersion)
    await this.#deps.onDefaultsChanged()
  }

  /**
   * Opens the repository of a target, or creates it if there is none. For SFTP without a host key nothing is sent: the
   * result is the key.
   */
  async test({ id, address, secrets }: BackupTargetTest, signal: AbortSignal): Promise<BackupTargetTestResult> {
    const { store, repositories, path } = this.#deps
    if (address.type === 'sftp' && !('hostKey' in address))
      return { type: 'hostKey', ...(await scanHostKey(address, path, signal)) }
    const stored = id === undefined ? undefined : store.get(id)
    const used = secretsFor(address, secrets, stored)
    const trial = `test-${randomBytes(4).toString('hex')}`
    const access = repositoryAccess(address, used)
    await using cleanup = new AsyncDisposableStack()
    cleanup.defer(() => this.#removeFiles(trial))
    const isNew = await repositories.trial({ id: trial, access }).open(signal)
    if (stored) {
      repositories.report(repositories.get(stored.id), undefined)
      this.#deps.onChanged(stored.id)
    }
    return { type: 'ok', isNew }
  }

  async #removeFiles(id: string): Promise<void> {
    for (const name of ['access', 'cache']) {
      await rm(join(this.#deps.dir, name, id), { recursive: true, force: true })
    }
  }
}
