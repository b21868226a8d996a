import { limits } from '@innkeeper/contract/limits'
import * as calls from '@innkeeper/contract/servers'
import type { Serve } from '../access/serve.ts'
import type { ServerListService } from './server-list.ts'
import { permissionsOf, type ServersService } from './servers.ts'
import type { TagsService } from './tags.ts'
import type { UsageService } from './usage.ts'

interface Services {
  readonly servers: ServersService
  readonly list: ServerListService
  readonly tags: TagsService
  readonly usage: UsageService
}

export function serverRoutes(serve: Serve, { servers, list, tags, usage }: Services): void {
  serve(calls.listServers, ({ caller, query, from }) => list.list(caller, query, from))
  serve(calls.createServer, ({ caller, body, acting }) => servers.create(caller, body, acting), {
    bodyBytes: limits.definitionBytes,
  })
  serve(calls.getUsage, ({ caller, query }) => usage.of(caller, query.ids))
  serve(calls.getServer, async ({ caller, server, query, from }) => ({
    server: await servers.view(server, from),
    permissions: query.perms === undefined ? null : permissionsOf(caller, server),
  }))
  serve(calls.renameServer, ({ caller, server, params, acting }) => servers.rename(caller, server, params.name, acting))
  serve(calls.putServerTags, ({ server, body, acting }) => tags.put(server, body.tags, acting))
  serve(calls.changeServerTags, ({ server, body, acting }) => tags.change(server, body, acting))
  serve(calls.deleteServer, ({ caller, server, query, acting }) => servers.remove(caller, server, query, acting))
}
