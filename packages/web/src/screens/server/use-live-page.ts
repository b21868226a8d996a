import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { useEffect, useState } from 'react'
import { ConsoleBuffer } from '../../features/console/buffer.ts'
import { combineSinks, RawOutput } from '../../realtime/raw-output.ts'
import { useServerConnection } from '../../realtime/use-server-connection.ts'
import type { Can } from './permissions.ts'

interface LivePageOptions {
  readonly server: ServerDetail
  readonly can: Can
  /** Whether the socket is open. */
  readonly onLive: (isLive: boolean) => void
  /** The permissions may be others than `can` says. */
  readonly onPermissions: () => void
}

export type LivePage = ReturnType<typeof useLivePage>

/** The live connection of the page of a server, and the console output that it received. */
export function useLivePage({ server, can, onLive, onPermissions }: LivePageOptions) {
  const [buffer] = useState(() => new ConsoleBuffer())
  const [rawOutput] = useState(() => new RawOutput())
  const [sink] = useState(() => combineSinks([buffer, rawOutput]))
  const { connection, state, stats } = useServerConnection(server.id, sink, can, onPermissions)

  const isStopped = state.status?.running === false
  useEffect(() => {
    if (isStopped) rawOutput.end()
  }, [isStopped, rawOutput])
  const isRevoked = state.connection.status === 'ended' && state.connection.because === 'revoked'
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once per revocation
  useEffect(() => {
    if (isRevoked) onPermissions()
  }, [isRevoked])
  const isLive = state.connection.status === 'open'
  // biome-ignore lint/correctness/useExhaustiveDependencies: called when the socket opens and closes
  useEffect(() => {
    onLive(isLive)
    // The socket has the permissions of this moment, and reports only what changes later.
    if (isLive) onPermissions()
    return () => onLive(false)
  }, [isLive])
  return { connection, state, stats, buffer, rawOutput }
}
