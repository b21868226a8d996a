import * as calls from '@innkeeper/contract/node-link/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/node-link/sftp'
import { Email } from '@innkeeper/contract/text/names'
import type { AuditContext } from '../access/audit-context.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { SftpService } from './sftp.ts'

export function sftpRoutes(registerRoute: RegisterRoute, sftp: SftpService): void {
  registerRoute(calls.sftpLogin, (request) => logIn(sftp, request))
  registerRoute(calls.getSftpPermissions, async ({ nodeId, body }) => ({
    rights: await sftp.readPermissions(nodeId, body.grants),
  }))
}

interface LoginRequest {
  readonly nodeId: number
  readonly body: calls.SftpLogin
  readonly audit: AuditContext
}

/** Authenticates a login to a server of a node. */
export async function logIn(sftp: SftpService, { nodeId, body, audit }: LoginRequest) {
  const { email, server } = parseSftpUser(body.user) ?? {}
  // The login form may contain a password in the wrong field: only a valid email address is recorded.
  audit.setSubject({ server, target: Email.safeParse(email).data, from: body.address })
  const isQuestion = body.with.method === 'key' && !body.with.isSigned
  if (isQuestion) audit.skip()
  const result = await sftp.login(nodeId, body, audit)
  if (result.is === 'codeNeeded') {
    audit.setActor({ id: result.userId, username: result.username })
    audit.skip()
    return { is: 'codeNeeded' as const }
  }
  const { grant, permissions, username } = result
  audit.setActor({ id: grant.userId, username })
  return { is: 'granted' as const, grant, rights: permissions, username }
}
