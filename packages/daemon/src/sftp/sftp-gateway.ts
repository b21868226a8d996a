import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ConnectionLimits } from '@innkeeper/contract/http/connection-limiter'
import type { Logger } from 'pino'
import type { HandleLimits } from './session/handle-limiter.ts'
import type { SftpRelay } from './session/sftp-relay.ts'
import { SftpServer } from './sftp-server.ts'
import { openHostKeys } from './ssh/host-key.ts'

interface Options {
  /** The folder of the host keys. */
  readonly dataDir: string
  readonly relay: SftpRelay
  readonly limits: { readonly sftp: ConnectionLimits; readonly sftpHandles: HandleLimits }
  readonly log: Logger
}

/** The SFTP port of a panel without a node of its own. */
export async function openSftpGateway({ dataDir, relay, limits, log }: Options): Promise<SftpServer> {
  return new SftpServer({
    // It has no servers, so it never asks.
    panel: { request: () => Promise.reject(new Refusal('ErrServiceNotAvailable')) },
    find: () => undefined,
    relay,
    changes: { record: () => undefined, hasWritten: () => false },
    hostKeys: await openHostKeys(dataDir),
    connectionLimits: limits.sftp,
    handleLimits: limits.sftpHandles,
    log,
  })
}
