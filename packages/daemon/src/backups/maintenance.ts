import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import type { Logger } from 'pino'
import type { Registry } from '../servers/registry.ts'
import type { RetentionPolicies } from './retention-policies.ts'
import type { PruneSchedule } from './schedule/prune-schedule.ts'
import type { BackupIndexes } from './storage/backup-index.ts'
import { getSnapshots, type StoredBackup } from './storage/backup-index.ts'
import { backupTimeoutMs } from './storage/restic.ts'
import {
  backupTag,
  definitionTag,
  forgetSnapshots,
  listSnapshots,
  measureSnapshots,
  type Snapshot,
  serverTag,
} from './storage/snapshots.ts'
import { copyOn, getBestCopy } from './storage/stored-copies.ts'
import type { Repositories, Target } from './targets/repositories.ts'
import { TargetAttempts } from './targets/target-attempts.ts'

/** Nice value of background work. */
const idlePriority = 19

interface Deps {
  readonly repositories: Repositories
  readonly servers: Registry
  readonly indexes: BackupIndexes
  readonly prunes: PruneSchedule
  readonly retention: Pick<RetentionPolicies, 'get'>
  readonly log: Logger
}

/** Background work on the repository: retention, measuring and pruning. */
export class Maintenance {
  readonly #deps: Deps
  /** The targets that were searched for backups that the index does not have. */
  readonly #reconciled = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Finds backups that the index lost, forgets deleted ones, frees their space, and measures the others. A failure for
   * one target or server is logged and does not affect the others. Returns `again` when it deleted backups.
   */
  async run(signal: AbortSignal): Promise<'done' | 'again'> {
    const { repositories, log } = this.#deps
    const { local } = repositories
    if (!(await local.restic.isInitialized())) return 'done'
    await local.restic.prepare(signal)
    const attempts = new TargetAttempts({ report: (target, error) => repositories.report(target, error), log })
    for (const target of repositories.all) {
      await attempts.try(target, () => this.#maintain(target, signal), signal)
    }
    let isChanged = false
    await this.#forEach(await this.#deps.indexes.servers(), signal, async (server) => {
      if (await this.#measure(server, signal)) isChanged = true
    })
    return isChanged ? 'again' : 'done'
  }

  async #maintain(target: Target, signal: AbortSignal): Promise<void> {
    const { prunes } = this.#deps
    const isForgetting = await this.#hasForgotten(target, signal)
    if (this.#reconciled.has(target.id) && !isForgetting && !(await prunes.isDue(target.id))) return
    await target.restic.prepare(signal)
    if (!this.#reconciled.has(target.id)) await this.#reconcile(target, signal)
    if (isForgetting) await this.#forget(target, signal)
    if (await prunes.isDue(target.id)) await this.#prune(target, signal)
  }

  async #prune({ id, restic }: Target, signal: AbortSignal): Promise<void> {
    await restic.run(['prune'], { signal, priority: idlePriority, timeoutMs: backupTimeoutMs })
    await this.#deps.prunes.remove(id)
  }

