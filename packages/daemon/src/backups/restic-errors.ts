import { Refusal } from '@innkeeper/contract/refusals'
import { isRefusal } from '../errors/refusals.ts'

export interface ResticExit {
  readonly code: number | null
  readonly signal: string | null
  /** The end of its error output. */
  readonly stderr: string
}

const damageReason = 'data of this backup is damaged in the repository. Other backups may be good: verify them'

/** The refusal for a backup whose data is not what was stored. */
export function backupDamage(cause?: Error): Refusal {
  return new Refusal('ErrBackupFailed', { reason: damageReason }, { cause })
}

/** Whether a backup cannot be restored because its data is damaged or missing, rather than for now. */
export function isDamage(error: unknown): error is Refusal {
  if (isRefusal(error, 'ErrBackupNotFound')) return true
  return isRefusal(error, 'ErrBackupFailed') && error.metadata.reason === damageReason
}

/** What restic prints about content that is missing, incomplete or changed. */
const damageMessages = [
  'ciphertext verification failed',
  'nonce is invalid',
  'invalid data returned',
  'StreamPack:',
  'Unexpected content in',
  'Invalid file size for',
  'not found in repository',
]

/** What a failure means, by a part of its message; the first that matches. */
const causes: readonly (readonly [part: string, refusal: Refusal])[] = [
  ['no space left on device', new Refusal('ErrDisk', { reason: 'the disk is full' })],
  ['disk quota exceeded', new Refusal('ErrDisk', { reason: 'the disk quota is exceeded' })],
  ['read-only file system', new Refusal('ErrDisk', { reason: 'the disk is read-only' })],
  [
    'already locked',
    new Refusal('ErrBackupFailed', {
      reason: 'another program has locked the repository. Try again when it has ended',
    }),
  ],
  ...damageMessages.map((part) => [part, backupDamage()] as const),
  [
    'wrong password or no key found',
    new Refusal('ErrBackupFailed', { reason: 'the key in backups/key does not open the repository' }),
  ],
]

/** The refusal for a failed command: a known cause, or the last line that restic printed. */
export function resticError({ code, signal, stderr }: ResticExit): Refusal {
  const cause = new Error(`restic ended with ${signal ?? `exit code ${code}`}: ${stderr}`)
  const known = causes.find(([part]) => stderr.includes(part))?.[1]
  if (known) return new Refusal(known.code, known.metadata, { cause })
  const lines = stderr.split('\n').map((line) => line.trim())
  const fatal = lines.findLast((line) => line.startsWith('Fatal:')) ?? lines.findLast((line) => line !== '')
  const reason = signal ? `restic was ended by ${signal}` : (fatal ?? `restic ended with exit code ${code}`)
  return new Refusal('ErrBackupFailed', { reason: reason.replace(/^Fatal: /, '').slice(0, 300) }, { cause })
}
