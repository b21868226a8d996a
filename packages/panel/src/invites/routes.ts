import * as calls from '@innkeeper/contract/invites'
import { Refusal } from '@innkeeper/contract/refusals'
import { enact } from '../access/acting.ts'
import type { Serve } from '../access/serve.ts'
import { acceptedLanguage } from '../auth/accepted-language.ts'
import type { AuthService } from '../auth/auth.ts'
import type { Database } from '../database/schema.ts'
import { userByEmail } from '../users/users.ts'
import type { InvitesService } from './invites.ts'

interface Needs {
  readonly db: Database
  readonly invites: InvitesService
  readonly auth: Pick<AuthService, 'openFor'>
}

export function inviteRoutes(serve: Serve, { db, invites, auth }: Needs): void {
  serve(calls.checkInvite, ({ body, from }) => invites.check(body, from.address))
  serve(calls.acceptInvite, async ({ body: { token, email, ...who }, from, cookie, acting }) => {
    const newcomer = { ...who, language: acceptedLanguage(from.languages) }
    const { id } = await invites.accept({ token, email }, newcomer, from.address, acting)
    const loggedIn = await auth.openFor(id, from)
    cookie.keep(loggedIn.session)
    return loggedIn
  })
  serve(calls.acceptInviteAsSelf, ({ caller, body, from, acting }) =>
    invites.acceptAs(caller, body.token, from.address, acting),
  )
  serve(calls.listInvites, ({ query }) => invites.list(query))
  serve(calls.createInvite, ({ caller, body, acting }) =>
    enact(acting, db, async (transaction) => {
      const holder = await userByEmail(transaction, body.email)
      if (holder && holder.email_confirmed_at !== null) throw new Refusal('ErrDuplicateEmail', { field: 'email' })
      return invites.invite(transaction, body.email, caller)
    }),
  )
  serve(calls.deleteInvite, ({ params, acting }) => invites.cancel(params.id, acting))
}
