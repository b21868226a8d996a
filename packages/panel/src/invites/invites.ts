import { randomUUID } from 'node:crypto'
import type { Invite } from '@innkeeper/contract/accounts/invites'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { parsePermissions } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { pendingInvite } from '../auth/email-confirmation.ts'
import { affectsRows, countRows, lock, upsert } from '../database/rows.ts'
import type { Database, InviteRow, Transaction } from '../database/schema.ts'
import { lowerCaseKey, userByEmail } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { hashToken, newToken } from '../security/secrets.ts'

export const inviteLifetimeMs = 7 * 24 * 60 * 60 * 1000
/** Pending links of one user: each can become an account. */
const maxLinksPerUser = 50

/** A link that the inviting user hands over. */
export interface LinkInvite {
  /** Path and query; the token is not stored. */
  readonly path: string
  /** ISO 8601. */
  readonly expiresAt: string
}

interface Deps {
  readonly db: Database
  readonly mail: Pick<MailService, 'requireConfigured' | 'queue'>
  readonly now: () => number
}

/** The user who invites. */
export interface Inviter {
  readonly userId: number
  readonly username: string
}

export type InvitesService = ReturnType<typeof invitesService>

/**
 * Invites by mail. The account is created when the invite is accepted. The invite stores only a hash of the token; the
 * token itself is in the queued mail until that is sent.
 */
export function invitesService({ db, mail, now }: Deps) {
  /**
   * Invites an address without account, and returns the ID of the invite. A pending invite gets a new link and keeps
   * its servers. The mail names `server`.
   * @throws Refusal when no mail can be sent
   */
  async function send(
    transaction: Transaction,
    email: string,
    by: Inviter,
    server?: { readonly name: string },
  ): Promise<string> {
    await mail.requireConfigured(transaction)
    const [at, token] = [now(), newToken()]
    const before = await lockPendingInvite(transaction, email, at)
    const id = await writeInvite(transaction, before, { email, token, by, isLink: false, at })
    const until = new Date(at + inviteLifetimeMs).toISOString()
    const facts = { email, token, until, by: by.username, ...(server ? { server: server.name } : {}) }
    if (!(await mail.queue(transaction, 'invite', { to: email, by: by.userId }, facts))) {
      throw new Refusal('ErrTooManyRequests')
    }
    return id
  }

  /**
   * Creates a link for an address without account. A previous link of the same user gets a new token and keeps its
   * servers; what others gave the address must not be reached with this one.
   */
  async function createLink(
    transaction: Transaction,
    email: string,
    by: Inviter,
  ): Promise<LinkInvite & { readonly id: string }> {
    const [at, token] = [now(), newToken()]
    const before = await lockPendingInvite(transaction, email, at)
    if (before && !(await isOwnLink(transaction, before, by))) throw new Refusal('ErrInvitePending')
    if (!before) await requireFewLinks(transaction, by)
    const id = await writeInvite(transaction, before, { email, token, by, isLink: true, at })
    return {
      id,
      path: `/auth/invite?${new URLSearchParams({ token, email })}`,
      expiresAt: new Date(at + inviteLifetimeMs).toISOString(),
    }
  }

  return {
    send,
    createLink,

    /** Invites an address without account. */
    async create(by: Inviter, email: string, audit: AuditContext): Promise<{ id: string }> {
      return auditedTransaction(audit, db, async (transaction) => {
        const owner = await userByEmail(transaction, email)
        if (owner && owner.email_confirmed_at !== null) throw new Refusal('ErrDuplicateEmail', { field: 'email' })
        return { id: await send(transaction, email, by) }
      })
    },

    list: (query: PageQuery) => listInvites(db, query, now()),

    /** Deletes an invite. */
    async cancel(id: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('invites').where('id', '=', id)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },
  }
}

/** The pending invite of an address. Locked, because two concurrent invites of one address become one. */
async function lockPendingInvite(transaction: Transaction, email: string, now: number): Promise<InviteRow | undefined> {
  await lock(transaction, 'invites')
  await transaction.deleteFrom('invites').where('expires_at', '<=', now).execute()
  return await pendingInvite(transaction, email, now)
}

interface NewInvite {
  readonly email: string
  readonly token: string
  readonly by: Inviter
  readonly isLink: boolean
  readonly at: number
}

/** Creates an invite, or renews the pending one, and returns its ID. */
async function writeInvite(
  transaction: Transaction,
  before: InviteRow | undefined,
  { email, token, by, isLink, at }: NewInvite,
): Promise<string> {
  const id = before?.id ?? randomUUID()
  await upsert(transaction, 'invites', ['id'], {
    id,
    email,
    email_key: lowerCaseKey(email),
    token: hashToken(token),
    invited_by: by.userId,
    is_link: isLink ? 1 : 0,
    created_at: before?.created_at ?? at,
    expires_at: at + inviteLifetimeMs,
  })
  return id
}

/** A page of pending invites, newest first. */
async function listInvites(
  db: Database,
  query: PageQuery,
  now: number,
): Promise<{ invites: Invite[]; paging: Paging }> {
  const live = db.selectFrom('invites').where('invites.expires_at', '>', now)
  const total = await countRows(live)
  const rows = await live
    .leftJoin('users', 'users.id', 'invites.invited_by')
    .selectAll('invites')
    .select('users.username')
    .orderBy('invites.created_at', 'desc')
    .orderBy('invites.id')
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .execute()
  const granted = await serversOfInvites(
    db,
    rows.map(({ id }) => id),
  )
  const invites = rows.map((row) => ({
    id: row.id,
    email: row.email,
    ...(row.username === null ? {} : { invitedBy: row.username }),
    servers: (granted.get(row.id) ?? []).map(({ id, name, rights: permissions }) => ({
      id,
      name,
      flags: [...parsePermissions(permissions)],
    })),
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  }))
  return { invites, paging: getPaging(query, total) }
}

async function isOwnLink(transaction: Transaction, { id, is_link, invited_by }: InviteRow, by: Inviter) {
  const other = await transaction
    .selectFrom('invite_servers')
    .select('server_id')
    .where('invite_id', '=', id)
    .where('invited_by', '!=', by.userId)
    .executeTakeFirst()
  return is_link === 1 && invited_by === by.userId && other === undefined
}

async function requireFewLinks(transaction: Transaction, by: Inviter): Promise<void> {
  const total = await countRows(
    transaction.selectFrom('invites').where('invited_by', '=', by.userId).where('is_link', '=', 1),
  )
  if (total >= maxLinksPerUser) throw new Refusal('ErrTooMany', { max: maxLinksPerUser })
}

/** The servers of invites with the permissions there, by invite. */
export async function serversOfInvites(db: Database, invites: readonly string[]) {
  const rows =
    invites.length === 0
      ? []
      : await db
          .selectFrom('invite_servers')
          .innerJoin('servers', 'servers.id', 'invite_servers.server_id')
          .select(['invite_servers.invite_id', 'invite_servers.rights', 'servers.id', 'servers.name'])
          .where('invite_servers.invite_id', 'in', invites)
          .orderBy('servers.name')
          .execute()
  return Map.groupBy(rows, (row) => row.invite_id)
}
