import * as calls from '@innkeeper/contract/accounts/oauth2'
import type { RegisterFormRoute, RegisterRoute } from '../routing/route-context.ts'
import type { ClientsService } from './clients.ts'
import type { GrantsService } from './grants.ts'

export function oauth2Routes(
  registerRoute: RegisterRoute,
  registerFormRoute: RegisterFormRoute,
  clients: ClientsService,
  grants: GrantsService,
): void {
  registerRoute(calls.listAccountClients, ({ principal }) => clients.list(principal, undefined))
  registerRoute(calls.createAccountClient, ({ principal, body, client, audit }) =>
    clients.create(principal, undefined, body, client.address, audit),
  )
  registerRoute(calls.putAccountClient, ({ principal, params, body, audit }) =>
    clients.put(principal, undefined, params.id, body, audit),
  )
  registerRoute(calls.deleteAccountClient, ({ principal, params, audit }) =>
    clients.remove(principal, undefined, params.id, audit),
  )

  registerRoute(calls.listServerClients, ({ principal, server }) => clients.list(principal, server))
  registerRoute(calls.createServerClient, ({ principal, server, body, client, audit }) =>
    clients.create(principal, server, body, client.address, audit),
  )
  registerRoute(calls.putServerClient, ({ principal, server, params, body, audit }) =>
    clients.put(principal, server, params.clientId, body, audit),
  )
  registerRoute(calls.deleteServerClient, ({ principal, server, params, audit }) =>
    clients.remove(principal, server, params.clientId, audit),
  )

  registerFormRoute(calls.token, (request) => grants.grant(request))
}
