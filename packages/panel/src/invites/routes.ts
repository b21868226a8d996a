import * as calls from '@innkeeper/contract/accounts/invites'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import type { InviteAcceptance } from './accept-invite.ts'
import type { InvitesService } from './invites.ts'

interface Deps {
  readonly invites: InvitesService
  readonly inviteAcceptance: InviteAcceptance
}

export function inviteRoutes(registerRoute: RegisterRoute, { invites, inviteAcceptance }: Deps): void {
  registerRoute(calls.checkInvite, ({ body, client }) => inviteAcceptance.check(body, client.address))
  registerRoute(calls.acceptInvite, async ({ body: { token, email, ...fields }, client, cookies, audit }) => {
    const account = { ...fields, language: acceptedLanguage(client.languages) }
    const loggedIn = await inviteAcceptance.accept({ token, email }, account, client, audit)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.acceptInviteAsSelf, ({ principal, body, client, audit }) =>
    inviteAcceptance.acceptAs(principal, body.token, client.address, audit),
  )
  registerRoute(calls.listInvites, ({ query }) => invites.list(query))
  registerRoute(calls.createInvite, ({ principal, body, audit }) => invites.create(principal, body.email, audit))
  registerRoute(calls.deleteInvite, ({ params, audit }) => invites.cancel(params.id, audit))
}
