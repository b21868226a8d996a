import type { BackupVerification } from '@innkeeper/contract/backups/backups'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { refusalFrom, toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { DirHandle } from '../files/path/dir-handle.ts'
import { rootPath } from '../files/path/safe-path.ts'
import { walkBelow } from '../files/tree/walk.ts'
import type { BackupTools } from './backup-access.ts'
import { filesAt, getSize, listFiles } from './backup-files.ts'
import type { JobContext } from './jobs/job-queue.ts'
import { fillFromBackup, restoreInto } from './restore-backup.ts'
import type { StoredBackup } from './storage/backup-index.ts'
import { backupDamage, isDamage } from './storage/restic-errors.ts'
import { requireSnapshot } from './storage/snapshots.ts'
import { type BootPlan, planTestBoot, testBoot } from './test-boot.ts'

/** How much a verification restores of a larger backup. */
const maxVerifiedBytes = 256 * 1024 ** 2
const maxVerifiedFiles = 200

export interface VerifyOptions {
  /** Whether also all files of a large backup are restored, if a copy of the server can be started from them. */
  readonly isThorough: boolean
}

/**
 * Restores files of a backup, lets restic compare them with their hashes, counts and removes them. If possible, it
 * restores all of them and starts a copy of the server before. The result is stored with the backup, unless it could not
 * be verified for another reason than its data. Throws ErrBackupNotBooted when the copy did not become ready.
 */
export async function verifyBackup(
  tools: BackupTools,
  backup: StoredBackup,
  options: VerifyOptions,
  job: JobContext,
): Promise<void> {
  const { bootError } = await storeResult(tools, backup, options, job)
  if (bootError) throw refusalFrom({ error: bootError })
}

async function storeResult(
  tools: BackupTools,
  backup: StoredBackup,
  options: VerifyOptions,
  job: JobContext,
): Promise<VerificationResult> {
  const at = new Date().toISOString()
  const store = (verification: BackupVerification) => tools.index.setVerification(backup.id, tools.target, verification)
  try {
    const result = await testRestore(tools, backup, options, job)
    await store({ at, ...result })
    const { bootedInMs, bootError, notBooted } = result
    if ([bootedInMs, bootError, notBooted].some((result) => result !== undefined)) await tools.index.setProvedAt(at)
    return result
  } catch (error) {
    // A full disk or a busy repository says nothing about the backup: the result of an earlier verification is kept.
    if (isDamage(error)) await store({ at, files: 0, bytes: 0, error: toEnvelope(error).error })
    else tools.log.warn({ err: error, server: tools.server.id, backup: backup.id }, 'a backup could not be verified')
    throw error
  }
}

type FileCount = Pick<BackupVerification, 'files' | 'bytes'>
type VerificationResult = Omit<BackupVerification, 'at' | 'error'>

async function testRestore(
  tools: BackupTools,
  backup: StoredBackup,
  { isThorough }: VerifyOptions,
  job: JobContext,
): Promise<VerificationResult> {
  const { server, restic } = tools
  const { snapshot } = backup
  if (snapshot === undefined) return { files: 0, bytes: 0 }
  await restic.prepare(job.signal)
  await requireSnapshot(restic, { server: server.id, snapshot }, job.signal)
  // Not the numbers in the index, which a rebuilt index does not have.
  const all = await listFiles(restic, snapshot, job.signal)
  const isSmall = getSize(all) <= maxVerifiedBytes
  const boot =
    isThorough || isSmall ? await planTestBoot(tools, { backup, bytes: getSize(all) }, job.signal) : undefined
  if (typeof boot === 'object')
    return await testCopy(tools, { backup, boot, expected: { files: all.length, bytes: getSize(all) } }, job)
  const paths = isSmall ? [] : getSample(all, maxVerifiedBytes).map(({ path }) => path)
  const sample = isSmall ? all : filesAt(all, paths)
  const expected = { files: sample.length, bytes: getSize(sample) }
  await using root = await server.openFiles()
  // The restored files are in the folder of the server for a while.
  await using _ = await server.diskLimit.suspend()
  if ((await root.freeBytes()) < expected.bytes) throw new Refusal('ErrDisk', { reason: formatReason('diskFull') })
  await using staging = await root.stage(rootPath)
  await fillFromBackup({ server, restic }, staging, { backup, paths, isVerified: true }, job)
  const counted = requireComplete(await countFiles(await staging.openTree(), job.signal), expected)
  return { ...counted, ...(boot !== undefined && { notBooted: boot }) }
}

interface CopyTest {
  readonly backup: StoredBackup
  readonly boot: BootPlan
  readonly expected: FileCount
}

/** Restores everything into a folder of its own and starts a copy of the server there. */
async function testCopy(
  tools: BackupTools,
  { backup, boot, expected }: CopyTest,
  job: JobContext,
): Promise<VerificationResult> {
  await using copy = await tools.testBoots.create(tools.server.id)
  const target = { directory: copy.files.sharedPath, owner: copy.owner }
  await restoreInto(tools.restic, target, { backup, paths: [], isVerified: true }, job)
  const restored = { files: 0, bytes: 0 }
  for await (const { info } of copy.files.walk(rootPath, { signal: job.signal })) {
    if (info.kind !== 'file') continue
    restored.files++
    restored.bytes += info.size
  }
  const counted = requireComplete(restored, expected)
  return { ...counted, ...(await testBoot(tools, copy, boot, job.signal)) }
}

/** Throws when the restored files are not those that the backup lists. */
export function requireComplete(restored: FileCount, expected: FileCount): FileCount {
  if (restored.files === expected.files && restored.bytes === expected.bytes) return restored
  const text = ({ files, bytes }: FileCount) => `${files} files with ${bytes} bytes`
  throw backupDamage(new Error(`${text(restored)} were restored instead of ${text(expected)}`))
}

/** Counts regular files. Takes ownership of the handle. */
async function countFiles(top: DirHandle, signal: AbortSignal): Promise<FileCount> {
  let [files, bytes] = [0, 0]
  for await (const { stats } of walkBelow(top, { signal })) {
    if (!stats.isFile()) continue
    files++
    bytes += Number(stats.size)
  }
  return { files, bytes }
}

/** Random files that together have at most this size; the smallest one if all are larger. */
export function getSample<T extends { readonly size: number }>(files: readonly T[], maxBytes: number): T[] {
  const shuffled = files.map((file) => ({ file, order: Math.random() })).toSorted((a, b) => a.order - b.order)
  const sample: T[] = []
  let bytes = 0
  for (const { file } of shuffled) {
    if (sample.length === maxVerifiedFiles) break
    if (bytes + file.size > maxBytes) continue
    sample.push(file)
    bytes += file.size
  }
  return sample.length > 0 ? sample : files.toSorted((a, b) => a.size - b.size).slice(0, 1)
}
