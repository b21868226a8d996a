import { Email } from '@innkeeper/contract/names'
import * as calls from '@innkeeper/contract/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/sftp'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { SftpService } from './sftp.ts'

export function sftpRoutes(registerRoute: RegisterRoute, sftp: SftpService): void {
  registerRoute(calls.sftpLogin, async ({ nodeId, body, audit }) => {
    const { email, server } = parseSftpUser(body.user) ?? {}
    // The login form may contain a password in the wrong field: only a valid email address is recorded.
    audit.setSubject({ server, target: Email.safeParse(email).data, from: body.address })
    const isQuestion = body.with.method === 'key' && !body.with.isSigned
    if (isQuestion) audit.skip()
    const answer = await sftp.login(nodeId, body, audit)
    if (answer.is === 'codeNeeded') {
      audit.setActor({ id: answer.userId, username: answer.username })
      audit.skip()
      return { is: 'codeNeeded' as const }
    }
    audit.setActor({ id: answer.grant.userId, username: answer.username })
    return answer
  })
  registerRoute(calls.getSftpPermissions, async ({ nodeId, body }) => ({
    rights: await sftp.rights(nodeId, body.grants),
  }))
}
