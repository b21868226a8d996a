import * as calls from '@innkeeper/contract/oauth2'
import type { Serve, ServeForm } from '../access/serve.ts'
import type { ClientsService } from './clients.ts'
import type { GrantsService } from './grants.ts'

export function oauth2Routes(serve: Serve, serveForm: ServeForm, clients: ClientsService, grants: GrantsService): void {
  serve(calls.listAccountClients, ({ caller }) => clients.list(caller, undefined))
  serve(calls.createAccountClient, ({ caller, body, from, acting }) =>
    clients.create(caller, undefined, body, from.address, acting),
  )
  serve(calls.deleteAccountClient, ({ caller, params, acting }) => clients.remove(caller, undefined, params.id, acting))

  serve(calls.listServerClients, ({ caller, server }) => clients.list(caller, server))
  serve(calls.createServerClient, ({ caller, server, body, from, acting }) =>
    clients.create(caller, server, body, from.address, acting),
  )
  serve(calls.deleteServerClient, ({ caller, server, params, acting }) =>
    clients.remove(caller, server, params.clientId, acting),
  )

  serveForm(calls.token, (asked) => grants.grant(asked))
}
