import { localTarget } from '@innkeeper/contract/backup-targets'
import type { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { type BackupIndex, type StoredBackup, snapshotsOf } from '../backup-index.ts'
import { backupTag, definitionTag, listSnapshots, type Snapshot, serverTag } from '../snapshots.ts'
import { copyOn, type StoredCopy } from './copies.ts'
import type { Target } from './repositories.ts'
import { failedCopy, TargetAttempts } from './target-attempts.ts'

/** Where backups go. */
export interface Placement {
  readonly targets: readonly Target[]
  readonly attempts: TargetAttempts
}

interface CopyDeps {
  readonly server: { readonly id: string }
  readonly index: BackupIndex
  /** The folder of the node. */
  readonly local: Target
  readonly report: (target: Target, error: Refusal | undefined) => void
  readonly log: Logger
}

/** Makes the missing copies of a server on one target. Throws why they could not be made, which is also recorded. */
export async function makeMissingCopies(
  { server, index, local, report, log }: CopyDeps,
  target: Target,
  signal: AbortSignal,
): Promise<void> {
  await local.restic.prepare(signal)
  const attempts = new TargetAttempts({ report, log })
  const copy = async () => {
    await target.restic.prepare(signal)
    await copyMissing(target, { server: server.id, index }, signal)
  }
  if (!(await attempts.try(target, copy, signal))) await recordFailure(index, target, attempts)
  for (const error of attempts.failures.values()) throw error
}

interface ServerIndex {
  readonly server: string
  readonly index: BackupIndex
}

/** Makes all missing copies of the backups of a server, from the folder of the node. */
export async function copyToTargets(
  { server, index }: ServerIndex,
  { targets, attempts }: Placement,
  signal: AbortSignal,
): Promise<void> {
  for (const target of targets) {
    if (await attempts.try(target, () => copyMissing(target, { server, index }, signal), signal)) continue
    await recordFailure(index, target, attempts)
  }
}

async function recordFailure(index: BackupIndex, target: Target, { failures }: TargetAttempts): Promise<void> {
  const failure = failures.get(target)
  if (!failure) return
  for (const { id } of await missingOn(index, target.id)) await index.setCopy(id, failedCopy(target.id, failure))
}

/** The backups that a target lacks, and whose copies can be made. */
export async function missingOn(index: BackupIndex, target: string): Promise<StoredBackup[]> {
  return (await index.backups()).filter((backup) => isMissing(backup, target))
}

export function isMissing(backup: StoredBackup, target: string): boolean {
  const state = copyOn(backup, target)?.state
  return state !== undefined && state !== 'stored' && copyOn(backup, localTarget)?.state === 'stored'
}

async function copyMissing(
  { id: target, restic }: Target,
  { server, index }: ServerIndex,
  signal: AbortSignal,
): Promise<void> {
  const missing = await missingOn(index, target)
  const snapshots = missing.flatMap((backup) => snapshotsOf(backup, localTarget))
  if (snapshots.length > 0) await restic.copy(snapshots, signal)
  const found = await listSnapshots(restic, ['--tag', serverTag(server)], signal)
  for (const backup of missing) {
    const copy = findCopy(found, backup.id)
    // restic skips what it does not find.
    if (copyOn(backup, localTarget)?.snapshot !== undefined && copy.snapshot === undefined) continue
    await index.setCopy(backup.id, { ...copy, target, state: 'stored' })
  }
}

/** The snapshots of a backup. */
function findCopy(snapshots: readonly Snapshot[], backup: string): Pick<StoredCopy, 'snapshot' | 'definitionSnapshot'> {
  const own = snapshots.filter(({ tags }) => tags?.includes(backupTag(backup)))
  const isDefinition = ({ tags }: Snapshot) => tags?.includes(definitionTag) ?? false
  return { snapshot: own.find((one) => !isDefinition(one))?.id, definitionSnapshot: own.find(isDefinition)?.id }
}
