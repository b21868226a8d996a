import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { requireOneHost } from '@innkeeper/contract/http/host-header'
import type { HttpConnections } from '@innkeeper/contract/http/http-connections'
import { RelayedSftp, sftpProtocol } from '@innkeeper/contract/node-link/sftp'
import { sftpPurpose } from '@innkeeper/contract/node-link/ticket'
import type { Logger } from 'pino'
import { findUserId } from '../servers/task-owners.ts'
import type { SftpServer } from '../sftp/sftp-server.ts'
import { refusalFor } from './requests/errors.ts'
import { refuseUpgrade } from './requests/refuse-upgrade.ts'
import type { TicketVerifier } from './requests/tickets.ts'

interface Deps {
  readonly tickets: TicketVerifier
  readonly connections: Pick<HttpConnections<Socket>, 'authenticate'>
  readonly sftp: () => Pick<SftpServer, 'serveRelayed'> | undefined
  readonly log: Logger
}

/** SFTP sessions of users who have logged in at the port of a panel: upgrades to the packets of SFTP. */
export class RelayedSftpSessions {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { tickets, connections, sftp, log } = this.#deps
    socket.on('error', (cause) => log.debug({ err: cause }, 'a connection failed'))
    try {
      requireOneHost(request.rawHeaders)
      const url = new URL(request.url ?? '', 'http://node')
      const id = /^\/daemon\/sftp\/([0-9a-f]{8})$/.exec(url.pathname)?.[1]
      const { data: query } = RelayedSftp.safeParse(Object.fromEntries(url.searchParams))
      if (id === undefined || !query) throw new Refusal('ErrNotFound')
      const requirement = { purpose: sftpPurpose, permission: 'sftpServer', server: id } as const
      const { permissions, sub, username } = await tickets.verify(request.headers.authorization, requirement)
      const userId = findUserId(sub)
      const server = sftp()
      if (userId === undefined || username === undefined || !server) throw new Refusal('ErrServiceNotAvailable')
      if (!connections.authenticate(request.socket)) throw new Refusal('ErrTooManyRequests')
      if (head.length > 0) socket.unshift(head)
      const lines = [`HTTP/1.1 101 ${STATUS_CODES[101]}`, 'Connection: Upgrade', `Upgrade: ${sftpProtocol}`, '', '']
      socket.write(lines.join('\r\n'))
      const { stamp, address, software } = query
      const rights = new Set([...permissions].filter((permission) => permission !== 'node'))
      const user = { grant: { userId, server: id, stamp }, username, address, software }
      await server
        .serveRelayed(socket, user, rights)
        .catch((error: unknown) => log.warn({ err: error, server: id }, 'failed to open the files of a server'))
    } catch (cause) {
      const refusal = refusalFor(cause)
      if (!refusal) log.error({ err: cause }, 'failed to open an SFTP session of a panel')
      refuseUpgrade(socket, refusal ?? new Refusal('ErrUnknownError'))
    }
  }
}
