import type { Duplex } from 'node:stream'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type SftpGrant, type SftpLogin, sftpLogin } from '@innkeeper/contract/node-link/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/node-link/sftp'
import { localNodeId } from '@innkeeper/contract/nodes/nodes'
import type { AuditRecorder } from '../activity/audit-recorder.ts'
import type { Database } from '../database/schema.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { logIn } from './routes.ts'
import type { SftpService } from './sftp.ts'

interface Deps {
  readonly db: Database
  readonly sftp: SftpService
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly auditRecorder: AuditRecorder
}

/** A user who has logged in to the SFTP port of this panel. */
export interface RelayedUser {
  readonly grant: SftpGrant
  readonly username: string
  /** IP address. */
  readonly address: string
  /** The SSH client. */
  readonly software: string
}

export type SftpRelay = ReturnType<typeof sftpRelay>

/** The SFTP port of this panel, for servers of all nodes. */
export function sftpRelay({ db, sftp, nodes, auditRecorder }: Deps) {
  async function findNode(server: string): Promise<number | undefined> {
    const row = await db.selectFrom('servers').select('node_id').where('id', '=', server).executeTakeFirst()
    return row?.node_id
  }

  return {
    /** Authenticates a login as the node of the server would. */
    async login(login: SftpLogin): Promise<ResponseOf<typeof sftpLogin>> {
      const server = parseSftpUser(login.user)?.server
      // A server that does not exist is not told apart from a wrong password.
      const nodeId = (server === undefined ? undefined : await findNode(server)) ?? localNodeId
      const entry = auditRecorder(sftpLogin, { principal: undefined, from: login.address, body: login })
      if (!entry) throw new Error('Logins are audited.')
      try {
        const result = await logIn(sftp, { nodeId, body: login, audit: entry })
        await entry.succeeded()
        return result
      } catch (error) {
        await entry.failed(error)
        throw error
      }
    },

    /** Opens a session on the node of the server. From then on the node asks for the permissions. */
    async open({ grant, username, address, software }: RelayedUser): Promise<Duplex> {
      const nodeId = await findNode(grant.server)
      if (nodeId === undefined) throw new Refusal('ErrNotFound')
      const [permissions] = await sftp.readPermissions(nodeId, [grant])
      if (!permissions) throw new Refusal('ErrInvalidCredentials')
      const client = await nodes.clientFor(nodeId)
      const onBehalfOf = { userId: grant.userId, username, permissions }
      return await client.openSftp(onBehalfOf, grant.server, { stamp: grant.stamp, address, software })
    },
  }
}
