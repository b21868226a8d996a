import * as calls from '@innkeeper/contract/accounts/roles'
import { getVersion } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { RolesService } from './roles.ts'
import type { UserRolesService } from './user-roles.ts'

interface Services {
  readonly roles: RolesService
  readonly userRoles: UserRolesService
}

export function roleRoutes(registerRoute: RegisterRoute, { roles, userRoles }: Services): void {
  registerRoute(calls.listRoles, () => roles.list())
  registerRoute(calls.createRole, ({ principal, body, audit }) => roles.create(principal, body, audit))
  registerRoute(calls.putRole, ({ principal, params, body, audit }) => roles.put(principal, params.id, body, audit))
  registerRoute(calls.deleteRole, ({ principal, params, audit }) => roles.remove(principal, params.id, audit))
  registerRoute(calls.getUserRoles, async ({ params, preconditions }) => {
    const current = await userRoles.get(params.id)
    preconditions.setVersion(getVersion(current.roles))
    return current
  })
  registerRoute(calls.putUserRoles, ({ principal, params, body, preconditions, audit }) =>
    userRoles.replace(principal, params.id, body, audit, preconditions.expectedVersion),
  )
}
