import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Logger } from 'pino'
import type { JobContext } from '../jobs/job-queue.ts'
import { type BackupIndex, getSnapshots, type StoredBackup } from '../storage/backup-index.ts'
import type { Restic } from '../storage/restic.ts'
import { isDamage } from '../storage/restic-errors.ts'
import { backupTag, definitionTag, listSnapshots, type Snapshot, serverTag } from '../storage/snapshots.ts'
import { copyOn, type StoredCopy } from '../storage/stored-copies.ts'
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

/**
 * Makes the missing copies of a server on one target. Throws why they could not be made, which is also recorded. Damage
 * of backups that was not known before is a warning of the job.
 */
export async function makeMissingCopies(
  { server, index, local, report, log }: CopyDeps,
  target: Target,
  { signal, warn }: Pick<JobContext, 'signal' | 'warn'>,
): Promise<void> {
  await local.restic.prepare(signal)
  const attempts = new TargetAttempts({ report, log })
  let damaged: DamagedBackups = new Map()
  const copy = async () => {
    await target.restic.prepare(signal)
    damaged = await copyMissing(target, { server: server.id, index }, signal)
  }
  if (!(await attempts.try(target, copy, signal))) await recordFailure(index, target, attempts)
  for (const error of attempts.failures.values()) throw error
  const [error, news] = [damageError(damaged), damageError(newlyDamaged(damaged, target.id))]
  if (news) warn(news)
  if (error) throw error
}

interface ServerIndex {
  readonly server: string
  readonly index: BackupIndex
}

/**
 * Makes all missing copies of the backups of a server, from the folder of the node. Those that cannot be made because of
 * damage are failures of `attempts`.
 */
export async function copyToTargets(
  { server, index }: ServerIndex,
  { targets, attempts }: Placement,
  signal: AbortSignal,
): Promise<void> {
  for (const target of targets) {
    let damaged: DamagedBackups = new Map()
    const copy = async () => {
      damaged = await copyMissing(target, { server, index }, signal)
    }
    if (!(await attempts.try(target, copy, signal))) await recordFailure(index, target, attempts)
    const error = damageError(damaged)
    // The target itself works.
    if (error) attempts.addFailure(target, error)
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

/** Backups that cannot be copied, as they were before, with the reason. */
type DamagedBackups = ReadonlyMap<StoredBackup, Refusal>

/** Copies what is missing on a target, and records it. Damage of a backup does not affect the others. */
async function copyMissing(
  { id: target, restic }: Target,
  { server, index }: ServerIndex,
  signal: AbortSignal,
): Promise<DamagedBackups> {
  const missing = await missingOn(index, target)
  const damaged = new Map(await copySnapshots(restic, missing, signal))
  const found = await listSnapshots(restic, ['--tag', serverTag(server)], signal)
  for (const backup of missing) {
    const copy = findCopy(found, backup.id)
    // restic skips what it does not find.
    const isLost = copyOn(backup, localTarget)?.snapshot !== undefined && copy.snapshot === undefined
    if (isLost && !damaged.has(backup)) damaged.set(backup, copyDamage())
    const error = damaged.get(backup)
    await index.setCopy(backup.id, error ? failedCopy(target, error) : { ...copy, target, state: 'stored' })
  }
  return damaged
}

/** Copies backups, one by one if some are damaged: restic copies none after the first damaged one. */
async function copySnapshots(
  restic: Restic,
  backups: readonly StoredBackup[],
  signal: AbortSignal,
): Promise<DamagedBackups> {
  const snapshots = backups.flatMap((backup) => getSnapshots(backup, localTarget))
  if (snapshots.length === 0) return new Map()
  try {
    await restic.copy(snapshots, signal)
    return new Map()
  } catch (error) {
    if (!isDamage(error)) throw error
    const [only, ...others] = backups
    if (only && others.length === 0) return new Map([[only, copyDamage(error)]])
  }
  const damaged = new Map<StoredBackup, Refusal>()
  for (const backup of backups) {
    for (const [damagedBackup, error] of await copySnapshots(restic, [backup], signal))
      damaged.set(damagedBackup, error)
  }
  return damaged
}

function copyDamage(cause?: Error): Refusal {
  const reason =
    'its data is damaged in the folder of the node, or the target is damaged. Verify this backup, and delete it if that fails'
  return new Refusal('ErrBackupFailed', { reason }, { cause })
}

/** The backups that were not known to be damaged. */
function newlyDamaged(damaged: DamagedBackups, target: string): DamagedBackups {
  const isNew = ([backup, { metadata }]: [StoredBackup, Refusal]) =>
    copyOn(backup, target)?.error?.metadata?.reason !== metadata.reason
  return new Map([...damaged].filter(isNew))
}

/** Names the first backup that could not be copied; undefined if there is none. */
function damageError(damaged: DamagedBackups): Refusal | undefined {
  const [first] = damaged
  if (!first) return undefined
  const [{ name, createdAt }, { metadata }] = first
  const more = damaged.size > 1 ? `, +${damaged.size - 1}` : ''
  const backup = `${name === '' ? '' : `"${name}" `}(${createdAt.slice(0, 16).replace('T', ' ')} UTC${more})`
  const reason = formatReason('backupNotCopied', { backup, reason: String(metadata.reason) })
  return new Refusal('ErrBackupFailed', { reason })
}

/** The snapshots of a backup. */
function findCopy(snapshots: readonly Snapshot[], backup: string): Pick<StoredCopy, 'snapshot' | 'definitionSnapshot'> {
  const own = snapshots.filter(({ tags }) => tags?.includes(backupTag(backup)))
  const isDefinition = ({ tags }: Snapshot) => tags?.includes(definitionTag) ?? false
  return {
    snapshot: own.find((snapshot) => !isDefinition(snapshot))?.id,
    definitionSnapshot: own.find(isDefinition)?.id,
  }
}
