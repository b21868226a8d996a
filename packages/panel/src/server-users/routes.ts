import * as calls from '@innkeeper/contract/server-users'
import type { Serve } from '../access/serve.ts'
import type { ServerUsersService } from './server-users.ts'

export function serverUserRoutes(serve: Serve, serverUsers: ServerUsersService): void {
  serve(calls.listServerUsers, ({ caller, server, query }) =>
    serverUsers.list(caller, server, { withSelf: query.self !== undefined }),
  )
  serve(calls.putServerUser, ({ caller, server, params, body, versions, acting }) =>
    serverUsers.permit(caller, server, params.email, body, acting, versions.seen),
  )
  serve(calls.deleteServerUser, ({ caller, server, params, acting }) =>
    serverUsers.remove(caller, server, params.email, acting),
  )
}
