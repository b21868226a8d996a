import { Email } from '@innkeeper/contract/names'
import * as calls from '@innkeeper/contract/node-to-panel'
import { parseSftpUser } from '@innkeeper/contract/sftp'
import type { Serve } from '../access/serve.ts'
import type { SftpService } from './sftp.ts'

export function sftpRoutes(serve: Serve, sftp: SftpService): void {
  serve(calls.sftpLogin, async ({ nodeId, body, acting }) => {
    const { email, server } = parseSftpUser(body.user) ?? {}
    // What is typed at the door is an address, or a password in the wrong field.
    acting.about({ server, target: Email.safeParse(email).data, from: body.address })
    const isQuestion = body.with.method === 'key' && !body.with.isSigned
    if (isQuestion) acting.nothing()
    const answer = await sftp.login(nodeId, body, acting)
    if (answer.is === 'codeNeeded') {
      acting.by({ id: answer.userId, username: answer.username })
      acting.nothing()
      return { is: 'codeNeeded' as const }
    }
    acting.by({ id: answer.grant.userId, username: answer.username })
    return answer
  })
  serve(calls.getSftpPermissions, async ({ nodeId, body }) => ({ rights: await sftp.rights(nodeId, body.grants) }))
}
