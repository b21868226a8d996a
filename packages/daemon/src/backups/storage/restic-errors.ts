import { formatReason, type ReasonCode } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isRefusal } from '../../errors/refusals.ts'
import type { RepositoryAccess } from './repository-access.ts'

export interface ResticExit {
  readonly code: number | null
  readonly signal: string | null
  /** The end of its error output. */
  readonly stderr: string
}

const damageReason = formatReason('backupDamaged')

/** The refusal for a backup whose data is not what was stored. */
export function backupDamage(cause?: Error): Refusal {
  return new Refusal('ErrBackupFailed', { reason: damageReason }, { cause })
}

/** Whether a backup cannot be restored because its data is damaged or missing, rather than for now. */
export function isDamage(error: unknown): error is Refusal {
  if (isRefusal(error, 'ErrBackupNotFound')) return true
  return isRefusal(error, 'ErrBackupFailed') && error.metadata.reason === damageReason
}

/** Whether a copy failed because data of the repository that it reads is missing or damaged. */
export function isSourceDamage({ stderr }: Pick<ResticExit, 'stderr'>): boolean {
  const lastRetry = stderr.split('\n').findLast((line) => line.includes('returned error, retrying after'))
  return stderr.includes('StreamPack') || (lastRetry?.startsWith('Load(<data/') ?? false)
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
  ['no space left on device', new Refusal('ErrDisk', { reason: formatReason('diskFull') })],
  ['disk quota exceeded', new Refusal('ErrDisk', { reason: formatReason('diskQuota') })],
  ['read-only file system', new Refusal('ErrDisk', { reason: formatReason('diskReadOnly') })],
  ['already locked', new Refusal('ErrBackupFailed', { reason: formatReason('repositoryLocked') })],
  ...damageMessages.map((part) => [part, backupDamage()] as const),
  ['wrong password or no key found', new Refusal('ErrBackupFailed', { reason: formatReason('repositoryKey') })],
]

/** Exit codes of restic 0.17 and newer. */
const exitCodes: Readonly<Record<number, ReasonCode>> = {
  10: 'repositoryNotFound',
  11: 'repositoryLocked',
  12: 'repositoryKey',
}
/** The same for a repository on another machine. */
const remoteExitCodes: Readonly<Record<number, ReasonCode>> = { ...exitCodes, 12: 'targetOfOtherNode' }

/** What restic and OpenSSH print about a repository on another machine. */
const remoteCauses: readonly (readonly [parts: readonly string[], reason: string])[] = [
  [['Host key verification failed'], formatReason('targetHostKey')],
  [
    [
      'Permission denied (',
      '401 Unauthorized',
      '403 Forbidden',
      'Access Denied',
      'AccessDenied',
      'The AWS Access Key Id you provided does not exist',
      'InvalidAccessKeyId',
      'request signature we calculated does not match',
    ],
    formatReason('targetLogin'),
  ],
  [
    [
      'connection refused',
      'Connection refused',
      'Connection timed out',
      'i/o timeout',
      'no such host',
      'Could not resolve hostname',
      'network is unreachable',
      'no route to host',
      'No route to host',
    ],
    formatReason('targetSilent'),
  ],
  // What OpenSSH printed is not always passed on.
  [['unable to start the sftp session'], formatReason('targetLoginOrHostKey')],
  [['ssh command exited'], formatReason('targetLost')],
  [['x509:', 'tls:'], formatReason('targetCertificate')],
  [['wrong password or no key found'], formatReason('targetOfOtherNode')],
]

/** Whether there is no repository where it was looked for. */
export function isMissingRepository(error: unknown): boolean {
  if (!isRefusal(error, 'ErrBackupFailed')) return false
  const { message = '' } = (error.cause ?? {}) as Error
  if (message.startsWith(exitText(10))) return true
  if (!message.includes('unable to open config file')) return false
  return /(<config\/>|file|specified (key|bucket)) does not exist|no such file/i.test(message)
}

/** The refusal for a failed command: a known cause, or the last line that restic printed, without secrets. */
export function resticError({ code, signal, ...exit }: ResticExit, remote?: RepositoryAccess): Refusal {
  const stderr = withoutSecrets(exit.stderr, remote?.secrets ?? [])
  const cause = new Error(`${signal ? `restic ended with ${signal}` : exitText(code)}: ${stderr}`)
  const remoteCause = remote && remoteCauses.find(([parts]) => parts.some((part) => exit.stderr.includes(part)))?.[1]
  if (remoteCause !== undefined) return new Refusal('ErrBackupFailed', { reason: remoteCause }, { cause })
  const known = causes.find(([part]) => stderr.includes(part))?.[1]
  if (known) return new Refusal(known.code, known.metadata, { cause })
  const reasonOfCode = (remote ? remoteExitCodes : exitCodes)[code ?? 0]
  if (reasonOfCode) return new Refusal('ErrBackupFailed', { reason: formatReason(reasonOfCode) }, { cause })
  const lines = stderr.split('\n').map((line) => line.trim())
  const fatal =
    lines.findLast((line) => line.startsWith('Fatal:')) ??
    lines.find((line) => line.startsWith('panic:')) ??
    lines.findLast((line) => line !== '')
  const reason = signal ? `restic was ended by ${signal}` : (fatal ?? exitText(code))
  return new Refusal('ErrBackupFailed', { reason: reason.replace(/^Fatal: /, '').slice(0, 300) }, { cause })
}

/** The refusal for a target that keeps failing: a known cause, or the error that it reported. */
export function targetError({ stderr }: Pick<ResticExit, 'stderr'>, reason: string, access: RepositoryAccess): Refusal {
  const exit = { code: 1, signal: null, stderr: reason }
  const text = withoutSecrets(reason, access.secrets).slice(0, 200)
  const isKnown = [...remoteCauses.flatMap(([parts]) => parts), ...causes.map(([part]) => part)].some((part) =>
    reason.includes(part),
  )
  if (isKnown) return resticError(exit, access)
  const cause = new Error(
    `restic was ended because its target keeps failing: ${withoutSecrets(stderr, access.secrets)}`,
  )
  return new Refusal('ErrBackupFailed', { reason: formatReason('targetError', { message: text }) }, { cause })
}

const exitText = (code: number | null) => `restic ended with exit code ${code}`

/** Shorter texts would make the rest unreadable, and are no secrets. */
const minSecretLength = 4

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (rest, secret) => (secret.length < minSecretLength ? rest : rest.replaceAll(secret, '***')),
    text,
  )
}
