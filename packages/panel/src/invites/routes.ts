import * as calls from '@innkeeper/contract/invites'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Serve } from '../access/serve.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { atomically } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { scopesOf, userByEmail } from '../users/users.ts'
import type { InvitesService } from './invites.ts'

interface Needs {
  readonly db: Database
  readonly invites: InvitesService
  readonly sessions: Pick<SessionsService, 'open'>
}

export function inviteRoutes(serve: Serve, { db, invites, sessions }: Needs): void {
  serve(calls.checkInvite, ({ body, from }) => invites.check(body, from.address))
  serve(calls.acceptInvite, async ({ body: { token, email, ...who }, from, cookie }) => {
    const { id } = await invites.accept({ token, email }, who, from.address)
    const session = await sessions.open(id, from)
    cookie.keep(session)
    const scopes = await scopesOf(db, id)
    return scopes.length > 0 ? { session, scopes: [...scopes] } : { session }
  })
  serve(calls.listInvites, ({ query }) => invites.list(query))
  serve(calls.createInvite, async ({ caller, body, acting }) => {
    await invites.expectReady()
    return atomically(db, async (transaction) => {
      if (await userByEmail(transaction, body.email)) throw new Refusal('ErrDuplicateEmail', { field: 'email' })
      const { id } = await invites.invite(transaction, body.email, caller)
      await acting.done(transaction)
      return { id }
    })
  })
  serve(calls.deleteInvite, ({ params }) => invites.revoke(params.id))
}
