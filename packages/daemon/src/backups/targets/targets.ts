import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  BackupTargetInput,
  BackupTargetTest,
  BackupTargetTestResult,
  getServerBackupTargets,
  NodeBackupTargets,
} from '@innkeeper/contract/backups/backup-targets'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import type { z } from 'zod'
import type { Registry } from '../../servers/registry.ts'
import type { BackupIndexes } from '../storage/backup-index.ts'
import { repositoryAccess } from '../storage/repository-access.ts'
import { getVersion, requireCurrent } from '../storage/versions.ts'
import { scanHostKey } from './host-key.ts'
import type { MissingCopies } from './missing-copies.ts'
import type { Repositories } from './repositories.ts'
import { getEditablePart, secretsFor, type TargetStore } from './target-store.ts'

interface Deps {
  /** The directory of everything about backups. */
  readonly dir: string
  /** Where programs are looked up. */
  readonly path: string
  readonly store: TargetStore
  readonly servers: Pick<Registry, 'servers' | 'get'>
  readonly repositories: Repositories
  readonly indexes: BackupIndexes
  readonly prunes: { remove(target: string): Promise<void> }
  readonly missingCopies: Pick<MissingCopies, 'retryNow'>
  /** Ends failures whose cause is gone. */
  readonly events: { endSolved(server: string): Promise<void> }
}

type ServerChoice = z.infer<typeof getServerBackupTargets.response>

/** The targets of a node, for administrators, and which of them servers use. */
export class Targets {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  list(): NodeBackupTargets {
    const { store, repositories } = this.#deps
    const targets = store.targets.map((target) => {
      const error = repositories.getError(target.id)
      const editable = getEditablePart(target)
      const version = getVersion(editable)
      return { id: target.id, ...editable, version, ...(error && { error: toEnvelope(error).error }) }
    })
    return { targets, defaults: [...store.defaults], defaultsVersion: getVersion(store.defaults) }
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
    this.#deps.missingCopies.retryNow(id)
  }

  async remove(id: string): Promise<void> {
    const { store, repositories, indexes, prunes } = this.#deps
    store.get(id)
    const target = repositories.get(id)
    await store.remove(id)
    repositories.report(target, undefined)
    await prunes.remove(id)
    for (const server of await indexes.servers()) await indexes.of(server).dropTarget(id)
    await this.#endSolvedFailures()
    await this.#removeFiles(id)
  }

  /** Throws ErrStaleVersion when the stored defaults are not `expectedVersion`. */
  async setDefaults(ids: readonly string[], expectedVersion?: string): Promise<void> {
    await this.#deps.store.setDefaults(ids, expectedVersion)
    await this.#endSolvedFailures()
  }

  /** Those of a server. */
  async ofServer(server: string): Promise<ServerChoice> {
    const { servers, store, indexes } = this.#deps
    servers.get(server)
    const selected = await indexes.of(server).targets()
    return {
      targets: store.targets.map(({ id, name }) => ({ id, name })),
      ...(selected && { selected: [...selected] }),
      defaults: [...store.defaults],
    }
  }

  /** null sets the targets of the node again. Throws ErrStaleVersion when the choice is not `expectedVersion`. */
  async setOfServer(server: string, targets: readonly string[] | null, expectedVersion?: string): Promise<void> {
    const { servers, store, indexes, events } = this.#deps
    servers.get(server)
    const selected = targets ? store.requireSelection(targets) : undefined
    await indexes.of(server).setTargets(selected, (own) => requireCurrent(expectedVersion, own ?? null))
    await events.endSolved(server)
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
      this.#deps.missingCopies.retryNow(stored.id)
    }
    return { type: 'ok', isNew }
  }

  /** A missing copy may not be wanted any more. */
  async #endSolvedFailures(): Promise<void> {
    for (const { id } of this.#deps.servers.servers) await this.#deps.events.endSolved(id)
  }

  async #removeFiles(id: string): Promise<void> {
    for (const name of ['access', 'cache']) {
      await rm(join(this.#deps.dir, name, id), { recursive: true, force: true })
    }
  }
}
