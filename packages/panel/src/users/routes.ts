import { scopesOfPermissions } from '@innkeeper/contract/permissions'
import * as calls from '@innkeeper/contract/users'
import type { Serve } from '../access/serve.ts'
import { versionOf } from '../access/versions.ts'
import type { DirectoryService } from './directory.ts'
import type { EmailConfirmation } from './email-confirmation.ts'
import { identityOf } from './users.ts'

export function userRoutes(serve: Serve, directory: DirectoryService, emails: EmailConfirmation): void {
  serve(calls.listUsers, ({ query }) => directory.list(query))
  serve(calls.createUser, ({ caller, body, acting }) => directory.create(caller, body, acting))
  serve(calls.getUser, async ({ params, versions }) => {
    const user = await directory.get(params.id)
    versions.tell(versionOf(identityOf(user)))
    return user
  })
  serve(calls.editUser, ({ caller, params, body, versions, acting }) =>
    directory.edit(caller, params.id, body, acting, versions.seen),
  )
  serve(calls.deleteUser, ({ caller, params, acting }) => directory.remove(caller, params.id, acting))
  serve(calls.confirmUserEmail, ({ caller, params, acting }) => emails.vouch(caller, params.id, acting))
  serve(calls.resetUserOtp, ({ caller, params, acting }) => directory.resetOtp(caller, params.id, acting))
  serve(calls.getUserPermissions, async ({ params, versions }) => {
    const permissions = await directory.permissions(params.id)
    versions.tell(versionOf(scopesOfPermissions(permissions)))
    return permissions
  })
  serve(calls.listUserServers, ({ params, query }) => directory.servers(params.id, query))
  serve(calls.putUserPermissions, ({ caller, params, body, versions, acting }) =>
    directory.permit(caller, params.id, body, acting, versions.seen),
  )
}
