import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { BackupTargetIds, localTarget } from '@innkeeper/contract/backups/backup-targets'
import { Backup, type BackupVerification } from '@innkeeper/contract/backups/backups'
import { BackupFailure } from '@innkeeper/contract/backups/node-backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { withLock } from '@innkeeper/contract/jobs/mutex'
import { safeParseJson } from '@innkeeper/contract/text/parse-json'
import { ServerId } from '@innkeeper/contract/text/server-id'
import type { Logger } from 'pino'
import { z } from 'zod/mini'
import { writeFileAtomic } from '../../fs/atomic-write.ts'
import { readTextIfExists } from '../../fs/if-exists.ts'
import { copyOn, getCopies, StoredCopy, withCopy } from './stored-copies.ts'

/** A backup with its snapshots. The two of the backup itself are those in the folder of the node. */
export const StoredBackup = z.extend(Backup, {
  copies: z.optional(z.array(StoredCopy)),
  /** Missing when there were no files. */
  snapshot: z.optional(z.string()),
  /** Missing when the index was rebuilt from the repository. */
  definitionSnapshot: z.optional(z.string()),
  /** Of the request that made it. */
  idempotencyKey: z.optional(z.string()),
})
export type StoredBackup = z.infer<typeof StoredBackup>

/** The snapshots of a backup on a target. */
export function getSnapshots(backup: StoredBackup, target: string): string[] {
  const { snapshot, definitionSnapshot } = copyOn(backup, target) ?? {}
  return [snapshot, definitionSnapshot].flatMap((id) => id ?? [])
}

const Index = z.object({
  /** Oldest first, by date. */
  backups: z.array(StoredBackup),
  /** The ID of the backup that was created last, whatever its date: the clock may have been wrong. */
  latest: z.optional(z.string()),
  /** Snapshots of deleted backups that the folder of the node still has. */
  forgotten: z.array(z.string()),
  /** The same on other targets. */
  forgottenOn: z.optional(z.record(z.string(), z.array(z.string()))),
  /** Where backups go. Missing when those of the node apply. */
  targets: z.optional(BackupTargetIds),
  /** Space in the repository; missing until it is measured after a change. */
  storedBytes: z.optional(z.number()),
  /** When a copy of the server was last started from a backup, or could not be started. ISO 8601. */
  provedAt: z.optional(z.string()),
  /** Missing when the default of the node applies. */
  retention: z.optional(BackupRetention),
  /** Missing when the last backup succeeded. */
  failure: z.optional(BackupFailure),
})
type Index = z.infer<typeof Index>

/** What the repository does not know about the backups of one server; written atomically before it is returned. */
export class BackupIndex {
  readonly #path: string
  readonly #log: Logger
  #loaded: Promise<Index> | undefined

  /** `dir` is a directory of the daemon, `server` the ID. */
  constructor(dir: string, server: string, log: Logger) {
    this.#path = join(dir, `${server}.json`)
    this.#log = log
  }

