import { limits } from '@innkeeper/contract/limits'
import * as calls from '@innkeeper/contract/servers'
import type { Serve } from '../access/serve.ts'
import { permissionsOf, type ServersService } from './servers.ts'
import type { UsageService } from './usage.ts'

export function serverRoutes(serve: Serve, servers: ServersService, usage: UsageService): void {
  serve(calls.listServers, ({ caller, query, from }) => servers.list(caller, query, from))
  serve(calls.createServer, ({ caller, body, acting }) => servers.create(caller, body, acting), {
    bodyBytes: limits.definitionBytes,
  })
  serve(calls.getUsage, ({ caller, query }) => usage.of(caller, query.ids))
  serve(calls.getServer, async ({ caller, server, query, from }) => ({
    server: await servers.view(server, from),
    permissions: query.perms === undefined ? null : permissionsOf(caller, server),
  }))
  serve(calls.renameServer, ({ caller, server, params, acting }) => servers.rename(caller, server, params.name, acting))
  serve(calls.deleteServer, ({ caller, server, query, acting }) => servers.remove(caller, server, query, acting))
}
