import * as calls from '@innkeeper/contract/invites'
import { Refusal } from '@innkeeper/contract/refusals'
import { auditedTransaction } from '../access/audit-context.ts'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import type { AuthService } from '../auth/auth.ts'
import type { Database } from '../database/schema.ts'
import type { RegisterRoute } from '../routing/route-context.ts'
import { userByEmail } from '../users/users.ts'
import type { InvitesService } from './invites.ts'

interface Deps {
  readonly db: Database
  readonly invites: InvitesService
  readonly auth: Pick<AuthService, 'createSession'>
}

export function inviteRoutes(registerRoute: RegisterRoute, { db, invites, auth }: Deps): void {
  registerRoute(calls.checkInvite, ({ body, client }) => invites.check(body, client.address))
  registerRoute(calls.acceptInvite, async ({ body: { token, email, ...who }, client, cookies, audit }) => {
    const newcomer = { ...who, language: acceptedLanguage(client.languages) }
    const { id } = await invites.accept({ token, email }, newcomer, client.address, audit)
    const loggedIn = await auth.createSession(id, client)
    cookies.setSession(loggedIn.session)
    return loggedIn
  })
  registerRoute(calls.acceptInviteAsSelf, ({ principal, body, client, audit }) =>
    invites.acceptAs(principal, body.token, client.address, audit),
  )
  registerRoute(calls.listInvites, ({ query }) => invites.list(query))
  registerRoute(calls.createInvite, ({ principal, body, audit }) =>
    auditedTransaction(audit, db, async (transaction) => {
      const holder = await userByEmail(transaction, body.email)
      if (holder && holder.email_confirmed_at !== null) throw new Refusal('ErrDuplicateEmail', { field: 'email' })
      return invites.invite(transaction, body.email, principal)
    }),
  )
  registerRoute(calls.deleteInvite, ({ params, audit }) => invites.cancel(params.id, audit))
}
