import { type NewServerPermissions, type ServerFlag, scopeOfRight, serverFlags } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerUser } from '@innkeeper/contract/server-users'
import { formatRights, parseRights, rightsOf } from '../access/access.ts'
import { type Acting, enact } from '../access/acting.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { upsert } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { InvitesService } from '../invites/invites.ts'
import type { MailService } from '../mail/mail.ts'
import { giverNow } from '../users/holdings.ts'
import { rowOnServer, userByEmail } from '../users/users.ts'

interface Needs {
  readonly db: Database
  readonly invites: Pick<InvitesService, 'toServer' | 'onServer' | 'revoke'>
  readonly mail: Pick<MailService, 'queue'>
  readonly sessions: Pick<SessionsService, 'forget'>
}

type Manageable = Allowed<'editServerUsers'>

export type ServerUsersService = ReturnType<typeof serverUsersService>

/** Who may use a server, and for what. */
export function serverUsersService({ db, invites, mail, sessions }: Needs) {
  /** What the caller may do on the server at this moment, past what was read when the request came. */
  async function rightsNow(transaction: Transaction, caller: Caller, server: Manageable) {
    const giver = await giverNow(transaction, caller)
    const rights = rightsOf(giver, server.id, (await rowOnServer(transaction, server.id, caller.userId)) ?? null)
    if (!rights.has('viewServer')) throw new Refusal('ErrServerNotFound')
    if (!rights.has('editServerUsers')) {
      throw new Refusal('ErrMissingScope', { scope: scopeOfRight.editServerUsers })
    }
    return rights
  }

  return {
    /** Everyone with access, by name, then who is invited; the caller only when asked for. */
    async list(caller: Caller, server: Manageable, { withSelf }: { withSelf: boolean }): Promise<ServerUser[]> {
      const rows = await db
        .selectFrom('server_users')
        .innerJoin('users', 'users.id', 'server_users.user_id')
        .select(['users.id', 'users.username', 'users.email', 'server_users.rights'])
        .where('server_users.server_id', '=', server.id)
        .orderBy('users.username_key')
        .execute()
      const people = rows
        .filter(({ id }) => withSelf || id !== caller.userId)
        .map(({ username, email, rights }) => recordOf(server.id, { username, email }, parseRights(rights)))
      const invited = await invites.onServer(server.id)
      const coming = invited.map(({ email, flags }) => ({
        ...recordOf(server.id, { username: '', email }, flags),
        isInvited: true,
      }))
      return [...people, ...coming]
    },

    /** Gives exactly these flags, and the right to see the server with them. What is new must be held by the giver. */
    async permit(
      caller: Caller,
      server: Manageable,
      email: string,
      given: NewServerPermissions,
      acting: Acting,
    ): Promise<void> {
      const wanted = serverFlags.filter((flag) => given[flag] === true)
      await enact(acting, db, async (transaction) => {
        const rights = await rightsNow(transaction, caller, server)
        const user = await userByEmail(transaction, email)
        const row = user && (await rowOnServer(transaction, server.id, user.id))
        const held = row === undefined ? [] : parseRights(row)
        const missing = wanted.find((flag) => !held.includes(flag) && !rights.has(flag))
        if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfRight[missing] })

        if (!user) return invites.toServer(transaction, { server, email, flags: wanted, by: caller })
        const kept = { server_id: server.id, user_id: user.id, rights: formatRights(wanted) }
        await upsert(transaction, 'server_users', ['server_id', 'user_id'], kept)
        if (row === undefined) {
          const facts = { server: server.name, serverId: server.id, by: caller.username }
          await mail.queue(transaction, 'addedToServer', { to: user.email, by: caller.userId }, facts)
        }
      })
    },

    /** Takes all access away, or takes the invitation back. */
    async remove(caller: Caller, server: Manageable, email: string, acting: Acting): Promise<void> {
      const removed = await enact(acting, db, async (transaction) => {
        await rightsNow(transaction, caller, server)
        const user = await userByEmail(transaction, email)
        if (!user) {
          if (await invites.revoke(transaction, server.id, email)) return undefined
          throw new Refusal('ErrUserNotFound')
        }
        const { numDeletedRows } = await transaction
          .deleteFrom('server_users')
          .where('server_id', '=', server.id)
          .where('user_id', '=', user.id)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw new Refusal('ErrUserNotFound')
        await transaction
          .deleteFrom('oauth2_clients')
          .where('server_id', '=', server.id)
          .where('user_id', '=', user.id)
          .execute()
        await mail.queue(
          transaction,
          'removedFromServer',
          { to: user.email, by: caller.userId },
          { server: server.name },
        )
        return user.id
      })
      if (removed !== undefined) sessions.forget(removed)
    },
  }
}

function recordOf(
  serverIdentifier: string,
  { username, email }: { readonly username: string; readonly email: string },
  flags: readonly ServerFlag[],
): ServerUser {
  const granted = Object.fromEntries(flags.map((flag) => [flag, true]))
  return { username, email, serverIdentifier, viewServers: true, ...granted }
}
