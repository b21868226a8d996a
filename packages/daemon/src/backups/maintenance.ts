import { mkdir, readdir } from 'node:fs/promises'
import { ServerId } from '@innkeeper/contract/names'
import type { Logger } from 'pino'
import type { Registry } from '../servers/registry.ts'
import { type BackupIndex, type StoredBackup, snapshotsOf } from './backup-index.ts'
import { backupTimeoutMs, type Restic } from './restic.ts'
import {
  backupTag,
  definitionTag,
  forgetSnapshots,
  listSnapshots,
  measureSnapshots,
  type Snapshot,
  serverTag,
} from './snapshots.ts'

/** Nice value of background work. */
const idlePriority = 19

interface Deps {
  readonly restic: Restic
  readonly servers: Registry
  readonly indexDir: string
  readonly indexOf: (server: string) => BackupIndex
  /** The limit of the space of the backups of a server; 0: none. */
  readonly maxBytesOf: (server: string) => Promise<number>
  readonly log: Logger
}

/** Background work on the repository: verification, retention and pruning. */
export class Maintenance {
  readonly #deps: Deps
  /** Whether the repository was searched for backups that the index does not have. */
  #isReconciled = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * Finds backups that the index lost, forgets deleted ones, frees their space, and measures the others. A failure for
   * one server is logged and does not affect the others. Returns `again` when it deleted backups.
   */
  async run(signal: AbortSignal): Promise<'done' | 'again'> {
    const { restic } = this.#deps
    if (!(await restic.isInitialized())) return 'done'
    await restic.prepare(signal)
    if (!this.#isReconciled) await this.#reconcile(signal)
    await this.#forget(signal)
    let isChanged = false
    await this.#forEach(await this.#indexedServers(), signal, async (server) => {
      if (await this.#measure(server, signal)) isChanged = true
    })
    return isChanged ? 'again' : 'done'
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

  async #forget(signal: AbortSignal): Promise<void> {
    const { restic, indexOf, servers } = this.#deps
    const forgotten = new Map<string, readonly string[]>()
    await this.#forEach(await this.#indexedServers(), signal, async (server) => {
      const snapshots = await indexOf(server).forgotten()
      if (snapshots.length === 0) return
      await forgetSnapshots(restic, { server, snapshots }, signal)
      forgotten.set(server, snapshots)
    })
    if (forgotten.size === 0) return
    await restic.run(['prune'], { signal, priority: idlePriority, timeoutMs: backupTimeoutMs })
    await this.#forEach([...forgotten.keys()], signal, async (server) => {
      await indexOf(server).dropForgotten(forgotten.get(server) ?? [])
      if (!servers.find(server)) await indexOf(server).removeFile()
    })
  }

  /** Measures the space of the backups of a server. Returns whether it deleted some because of the limit. */
  async #measure(server: string, signal: AbortSignal): Promise<boolean> {
    const index = this.#deps.indexOf(server)
    const backups = await index.backups()
    if (backups.length === 0) return false
    const measure = (some: readonly StoredBackup[]) =>
      measureSnapshots(this.#deps.restic, some.flatMap(snapshotsOf), { signal, priority: idlePriority })
    const known = await index.storedBytes()
    const bytes = known ?? (await measure(backups))
    if (known === undefined) await index.setStoredBytes(bytes, backups)
    const maxBytes = await this.#deps.maxBytesOf(server)
    if (maxBytes === 0 || bytes <= maxBytes) return false
    const removed = await oldestBeyond({ maxBytes, backups, latest: await index.latest(), measure })
    if (removed.length === 0) return false
    await index.removeUnlocked(removed)
    return true
  }

  async #reconcile(signal: AbortSignal): Promise<void> {
    const snapshots = await listSnapshots(this.#deps.restic, [], signal)
    const servers = this.#deps.servers.servers.map(({ id }) => id)
    await this.#forEach(servers, signal, async (server) => {
      const index = this.#deps.indexOf(server)
      const [backups, forgotten] = [await index.backups(), await index.forgotten()]
      const known = [...forgotten, ...backups.flatMap((one) => snapshotsOf(one))]
      const own = snapshots.filter(
        ({ tags, id }) => tags?.includes(serverTag(server)) && !known.some((one) => id.startsWith(one)),
      )
      const lost = own.filter(({ tags }) => !tags?.includes(definitionTag)).flatMap((files) => adopted(files, own))
      if (lost.length > 0) await index.adopt(lost)
    })
    this.#isReconciled = true
  }

  async #indexedServers(): Promise<string[]> {
    const { indexDir } = this.#deps
    await mkdir(indexDir, { recursive: true, mode: 0o700 })
    const names = (await readdir(indexDir)).filter((name) => name.endsWith('.json'))
    return names.flatMap((name) => ServerId.safeParse(name.slice(0, -'.json'.length)).data ?? [])
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

/** A backup whose index entry was lost: its note, author and sizes are unknown. Locked: perhaps it was. */
function adopted(files: Snapshot, all: readonly Snapshot[]): StoredBackup[] {
  const tag = files.tags?.find((one) => one.startsWith(backupTag('')))
  const id = tag?.slice(backupTag('').length)
  if (tag === undefined || id === undefined || !/^[0-9a-f]{16}$/.test(id)) return []
  const definition = all.find(({ tags }) => tags?.includes(tag) && tags.includes(definitionTag))
  return [
    {
      ...{ id, name: '', createdAt: new Date(files.time).toISOString(), origin: 'user', server: 'running' },
      ...{ files: 0, bytes: 0, newBytes: 0, durationMs: 0, isLocked: true, snapshot: files.id },
      ...(definition && { definitionSnapshot: definition.id }),
    },
  ]
}
