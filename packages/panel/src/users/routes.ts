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
  readonly userQueries: UserQueries
  readonly userAdmin: UserAdminService
  readonly userPermissions: UserPermissionsService
  readonly emailConfirmation: EmailConfirmation
}

export function userRoutes(
  registerRoute: RegisterRoute,
  { userQueries, userAdmin, userPermissions, emailConfirmation }: Services,
): void {
  registerRoute(calls.listUsers, ({ query }) => userQueries.list(query))
  registerRoute(calls.createUser, ({ principal, body, audit }) => userAdmin.create(principal, body, audit))
  registerRoute(calls.getUser, async ({ params, preconditions }) => {
    const user = await userQueries.get(params.id)
    preconditions.setVersion(getVersion(getIdentity(user)))
    return user
  })
  registerRoute(calls.editUser, ({ principal, params, body, preconditions, audit }) =>
    userAdmin.edit(principal, params.id, body, audit, preconditions.expectedVersion),
  )
  registerRoute(calls.deleteUser, ({ principal, params, audit }) => userAdmin.remove(principal, params.id, audit))
  registerRoute(calls.confirmUserEmail, ({ principal, params, audit }) =>
    emailConfirmation.confirmAsAdministrator(principal, params.id, audit),
  )
  registerRoute(calls.resetUserOtp, ({ principal, params, audit }) => userAdmin.resetOtp(principal, params.id, audit))
  registerRoute(calls.getUserPermissions, async ({ params, preconditions }) => {
    const current = await userPermissions.get(params.id)
    preconditions.setVersion(getVersion(scopesOfPermissions(current)))
    return current
  })
  registerRoute(calls.listUserServers, ({ params, query }) => userQueries.servers(params.id, query))
  registerRoute(calls.putUserPermissions, ({ principal, params, body, preconditions, audit }) =>
    userPermissions.replace(principal, params.id, body, audit, preconditions.expectedVersion),
  )
}
