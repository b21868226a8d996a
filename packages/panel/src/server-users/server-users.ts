import {
  type NewServerPermissions,
  permissionsAfterUpdate,
  type RequiredPermission,
  type ServerPermission,
  scopeOfPermission,
  serverPermissionNames,
} from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import type { ServerUser } from '@innkeeper/contract/server-users'
import { formatRights, parseRights, rightsOf } from '../access/access.ts'
import { type Acting, enact } from '../access/acting.ts'
import type { Allowed, Caller } from '../access/caller.ts'
import { expectCurrent, versionOf } from '../access/versions.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { upsert } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import type { InvitesService } from '../invites/invites.ts'
import type { MailService } from '../mail/mail.ts'
import { giverNow } from '../users/holdings.ts'
import { keyOf, rowOnServer, scopesOf, userByEmail } from '../users/users.ts'

interface Needs {
  readonly db: Database
  readonly invites: Pick<InvitesService, 'toServer' | 'onServer' | 'flagsOn' | 'revoke'>
  readonly mail: Pick<MailService, 'queue' | 'isReady'>
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
      throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.editServerUsers })
    }
    return rights
  }

  /** Refuses to change somebody who holds a permission on the server that the caller does not hold. */
  async function expectMayChange(
    transaction: Transaction,
    server: Manageable,
    own: ReadonlySet<RequiredPermission>,
    { user, email }: { readonly user: UserRow | undefined; readonly email: string },
  ): Promise<void> {
    const row = user && (await rowOnServer(transaction, server.id, user.id))
    const scopes = user ? await scopesOf(transaction, user.id) : []
    const held = row === undefined ? [] : [...rightsOf({ scopes, client: undefined }, server.id, row)]
    const invited = await invites.flagsOn(transaction, server.id, email)
    if ([...held, ...invited].some((right) => !own.has(right))) throw new Refusal('ErrNoPermission')
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
      const invited = await invites.onServer(server.id)
      const isInvited = (email: string) => invited.some((invite) => keyOf(invite.email) === keyOf(email))
      const hasAccess = (email: string) => rows.some((row) => keyOf(row.email) === keyOf(email))
      const people = rows
        .filter(({ id }) => withSelf || id !== caller.userId)
        .map(({ username, email, rights }) => ({
          ...recordOf(server.id, { username, email }, parseRights(rights)),
          version: versionOf(versioned(parseRights(rights), { hasAccess: true })),
          ...(isInvited(email) ? { isInvited: true } : {}),
        }))
      const coming = invited
        .filter(({ email }) => !hasAccess(email))
        .map(({ email, flags }) => ({
          ...recordOf(server.id, { username: '', email }, flags),
          isInvited: true,
          version: versionOf(versioned(flags, { hasAccess: false })),
        }))
      return [...people, ...coming]
    },

    /**
     * Gives these flags (`flagsAfter`), and the right to see the server with them. What is new must be held by the giver.
     * ErrStaleVersion when `seen` is not the version of the permissions now.
     */
    async permit(
      caller: Caller,
      server: Manageable,
      email: string,
      given: NewServerPermissions,
      acting: Acting,
      seen?: string,
    ): Promise<void> {
      await enact(acting, db, async (transaction) => {
        const own = await rightsNow(transaction, caller, server)
        const user = await userByEmail(transaction, email)
        await expectMayChange(transaction, server, own, { user, email })
        const row = user && (await rowOnServer(transaction, server.id, user.id))
        const held = row === undefined ? [] : parseRights(row)
        const invited = await invites.flagsOn(transaction, server.id, email)
        const hasAccess = row !== undefined
        expectCurrent(seen, versioned(hasAccess ? held : invited, { hasAccess }))
        const wanted = permissionsAfterUpdate(serverPermissionNames, [...held, ...invited], given)
        const isNew = (flag: ServerPermission) => !held.includes(flag)
        const missing = wanted.find((flag) => isNew(flag) && !own.has(flag))
        if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })

        const invite = () => invites.toServer(transaction, { server, email, flags: wanted, by: caller })
        if (!user) return invite()
        const mustConfirm = user.email_confirmed_at === null && (row === undefined || wanted.some(isNew))
        if (!mustConfirm) await invites.revoke(transaction, server.id, email)
        else {
          // Who has the address may not own it: what is new waits until the owner opens the link.
          if (!(await mail.isReady(transaction))) throw new Refusal('ErrEmailNotConfirmed')
          await invite()
          if (row === undefined) return
        }
        const rights = formatRights(mustConfirm ? wanted.filter((flag) => !isNew(flag)) : wanted)
        const kept = { server_id: server.id, user_id: user.id, rights }
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
        const own = await rightsNow(transaction, caller, server)
        const user = await userByEmail(transaction, email)
        await expectMayChange(transaction, server, own, { user, email })
        const wasInvited = await invites.revoke(transaction, server.id, email)
        if (!user) {
          if (wasInvited) return undefined
          throw new Refusal('ErrUserNotFound')
        }
        const { numDeletedRows } = await transaction
          .deleteFrom('server_users')
          .where('server_id', '=', server.id)
          .where('user_id', '=', user.id)
          .executeTakeFirst()
        if (numDeletedRows === 0n) {
          if (wasInvited) return undefined
          throw new Refusal('ErrUserNotFound')
        }
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

/** What the version of a user's permissions is made from. A removed user has another version than one without permissions. */
function versioned(flags: readonly ServerPermission[], { hasAccess }: { readonly hasAccess: boolean }) {
  return { hasAccess, flags: serverPermissionNames.filter((flag) => flags.includes(flag)) }
}

function recordOf(
  serverIdentifier: string,
  { username, email }: { readonly username: string; readonly email: string },
  flags: readonly ServerPermission[],
): ServerUser {
  const granted = Object.fromEntries(flags.map((flag) => [flag, true]))
  return { username, email, serverIdentifier, viewServers: true, ...granted }
}