  async backups(): Promise<readonly StoredBackup[]> {
    return (await this.#index()).backups
  }

  /** Snapshots of deleted backups that a target still has. */
  async forgotten(target: string): Promise<readonly string[]> {
    return forgottenOn(await this.#index(), target)
  }

  /** The targets that still have snapshots of deleted backups. */
  async targetsToForget(): Promise<readonly string[]> {
    const { forgotten, forgottenOn: others = {} } = await this.#index()
    return [...(forgotten.length > 0 ? [localTarget] : []), ...Object.keys(others)]
  }

  async targets(): Promise<readonly string[] | undefined> {
    return (await this.#index()).targets
  }

  /** Without targets those of the node apply. `check` may throw because of the stored ones. */
  async setTargets(
    targets: string[] | undefined,
    check: (own: readonly string[] | undefined) => void = () => {},
  ): Promise<void> {
    await this.#change((index) => {
      check(index.targets)
      return { ...index, targets }
    })
  }

  /** Removes a target that was removed from the node; backups that are only there are dropped. */
  async dropTarget(target: string): Promise<void> {
    await this.#change(({ forgottenOn: others = {}, ...index }) => {
      const { [target]: _, ...rest } = others
      const backups = index.backups.flatMap((backup) => {
        const copies = getCopies(backup).filter((copy) => copy.target !== target)
        return copies.length > 0 ? [{ ...backup, copies }] : []
      })
      return {
        ...index,
        ...(Object.keys(rest).length > 0 && { forgottenOn: rest }),
        ...(index.targets && { targets: withoutTarget(index.targets, target) }),
        backups,
        storedBytes: undefined,
      }
    })
  }

  /** Stores the outcome of a verification on a target. Has no effect when the backup is not there any more. */
  async setVerification(id: string, target: string, verification: BackupVerification): Promise<void> {
    await this.update(id, (backup) => {
      const copy = copyOn(backup, target)
      return copy ? { ...withCopy(backup, { ...copy, verification }), verification } : backup
    })
  }

  /** Stores the state of a copy. Has no effect if the backup or the target does not exist any more. */
  async setCopy(id: string, copy: StoredCopy): Promise<void> {
    await this.update(id, (backup) => (copyOn(backup, copy.target) ? withCopy(backup, copy) : backup))
  }

  async storedBytes(): Promise<number | undefined> {
    return (await this.#index()).storedBytes
  }

  /** Has no effect when the backups are not those that were measured. */
  async setStoredBytes(storedBytes: number, measured: readonly StoredBackup[]): Promise<void> {
    const ids = (backups: readonly StoredBackup[]) => backups.map(({ id }) => id).join()
    await this.#change((index) => (ids(index.backups) === ids(measured) ? { ...index, storedBytes } : index))
  }

  async provedAt(): Promise<string | undefined> {
    return (await this.#index()).provedAt
  }

  async setProvedAt(provedAt: string): Promise<void> {
    await this.#change((index) => ({ ...index, provedAt }))
  }

  async retention(): Promise<BackupRetention | undefined> {
    return (await this.#index()).retention
  }

  /** Without a retention the default of the node applies. `check` may throw because of the stored one. */
  async setRetention(
    retention: BackupRetention | undefined,
    check: (own: BackupRetention | undefined) => void = () => {},
  ): Promise<void> {
    await this.#change((index) => {
      check(index.retention)
      return { ...index, retention }
    })
  }

  async failure(): Promise<BackupFailure | undefined> {
    return (await this.#index()).failure
  }

  async setFailure(failure: BackupFailure | undefined): Promise<void> {
    await this.#change((index) => ({ ...index, failure }))
  }

  async find(id: string): Promise<StoredBackup | undefined> {
    return (await this.backups()).find((backup) => backup.id === id)
  }

  /** The ID of the backup that was created last. */
  async latest(): Promise<string | undefined> {
    return (await this.#index()).latest
  }

  /** Adds a new backup. */
  async add(created: StoredBackup): Promise<void> {
    await this.#change((index) => ({ ...withBackups(index, [created]), latest: created.id }))
  }

  /** Adds backups that were found on a target; those that are known are there as well. */
  async adopt(found: readonly StoredBackup[]): Promise<void> {
    await this.#change((index) => {
      const known = index.backups.map((backup) => {
        const copies = found.filter(({ id }) => id === backup.id).flatMap(getCopies)
        return copies.reduce((merged, copy) => withCopy(merged, copy), backup)
      })
      const isKnown = ({ id }: StoredBackup) => index.backups.some((backup) => backup.id === id)
      return withBackups(
        { ...index, backups: known },
        found.filter((backup) => !isKnown(backup)),
      )
    })
  }

  async update(id: string, change: (backup: StoredBackup) => StoredBackup): Promise<void> {
    await this.#change((index) => ({
      ...index,
      backups: index.backups.map((backup) => (backup.id === id ? change(backup) : backup)),
    }))
  }

  /**
   * Removes a backup from the list; its snapshots are kept as forgotten. Throws ErrBackupLocked, and ErrBackupNotFound
   * if it does not exist any more.
   */
  async remove(id: string): Promise<void> {
    await this.#change((index) => {
      const backup = index.backups.find((candidate) => candidate.id === id)
      if (!backup) throw new Refusal('ErrBackupNotFound')
      if (backup.isLocked) throw new Refusal('ErrBackupLocked')
      return withoutBackups(index, [backup])
    })
  }

  /** Removes backups that the retention deletes, except locked ones. */
  async removeUnlocked(ids: readonly string[]): Promise<void> {
    await this.#change((index) =>
      withoutBackups(
        index,
        index.backups.filter(({ id, isLocked }) => !isLocked && ids.includes(id)),
      ),
    )
  }

  /** Removes all backups, also locked ones. */
  async removeAll(): Promise<void> {
    await this.#change((index) => withoutBackups(index, index.backups))
  }

  /** Drops snapshots that a target has forgotten. */
  async dropForgotten(target: string, snapshots: readonly string[]): Promise<void> {
    await this.#change((index) =>
      withForgotten(
        index,
        target,
        forgottenOn(index, target).filter((snapshot) => !snapshots.includes(snapshot)),
      ),
    )
  }

  /** Removes the file of a server that was removed. */
  async removeFile(): Promise<void> {
    await withLock([this], async () => {
      this.#loaded = undefined
      await rm(this.#path, { force: true })
    })
  }

  #index(): Promise<Index> {
    this.#loaded ??= this.#load()
    return this.#loaded
  }

  async #change(change: (index: Index) => Index): Promise<void> {
    await withLock([this], async () => {
      const changed = change(await this.#index())
      await mkdir(join(this.#path, '..'), { recursive: true, mode: 0o700 })
      await writeFileAtomic(this.#path, Buffer.from(JSON.stringify(changed)))
      this.#loaded = Promise.resolve(changed)
    })
  }

  /** A damaged file is kept aside; its backups are found again in the repository. */
  async #load(): Promise<Index> {
    const text = await readTextIfExists(this.#path)
    if (text === undefined) return { backups: [], forgotten: [] }
    const { data, error } = safeParseJson(Index, text)
    if (data) return data
    this.#log.error({ err: error, path: this.#path }, 'an index of backups is damaged and is rebuilt')
    await rename(this.#path, `${this.#path}.damaged`)
    return { backups: [], forgotten: [] }
  }
}

function withBackups(index: Index, added: readonly StoredBackup[]): Index {
  const backups = [...index.backups, ...added].toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
  return { ...index, backups, storedBytes: undefined }
}

function withoutBackups(index: Index, removed: readonly StoredBackup[]): Index {
  const targets = new Set(removed.flatMap(getCopies).map(({ target }) => target))
  const backups = index.backups.filter((backup) => !removed.includes(backup))
  return [...targets].reduce<Index>(
    (changed, target) => {
      const snapshots = removed.flatMap((backup) => getSnapshots(backup, target))
      return withForgotten(changed, target, [...forgottenOn(changed, target), ...snapshots])
    },
    { ...index, backups, storedBytes: undefined },
  )
}

function forgottenOn(index: Index, target: string): readonly string[] {
  return target === localTarget ? index.forgotten : (index.forgottenOn?.[target] ?? [])
}

function withForgotten(index: Index, target: string, snapshots: string[]): Index {
  if (target === localTarget) return { ...index, forgotten: snapshots }
  const { [target]: _, ...others } = index.forgottenOn ?? {}
  return { ...index, forgottenOn: { ...others, ...(snapshots.length > 0 && { [target]: snapshots }) } }
}

/** The selection without a target; the folder of the node if it was the only one. */
export function withoutTarget(selection: readonly string[], id: string): string[] {
  const others = selection.filter((target) => target !== id)
  return others.length > 0 ? others : [localTarget]
}

/** The indexes of the backups of all servers. */
export class BackupIndexes {
  readonly #dir: string
  readonly #log: Logger
  readonly #indexes = new Map<string, BackupIndex>()

  /** `dir` is a directory of the daemon. */
  constructor(dir: string, log: Logger) {
    this.#dir = dir
    this.#log = log
  }

  of(server: string): BackupIndex {
    const index = this.#indexes.get(server) ?? new BackupIndex(this.#dir, server, this.#log)
    this.#indexes.set(server, index)
    return index
  }

  /** The servers that have backups, or had some that targets still have. */
  async servers(): Promise<string[]> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    const names = (await readdir(this.#dir)).filter((name) => name.endsWith('.json'))
    return names.flatMap((name) => ServerId.safeParse(name.slice(0, -'.json'.length)).data ?? [])
  }
}
