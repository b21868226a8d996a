import { chmod, chown, lstat, mkdir, rm, stat } from 'node:fs/promises'
import type { Server } from 'node:http'
import { dirname } from 'node:path'
import { limits } from '@innkeeper/contract/limits'

/** Listens on a socket in the file system that an earlier process may have left behind. */
export async function listenAt(server: Server, path: string): Promise<void> {
  await removeSocket(path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
}

/** Stops listening, and cuts off what has not ended in time. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const cutOff = setTimeout(() => server.closeAllConnections(), limits.requestsEndMs)
  await closed
  clearTimeout(cutOff)
}

/**
 * Prepares the folder of a socket that others may use: only its owner and its group may enter it.
 * @throws Error when everybody may.
 */
export async function prepareSharedFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 })
  const { mode } = await stat(dirname(path))
  if (mode & 0o001) {
    throw new Error(
      `Everybody may enter ${dirname(path)}, servers too: run chmod o-x on it, or choose another folder for INNKEEPER_PROXY_SOCKET.`,
    )
  }
}

/** Lets the group of its folder use a socket. */
export async function shareWithGroup(path: string): Promise<void> {
  const { gid } = await stat(dirname(path))
  await chown(path, -1, gid)
  await chmod(path, 0o660)
}

/** What an earlier panel left; anything but a socket is somebody else's and stays. */
async function removeSocket(path: string): Promise<void> {
  const found = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined
    throw cause
  })
  if (found?.isSocket()) await rm(path)
}
