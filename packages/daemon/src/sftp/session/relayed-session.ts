import type { Duplex } from 'node:stream'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import type { Logger } from 'pino'
import type { FileChanges } from '../../panel-link/file-changes.ts'
import type { BufferPools } from '../protocol/buffer-pools.ts'
import type { FilesOfServer } from './files-of-server.ts'
import type { GrantRefresher } from './grant-refresher.ts'
import type { HandleLimiter } from './handle-limiter.ts'
import { type ChannelIo, SftpSession, sessionChanges } from './session.ts'
import type { RelayedUser } from './sftp-relay.ts'

interface Deps {
  readonly changes: Pick<FileChanges, 'record' | 'hasWritten'>
  readonly grantRefresher: Pick<GrantRefresher, 'watch'>
  readonly buffers: BufferPools
  readonly handleLimiter: HandleLimiter
  readonly log: Logger
}

interface Session {
  readonly user: RelayedUser
  /** At its beginning. */
  readonly permissions: ReadonlySet<RequiredPermission>
  readonly linkPathLast: boolean
  readonly server: FilesOfServer
}

/** Serves the session of a user whose SSH connection ends at a panel, until the stream is closed. */
export async function serveRelayedSession(
  stream: Duplex,
  { user, permissions: initial, linkPathLast, server }: Session,
  { changes, grantRefresher, buffers, handleLimiter, log }: Deps,
): Promise<void> {
  const { grant, username, address } = user
  let permissions = initial
  const files = await server.openFilesForSftp(username, () => permissions)
  if (stream.destroyed) return await files[Symbol.asyncDispose]()
  const session = new SftpSession({
    io: streamIo(stream),
    files,
    // Files opened while a server is removed would keep its directory alive.
    permissions: () => (server.isBeingRemoved ? new Set() : permissions),
    linkPathLast,
    changes: sessionChanges(changes, { userId: grant.userId, server: grant.server, address }),
    buffers,
    openHandles: handleLimiter.of(grant.userId),
    log,
  })
  const end = (why: string) => {
    log.info({ user: username, server: grant.server, why }, 'an SFTP session ended')
    stream.destroy()
  }
  const update = (current: ReadonlySet<RequiredPermission>) => {
    permissions = current
  }
  const endIfSuspended = () => {
    if (server.suspension && !permissions.has('admin')) end('the server is suspended')
  }
  const unsubscribers = [
    server.onSuspended(endIfSuspended),
    grantRefresher.watch({ grant, update, end }),
    server.onRemoved(() => end('the server was deleted')),
  ]
  endIfSuspended()
  stream.on('data', (chunk: Buffer) => session.receive(chunk))
  stream.on('drain', () => session.drained())
  stream.once('end', () => session.finish())
  await new Promise((resolve) => stream.once('close', resolve))
  for (const unsubscribe of unsubscribers) unsubscribe()
  await session.close()
}

function streamIo(stream: Duplex): ChannelIo {
  let [isPaused, isSocketPaused, isCorked] = [false, false, false]

  function update(): void {
    if (isPaused || isSocketPaused) stream.pause()
    else stream.resume()
  }

  function flush(): void {
    if (isCorked) stream.uncork()
    isCorked = false
  }

  return {
    pause() {
      isPaused = true
      update()
    },
    resume() {
      isPaused = false
      update()
    },
    pauseSocket() {
      isSocketPaused = true
      update()
    },
    resumeSocket() {
      isSocketPaused = false
      update()
    },
    cork() {
      if (!isCorked) stream.cork()
      isCorked = true
    },
    flush,
    write(bytes, sent) {
      stream.write(bytes, () => sent())
    },
    get unsent() {
      return stream.writableLength
    },
    end() {
      stream.end()
      flush()
    },
  }
}
