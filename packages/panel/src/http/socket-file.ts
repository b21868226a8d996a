import { chmod, chown, lstat, mkdir, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { limits } from '@innkeeper/contract/text/limits'

/** Listens on a unix socket, and replaces the file of an earlier process. */
export async function listenAt(server: Server, path: string): Promise<void> {
  await removeSocket(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}

/** Stops listening, and closes connections that do not end in time. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cutOff = setTimeout(() => server.closeAllConnections(), limits.requestsEndMs)
  await closed
  clearTimeout(cutOff)
}

/**
 * Prepares the folder of a shared socket: only owner and group may enter it.
 * @throws Error when everybody may
 */
export async function prepareSharedFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  const { mode } = await stat(dirname(path))
  if (mode & 0o001) {
    throw new Error(
      `All users may enter ${dirname(path)}, including those of servers: run chmod o-x on it, or choose another folder for INNKEEPER_PROXY_SOCKET.`,
    )
  }
}

/** Gives the group of the folder access to the socket. */
export async function shareWithGroup(path: string): Promise<void> {
  const { gid } = await stat(dirname(path))
  await chown(path, -1, gid)
  await chmod(path, 0o660)
}

/** Removes the socket of an earlier panel; any other file is kept. */
async function removeSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw cause
  })
  if (found?.isSocket()) await rm(path)
}
