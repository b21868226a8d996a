import { interpolate, type RefusalMetadata } from './refusals.ts'

/**
 * Why something failed, or is not possible on a node: a part of errors and other messages, in English for logs and consoles.
 * The web app recognizes these texts and shows its own.
 */
export const reasons = {
  notRoot: 'Innkeeper does not run as root',
  noSetpriv: 'the program setpriv of util-linux is missing or too old',
  noUnshare: 'the program unshare of util-linux is missing',
  closedDirectory: 'other users cannot traverse the directory ${path}',
  noServerUsers: 'servers have no users of their own',
  visibleProcesses: 'this system shows all processes to everyone (Linux before 5.8)',
  noProcMounts:
    'this system does not allow Innkeeper to mount a /proc for each server, as in a container without CAP_SYS_ADMIN${detail}',
  noControlGroups: 'this system has no control groups for it',
  controlGroupsForbidden: 'Innkeeper may not change the control groups of this system',
  controlGroupsShared: 'the control group delegated to Innkeeper is used by other processes too',
  noDefinition: 'this backup has no definition',
  noReadyPattern: 'its definition has no ready pattern',
  bootOffInDefinition: 'its definition says that it does not start without a network',
  bootOffOnNode: 'this is switched off on the node',
  otherFolders: 'its container has other folders of the node',
  stepNeedsNetwork: 'the step ${step} before its start needs a network',
  lowMemory: 'the node has not enough free memory',
  lowDisk: 'the node has not enough free disk space',
  notReadyInTime: 'it was not ready within ${seconds} seconds',
  diskFull: 'the disk is full',
  diskQuota: 'the disk quota is exceeded',
  usageUnknown: 'the disk space that the server uses cannot be measured now. Try again in a minute',
  diskFailed: 'the disk reports an I/O error',
  diskReadOnly: 'the disk is read-only',
  tooManyFiles: 'too many files are open',
  fileForbidden: 'Innkeeper may not change this file',
  fileInUse: 'it is in use',
  backupDamaged: 'data of this backup is damaged in the repository. Other backups may be good: verify them',
  targetHostKey:
    'the host key of the target has changed. If this is intended, test the target again and confirm the new key',
  targetLogin: 'the target refused the login. Check user, password and keys, and what they may access',
  targetSilent: 'the target does not respond. Check its address, and whether it runs',
  targetLoginOrHostKey:
    'the target refused the login, or its host key is not the confirmed one. Check user, password and key, and whether the user may use SFTP',
  targetLost: 'the connection to the target was lost. Check its network, and whether it runs',
  targetCertificate: 'the certificate of the target is not trusted. Enter the certificate of its authority',
  targetOfOtherNode: 'the repository on the target has another key: it is that of another node. Choose another path',
  targetError: 'the target reports an error: ${message}. Check its log, and whether its disk is full',
  repositoryLocked: 'another program has locked the repository. Try again when it has ended',
  repositoryKey: 'the key in backups/key does not open the repository',
  nameTaken: '${path} was not restored, because something of another kind has its name. Rename or delete it first',
  nameNotUtf8: 'the name is not UTF-8. Restore it, or download the folder that contains it',
  repositoryNotFound: 'there is no repository',
  localRepositoryMissing:
    'the repository is missing: ${path}. Is its disk mounted? To begin a new one, delete the file repository-id beside it',
  localRepositoryReplaced:
    'this is another repository than before: ${path}. Is the right disk mounted? To use it, delete the file repository-id beside it',
  repositoryMissing:
    'the repository is missing on the target. Check that its disk is mounted. To begin a new one, remove the target and add it again',
  noTarget: 'there is no backup target',
  otherRepository: 'the target has another repository than before. Check its path',
  repositoryKeyMissing: 'the key of the repository is missing: ${path}',
  resticTooOld: 'restic ${version} or newer is needed: ${found}',
  containerOfOther: 'there is already a container ${name} that Innkeeper did not create: remove it first',
  containerOfOtherNode: 'there is already a container ${name} of another node (${owner}): remove it first',
  containerNotRemoved: 'failed to remove the container ${name}',
  imageGone: 'the engine does not have it any more',
  endedWithCode: 'it ended with exit code ${code} before it was ready',
  endedBySignal: 'it was ended by ${signal} before it was ready',
  slowReadyPattern: 'its ready pattern takes too long to match',
  backupNotCopied: 'the backup ${backup} could not be copied: ${reason}',
} as const satisfies Record<string, string>

export type ReasonCode = keyof typeof reasons

/** The English text of a reason. */
export function formatReason(code: ReasonCode, values: RefusalMetadata = {}): string {
  return interpolate(reasons[code], values)
}

/** Finds the reason that a text is about; undefined when it is another text. */
export function recognizeReason(
  text: string,
): { readonly code: ReasonCode; readonly values: Readonly<Record<string, string>> } | undefined {
  for (const [code, template] of Object.entries(reasons) as [ReasonCode, string][]) {
    const values = valuesIn(text, template)
    if (values) return { code, values }
  }
  return undefined
}

/** The values that a text has in place of the `${name}` of its template; undefined when it is of another template. */
function valuesIn(text: string, template: string): Record<string, string> | undefined {
  const [start = '', ...parts] = template.split('${')
  if (parts.length === 0) return text === template ? {} : undefined
  if (!text.startsWith(start)) return undefined
  const values: Record<string, string> = {}
  let from = start.length
  for (const [index, part] of parts.entries()) {
    const [name = '', fixed = ''] = part.split('}')
    const isLast = index === parts.length - 1
    const to = isLast ? text.length - fixed.length : text.indexOf(fixed, from)
    if (to < from || !text.startsWith(fixed, to)) return undefined
    values[name] = text.slice(from, to)
    from = to + fixed.length
  }
  return values
}
