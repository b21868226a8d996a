import type { Duplex } from 'node:stream'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { SftpGrant, SftpLogin, sftpLogin } from '@innkeeper/contract/node-link/node-to-panel'

/** A user who has logged in to the SFTP port of a panel. */
export interface RelayedUser {
  readonly grant: SftpGrant
  readonly username: string
  readonly address: string
  /** The SSH client. */
  readonly software: string
}

/** The SFTP port of a panel: it serves the servers of other nodes, of which users reach some in no other way. */
export interface SftpRelay {
  login(login: SftpLogin): Promise<ResponseOf<typeof sftpLogin>>
  /** Opens a session on the node of the server. Throws when the user may not use it any more. */
  open(user: RelayedUser): Promise<Duplex>
}
