import { scopesOfPermissions } from '@innkeeper/contract/permissions'
import * as calls from '@innkeeper/contract/users'
import type { RegisterRoute } from '../access/route-context.ts'
import { versionOf } from '../access/versions.ts'
import type { EmailConfirmation } from './email-confirmation.ts'
import type { UserAdminService } from './user-admin.ts'
import { identityOf } from './users.ts'

export function userRoutes(serve: RegisterRoute, directory: UserAdminService, emails: EmailConfirmation): void {
  serve(calls.listUsers, ({ query }) => directory.list(query))
  serve(calls.createUser, ({ principal, body, audit }) => directory.create(principal, body, audit))
  serve(calls.getUser, async ({ params, preconditions }) => {
    const user = await directory.get(params.id)
    preconditions.setEtag(versionOf(identityOf(user)))
    return user
  })
  serve(calls.editUser, ({ principal, params, body, preconditions, audit }) =>
    directory.edit(principal, params.id, body, audit, preconditions.ifMatch),
  )
  serve(calls.deleteUser, ({ principal, params, audit }) => directory.remove(principal, params.id, audit))
  serve(calls.confirmUserEmail, ({ principal, params, audit }) =>
    emails.confirmAsAdministrator(principal, params.id, audit),
  )
  serve(calls.resetUserOtp, ({ principal, params, audit }) => directory.resetOtp(principal, params.id, audit))
  serve(calls.getUserPermissions, async ({ params, preconditions }) => {
    const permissions = await directory.permissions(params.id)
    preconditions.setEtag(versionOf(scopesOfPermissions(permissions)))
    return permissions
  })
  serve(calls.listUserServers, ({ params, query }) => directory.servers(params.id, query))
  serve(calls.putUserPermissions, ({ principal, params, body, preconditions, audit }) =>
    directory.setPermissions(principal, params.id, body, audit, preconditions.ifMatch),
  )
}
