import { scopesOfPermissions } from '@innkeeper/contract/permissions'
import * as calls from '@innkeeper/contract/users'
import { versionOf } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { EmailConfirmation } from './email-confirmation.ts'
import type { UserAdminService } from './user-admin.ts'
import { identityOf } from './users.ts'

export function userRoutes(registerRoute: RegisterRoute, directory: UserAdminService, emails: EmailConfirmation): void {
  registerRoute(calls.listUsers, ({ query }) => directory.list(query))
  registerRoute(calls.createUser, ({ principal, body, audit }) => directory.create(principal, body, audit))
  registerRoute(calls.getUser, async ({ params, preconditions }) => {
    const user = await directory.get(params.id)
    preconditions.setVersion(versionOf(identityOf(user)))
    return user
  })
  registerRoute(calls.editUser, ({ principal, params, body, preconditions, audit }) =>
    directory.edit(principal, params.id, body, audit, preconditions.expectedVersion),
  )
  registerRoute(calls.deleteUser, ({ principal, params, audit }) => directory.remove(principal, params.id, audit))
  registerRoute(calls.confirmUserEmail, ({ principal, params, audit }) =>
    emails.confirmAsAdministrator(principal, params.id, audit),
  )
  registerRoute(calls.resetUserOtp, ({ principal, params, audit }) => directory.resetOtp(principal, params.id, audit))
  registerRoute(calls.getUserPermissions, async ({ params, preconditions }) => {
    const permissions = await directory.permissions(params.id)
    preconditions.setVersion(versionOf(scopesOfPermissions(permissions)))
    return permissions
  })
  registerRoute(calls.listUserServers, ({ params, query }) => directory.servers(params.id, query))
  registerRoute(calls.putUserPermissions, ({ principal, params, body, preconditions, audit }) =>
    directory.setPermissions(principal, params.id, body, audit, preconditions.expectedVersion),
  )
}
