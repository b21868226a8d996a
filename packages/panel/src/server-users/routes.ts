import * as calls from '@innkeeper/contract/accounts/server-users'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { ServerUsersService } from './server-users.ts'

export function serverUserRoutes(registerRoute: RegisterRoute, serverUsers: ServerUsersService): void {
  registerRoute(calls.listServerUsers, ({ principal, server, query }) =>
    serverUsers.list(principal, server, { withSelf: query.self !== undefined }),
  )
  registerRoute(calls.putServerUser, ({ principal, server, params, body, preconditions, audit }) =>
    serverUsers.setPermissions(principal, server, params.email, body, audit, preconditions.expectedVersion),
  )
  registerRoute(calls.createServerInvite, ({ principal, server, body, audit }) =>
    serverUsers.inviteByLink(principal, server, body, audit),
  )
  registerRoute(calls.deleteServerUser, ({ principal, server, params, audit }) =>
    serverUsers.remove(principal, server, params.email, audit),
  )
}
