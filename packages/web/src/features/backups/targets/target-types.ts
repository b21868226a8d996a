import type { BackupTargetAddress } from '@innkeeper/contract/backups/backup-targets'

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
