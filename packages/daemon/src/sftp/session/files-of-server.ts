import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Suspension } from '@innkeeper/contract/servers/suspension'
import type { RootFs } from '../../files/root.ts'

/** The part of a server that SFTP needs. */
export interface FilesOfServer {
  /** Whether it is being removed, which takes a while. */
  readonly isBeingRemoved: boolean
  /** `author` is the username, for the trash. `permissions` returns the current permissions. */
  openFilesForSftp(author: string, permissions: () => ReadonlySet<RequiredPermission>): Promise<RootFs>
  /** Calls the listener when the server is removed. Returns the unsubscribe function. */
  onRemoved(unsubscribe: () => void): () => void
  /** Missing unless it is suspended, which ends the sessions of all but administrators. */
  readonly suspension: Pick<Suspension, 'reason'> | undefined
  /** Calls the listener when it is suspended. Returns the unsubscribe function. */
  onSuspended(listener: () => void): () => void
}
