import { z } from 'zod/mini'
import type { RequiredPermission } from '../api/permissions.ts'
import { ServerId } from '../text/server-id.ts'

/** Accepted separators between email and server in an SFTP user name; the first one is displayed. */
const separators = ['#', '|', '%7C', '%7c', '%23'] as const

/** The SFTP user name of a user on a server: `mara@example.net#9f3c21a0`. */
export function getSftpUser(email: string, server: string): string {
  return `${email}${separators[0]}${server}`
}

/** Parses an SFTP user name; `undefined` when it does not have a user and a server. */
export function parseSftpUser(name: string): { email: string; server: string } | undefined {
  for (const separator of separators) {
    const at = name.lastIndexOf(separator)
    if (at <= 0) continue
    const server = ServerId.safeParse(name.slice(at + separator.length))
    if (server.success) return { email: name.slice(0, at), server: server.data }
  }
  return undefined
}

/**
 * The permission that each SFTP operation requires, in addition to `sftpServer` for the session. Reading requires
 * `sftpServer` or `viewServerFiles`, changes require `putServerFiles`.
 */
export const permissionOfSftpOperation = {
  open: 'sftpServer',
  openToWrite: 'putServerFiles',
  read: 'sftpServer',
  write: 'putServerFiles',
  list: 'sftpServer',
  stat: 'sftpServer',
  statFolder: 'sftpServer',
  resolve: 'sftpServer',
  readLink: 'sftpServer',
  setStat: 'putServerFiles',
  makeFolder: 'putServerFiles',
  removeFolder: 'putServerFiles',
  remove: 'putServerFiles',
  rename: 'putServerFiles',
  makeLink: 'putServerFiles',
} as const satisfies Record<string, RequiredPermission>
export type SftpOperation = keyof typeof permissionOfSftpOperation

/** The protocol of the upgrade with which a panel opens an SFTP session for a user who has logged in there. */
export const sftpProtocol = 'innkeeper-sftp'

export const getSftpPath = (server: string): string => `/daemon/sftp/${server}`

/** The query of that request. Its ticket has the user and the permissions. */
export const RelayedSftp = z.object({
  /** That of the grant. */
  stamp: z.string().check(z.maxLength(200)),
  /** IP address of the user. */
  address: z.string().check(z.maxLength(100)),
  /** The user's SSH client. */
  software: z.string().check(z.maxLength(255)),
})
export type RelayedSftp = z.infer<typeof RelayedSftp>
