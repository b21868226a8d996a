import * as calls from '@innkeeper/contract/oauth2'
import type { RegisterFormRoute, RegisterRoute } from '../access/route-context.ts'
import type { ClientsService } from './clients.ts'
import type { GrantsService } from './grants.ts'

export function oauth2Routes(
  serve: RegisterRoute,
  serveForm: RegisterFormRoute,
  clients: ClientsService,
  grants: GrantsService,
): void {
  serve(calls.listAccountClients, ({ principal }) => clients.list(principal, undefined))
  serve(calls.createAccountClient, ({ principal, body, client, audit }) =>
    clients.create(principal, undefined, body, client.address, audit),
  )
  serve(calls.deleteAccountClient, ({ principal, params, audit }) =>
    clients.remove(principal, undefined, params.id, audit),
  )

  serve(calls.listServerClients, ({ principal, server }) => clients.list(principal, server))
  serve(calls.createServerClient, ({ principal, server, body, client, audit }) =>
    clients.create(principal, server, body, client.address, audit),
  )
  serve(calls.deleteServerClient, ({ principal, server, params, audit }) =>
    clients.remove(principal, server, params.clientId, audit),
  )

  serveForm(calls.token, (asked) => grants.grant(asked))
}
