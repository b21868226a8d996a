import * as calls from '@innkeeper/contract/oauth2'
import type { Serve, ServeForm } from '../access/serve.ts'
import type { ClientsService } from './clients.ts'
import type { GrantsService } from './grants.ts'

export function oauth2Routes(serve: Serve, serveForm: ServeForm, clients: ClientsService, grants: GrantsService): void {
  serve(calls.listAccountClients, ({ caller }) => clients.list(caller, undefined))
  serve(calls.createAccountClient, ({ caller, body }) => clients.create(caller, undefined, body))
  serve(calls.deleteAccountClient, ({ caller, params }) => clients.remove(caller, undefined, params.id))

  serve(calls.listServerClients, ({ caller, server }) => clients.list(caller, server))
  serve(calls.createServerClient, ({ caller, server, body }) => clients.create(caller, server, body))
  serve(calls.deleteServerClient, ({ caller, server, params }) => clients.remove(caller, server, params.clientId))

  serveForm(calls.token, (asked) => grants.grant(asked))
}
