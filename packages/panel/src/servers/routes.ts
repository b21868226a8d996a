import * as unregisteredCalls from '@innkeeper/contract/nodes/unregistered-servers'
import * as extraPortCalls from '@innkeeper/contract/servers/extra-ports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import * as calls from '@innkeeper/contract/servers/servers'
import { endSuspension, suspendServer } from '@innkeeper/contract/servers/suspension'
import { limits } from '@innkeeper/contract/text/limits'
import { getVersion } from '../database/versions.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { ExtraPortsService } from './extra-ports.ts'
import type { ServerListService } from './server-list.ts'
import { getEditablePart } from './server-version.ts'
import { getPermissions, type ServersService } from './servers.ts'
import type { SuspensionsService } from './suspensions.ts'
import type { TagsService } from './tags.ts'
import type { UnregisteredServersService } from './unregistered-servers.ts'
import type { UsageService } from './usage.ts'

interface Services {
  readonly servers: ServersService
  readonly serverList: ServerListService
  readonly suspensions: SuspensionsService
  readonly extraPorts: ExtraPortsService
  readonly tags: TagsService
  readonly usage: UsageService
  readonly unregisteredServers: UnregisteredServersService
}

export function serverRoutes(
  registerRoute: RegisterRoute,
  { servers, serverList, suspensions, extraPorts, tags, usage, unregisteredServers }: Services,
): void {
  registerRoute(calls.listServers, ({ principal, query, client }) => serverList.list(principal, query, client))
  registerRoute(createServer, ({ principal, body, audit }) => servers.create(principal, body, audit), {
    bodyBytes: limits.definitionBytes,
  })
  registerRoute(calls.getUsage, ({ principal, query }) => usage.of(principal, query.ids))
  registerRoute(calls.getServer, async ({ principal, server, query, client, preconditions }) => {
    const view = await servers.view(server, client)
    preconditions.setVersion(getVersion(getEditablePart(view)))
    return { server: view, permissions: query.perms === undefined ? null : getPermissions(principal, server) }
  })
  registerRoute(calls.renameServer, ({ principal, server, params: { name }, audit, preconditions }) =>
    servers.rename(principal, server, { name, expectedVersion: preconditions.expectedVersion }, audit),
  )
  registerRoute(calls.putServerTags, ({ server, body, audit, preconditions: { expectedVersion } }) =>
    tags.put(server, body.tags, { audit, expectedVersion }),
  )
  registerRoute(calls.changeServerTags, ({ server, body, audit }) => tags.change(server, body, audit))
  registerRoute(suspendServer, ({ params, body, audit }) => suspensions.suspend(params.id, body, audit))
  registerRoute(endSuspension, ({ params, audit }) => suspensions.end(params.id, audit))
  registerRoute(extraPortCalls.listExtraPorts, ({ server, client }) => extraPorts.list(server, client))
  registerRoute(extraPortCalls.takeExtraPort, ({ server, client: from, body, audit }) =>
    extraPorts.take({ server, from, audit }, body),
  )
  registerRoute(extraPortCalls.editExtraPort, ({ server, client: from, params: { name }, body, audit }) =>
    extraPorts.edit({ server, from, audit }, name, body),
  )
  registerRoute(extraPortCalls.releaseExtraPort, ({ server, params: { name }, audit }) =>
    extraPorts.release({ server, audit }, name),
  )
  registerRoute(extraPortCalls.putExtraPortLimit, ({ params: { id }, body, audit }) =>
    extraPorts.putLimit(id, body.limit, audit),
  )
  registerRoute(calls.deleteServer, ({ principal, server, query, audit }) =>
    servers.remove(principal, server, query, audit),
  )
  registerRoute(unregisteredCalls.listUnregisteredServers, ({ params }) => unregisteredServers.list(params.id))
  registerRoute(unregisteredCalls.registerServer, ({ params, audit }) =>
    unregisteredServers.register(params.id, params.server, audit),
  )
  registerRoute(unregisteredCalls.stopUnregisteredServer, ({ params, audit }) =>
    unregisteredServers.stop(params.id, params.server, audit),
  )
}