  async #hasForgotten({ id }: Target, signal: AbortSignal): Promise<boolean> {
    let isFound = false
    await this.#forEach(await this.#deps.indexes.servers(), signal, async (server) => {
      if ((await this.#deps.indexes.of(server).targetsToForget()).includes(id)) isFound = true
    })
    return isFound
  }

  async #forEach(servers: readonly string[], signal: AbortSignal, work: (server: string) => Promise<void>) {
    for (const server of servers) {
      await work(server).catch((err: unknown) => {
        // It is repeated.
        if (signal.aborted) throw err
        this.#deps.log.error({ err, server }, 'failed to maintain the backups of a server')
      })
    }
  }

  async #forget({ id, restic }: Target, signal: AbortSignal): Promise<void> {
    const { indexes, servers, prunes } = this.#deps
    const forgotten = new Map<string, readonly string[]>()
    await this.#forEach(await this.#deps.indexes.servers(), signal, async (server) => {
      const snapshots = await indexes.of(server).forgotten(id)
      if (snapshots.length === 0) return
      await forgetSnapshots(restic, { server, snapshots }, signal)
      forgotten.set(server, snapshots)
    })
    if (forgotten.size === 0) return
    await prunes.add(id)
    await this.#forEach([...forgotten.keys()], signal, async (server) => {
      const index = indexes.of(server)
      await index.dropForgotten(id, forgotten.get(server) ?? [])
      if (!servers.find(server) && (await index.targetsToForget()).length === 0) await index.removeFile()
    })
  }

  /** Measures the space of the backups of a server. Returns whether it deleted some because of the limit. */
  async #measure(server: string, signal: AbortSignal): Promise<boolean> {
    const index = this.#deps.indexes.of(server)
    const all = await index.backups()
    if (all.length === 0) return false
    const { target, backups } = measuredOn(all)
    const { restic } = this.#deps.repositories.get(target)
    const measure = (measured: readonly StoredBackup[]) =>
      measureSnapshots(
        restic,
        measured.flatMap((backup) => getSnapshots(backup, target)),
        { signal, priority: idlePriority },
      )
    const known = await index.storedBytes()
    const bytes = known ?? (await measure(backups))
    if (known === undefined) await index.setStoredBytes(bytes, all)
    const maxBytes = (await this.#deps.retention.get(server)).retention.maxBytes
    if (maxBytes === 0 || bytes <= maxBytes) return false
    const removed = await oldestBeyond({ maxBytes, backups, latest: await index.latest(), measure })
    if (removed.length === 0) return false
    await index.removeUnlocked(removed)
    return true
  }

  async #reconcile({ id: target, restic }: Target, signal: AbortSignal): Promise<void> {
    const snapshots = await listSnapshots(restic, [], signal)
    const servers = this.#deps.servers.servers.map(({ id }) => id)
    await this.#forEach(servers, signal, async (server) => {
      const index = this.#deps.indexes.of(server)
      const [backups, forgotten] = [await index.backups(), await index.forgotten(target)]
      const known = [...forgotten, ...backups.flatMap((backup) => getSnapshots(backup, target))]
      const own = snapshots.filter(
        ({ tags, id }) => tags?.includes(serverTag(server)) && !known.some((prefix) => id.startsWith(prefix)),
      )
      const lost = own
        .filter(({ tags }) => !tags?.includes(definitionTag))
        .flatMap((files) => adopted(files, own, target))
      if (lost.length > 0) await index.adopt(lost)
    })
    this.#reconciled.add(target)
  }
}

interface SpaceLimit {
  readonly maxBytes: number
  /** Oldest first. */
  readonly backups: readonly StoredBackup[]
  readonly latest: string | undefined
  readonly measure: (backups: readonly StoredBackup[]) => Promise<number>
}

/**
 * The oldest backups without which the others need at most this space. The newest one, the one that was created last,
 * locked ones and those that failed their verification stay; none is deleted for a new one that failed it.
 */
async function oldestBeyond({ maxBytes, backups, latest, measure }: SpaceLimit): Promise<string[]> {
  const removed: string[] = []
  if (backups.some(({ id, verification }) => id === latest && verification?.error)) return removed
  const newest = backups.findLast(({ verification }) => !verification?.error)
  const candidates = backups.filter(
    (backup) => backup !== newest && backup.id !== latest && !backup.isLocked && !backup.verification?.error,
  )
  for (const { id } of candidates) {
    removed.push(id)
    if ((await measure(backups.filter((backup) => !removed.includes(backup.id)))) <= maxBytes) break
  }
  return removed
}

/** Where the space of backups is measured: in the folder of the node, or on the target of those that are not there. */
function measuredOn(all: readonly StoredBackup[]): { target: string; backups: readonly StoredBackup[] } {
  const stored = (target: string) => all.filter((backup) => copyOn(backup, target)?.state === 'stored')
  const local = stored(localTarget)
  if (local.length > 0) return { target: localTarget, backups: local }
  const target = all.flatMap((backup) => getBestCopy(backup) ?? [])[0]?.target ?? localTarget
  return { target, backups: stored(target) }
}

/** A backup whose index entry was lost: its note, author and sizes are unknown. Locked: perhaps it was. */
function adopted(files: Snapshot, all: readonly Snapshot[], target: string): StoredBackup[] {
  const tag = files.tags?.find((candidate) => candidate.startsWith(backupTag('')))
  const id = tag?.slice(backupTag('').length)
  if (tag === undefined || id === undefined || !/^[0-9a-f]{16}$/.test(id)) return []
  const definition = all.find(({ tags }) => tags?.includes(tag) && tags.includes(definitionTag))
  const snapshots = { snapshot: files.id, ...(definition && { definitionSnapshot: definition.id }) }
  return [
    {
      id,
      name: '',
      createdAt: new Date(files.time).toISOString(),
      origin: 'user',
      server: 'running',
      files: 0,
      bytes: 0,
      newBytes: 0,
      durationMs: 0,
      isLocked: true,
      ...(target === localTarget && snapshots),
      copies: [{ target, state: 'stored', ...snapshots }],
    },
  ]
}
