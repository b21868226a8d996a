import { type BackupTargetAddress, localTarget } from '@innkeeper/contract/backups/backup-targets'

/** Names of protocols, the same in every language. */
export const targetTypeNames: Readonly<Record<BackupTargetAddress['type'], string>> = {
  sftp: 'SFTP',
  s3: 'S3',
  rest: 'REST (restic)',
}

/** Where a target is, in short. */
export function formatAddress(address: BackupTargetAddress): string {
  switch (address.type) {
    case 'sftp':
      return `${address.user}@${address.host}:${address.path}`
    case 's3':
      return [new URL(address.endpoint).host, address.bucket, address.path].filter((part) => part !== '').join('/')
    case 'rest':
      return address.url
  }
}

/** Adds or removes a target. Several include the folder of the node, and there is always one. */
export function toggleTarget(selected: readonly string[], id: string): string[] {
  const changed = selected.includes(id) ? selected.filter((target) => target !== id) : [...selected, id]
  if (changed.length === 0) return [localTarget]
  if (changed.length === 1 || changed.includes(localTarget)) return changed
  // Without the folder of the node only one is possible: the last.
  return id === localTarget ? changed.slice(-1) : [localTarget, ...changed]
}
