import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import type { QuietHours } from './schedule/quiet-hours.ts'
import type { RetryTimes } from './targets/copy-retries.ts'

/** How a node makes, verifies and keeps backups. */
export interface BackupOptions {
  /** Name or path of restic. */
  readonly restic?: string | undefined
  /** Which backups of a server are kept when neither the server nor the panel has a retention. Without it all are. */
  readonly keep?: BackupRetention | undefined
  /** Time after which a server needs a new proof. With 0, the default, backups are verified only on request. */
  readonly proofEveryMs?: number | undefined
  /** When proofs and pruning begin. */
  readonly proofHours?: QuietHours | undefined
  /** Whether copies of servers are started to verify backups; by default they are. */
  readonly boot?: boolean | undefined
  /** Time until such a copy must be ready. */
  readonly bootTimeoutMs?: number | undefined
  /** How long the processes of a server without commands to pause it are frozen at most; with 0 they never are. */
  readonly freezeMs?: number | undefined
  /** When missing copies on targets are tried again. */
  readonly copyRetries?: RetryTimes | undefined
  /** The longest wait of restic after an error of a target, which repeats what failed. */
  readonly targetWaitMs?: number | undefined
  /** How long an ended job is listed. */
  readonly endedJobMs?: number | undefined
  /** How long an import waits for the files of another node. */
  readonly importWaitMs?: number | undefined
  /** Interval of looks for background work that has become due. */
  readonly dueCheckMs?: number | undefined
}
