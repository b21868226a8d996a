import * as calls from '@innkeeper/contract/accounts/users'
import { scopesOfPermissions } from '@innkeeper/contract/api/permissions'
import type { EmailConfirmation } from '../auth/email-confirmation.ts'
import { getIdentity } from '../database/users.ts'
import { getVersion } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { UserAdminService } from './user-admin.ts'
import type { UserPermissionsService } from './user-permissions.ts'
import type { UserQueries } from './user-queries.ts'

interface Services {
  readonly queries: UserQueries
  readonly admin: UserAdminService
  readonly permissions: UserPermissionsService
  readonly emails: EmailConfirmation
}

export function userRoutes(registerRoute: RegisterRoute, { queries, admin, permissions, emails }: Services): void {
  registerRoute(calls.listUsers, ({ query }) => queries.list(query))
  registerRoute(calls.createUser, ({ principal, body, audit }) => admin.create(principal, body, audit))
  registerRoute(calls.getUser, async ({ params, preconditions }) => {
    const user = await queries.get(params.id)
    preconditions.setVersion(getVersion(getIdentity(user)))
    return user
  })
  registerRoute(calls.editUser, ({ principal, params, body, preconditions, audit }) =>
    admin.edit(principal, params.id, body, audit, preconditions.expectedVersion),
  )
  registerRoute(calls.deleteUser, ({ principal, params, audit }) => admin.remove(principal, params.id, audit))
  registerRoute(calls.confirmUserEmail, ({ principal, params, audit }) =>
    emails.confirmAsAdministrator(principal, params.id, audit),
  )
  registerRoute(calls.resetUserOtp, ({ principal, params, audit }) => admin.resetOtp(principal, params.id, audit))
  registerRoute(calls.getUserPermissions, async ({ params, preconditions }) => {
    const current = await permissions.get(params.id)
    preconditions.setVersion(getVersion(scopesOfPermissions(current)))
    return current
  })
  registerRoute(calls.listUserServers, ({ params, query }) => queries.servers(params.id, query))
  registerRoute(calls.putUserPermissions, ({ principal, params, body, preconditions, audit }) =>
    permissions.replace(principal, params.id, body, audit, preconditions.expectedVersion),
  )
}
