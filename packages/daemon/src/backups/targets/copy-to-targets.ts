import { localTarget } from '@innkeeper/contract/backup-targets'
import { type BackupIndex, snapshotsOf } from '../backup-index.ts'
import { backupTag, definitionTag, listSnapshots, type Snapshot, serverTag } from '../snapshots.ts'
import { copyOn, type StoredCopy } from './copies.ts'
import type { Target } from './repositories.ts'
import { failedCopy, type TargetAttempts } from './target-attempts.ts'

/** Where a backup goes. */
export interface Placement {
  readonly targets: readonly Target[]
  readonly attempts: TargetAttempts
  /** ID of the backup. */
  readonly backup: string
}

/** Copies this backup, and earlier ones of the server whose copies failed, from the folder of the node. */
export async function copyToTargets(
  { server, index }: { readonly server: string; readonly index: BackupIndex },
  { targets, attempts, backup }: Placement,
  signal: AbortSignal,
): Promise<void> {
  for (const target of targets) {
    if (await attempts.try(target, () => copyMissing(target, { server, index }, signal), signal)) continue
    const failure = attempts.failures.get(target)
    if (failure) await index.setCopy(backup, failedCopy(target.id, failure))
  }
}

async function copyMissing(
  { id: target, restic }: Target,
  { server, index }: { readonly server: string; readonly index: BackupIndex },
  signal: AbortSignal,
): Promise<void> {
  const missing = (await index.backups()).filter((backup) => {
    const state = copyOn(backup, target)?.state
    return state !== undefined && state !== 'stored' && copyOn(backup, localTarget)?.state === 'stored'
  })
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
