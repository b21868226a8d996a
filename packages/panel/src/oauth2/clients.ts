import { randomUUID } from 'node:crypto'
import type { ClientCredentials, OAuth2Client } from '@innkeeper/contract/accounts/oauth2'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer, OAuthClientPrincipal, Principal, UserPrincipal } from '../access/principal.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { PrincipalCache } from '../auth/principal-cache.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import { equalsOrIsNull } from '../database/expressions.ts'
import { affectsRows, countRows, runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { scopesOfAll } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { hashToken, newToken, timingSafeEqual } from '../security/secrets.ts'

/** OAuth2 clients per user and account or server. */
export const maxClients = 50
export const accessTokenLifetimeMs = 3_600_000

interface Deps {
  readonly db: Database
  readonly cache: PrincipalCache
  readonly mail: Pick<MailService, 'queue'>
  readonly passwords: Pick<Passwords, 'matches' | 'needsRehash'>
  readonly reauthentication: Pick<Reauthentication, 'requireRecentLogin'>
  readonly now: () => number
}

/** The server of a client; undefined for a client of the account. */
type ClientFilter = Pick<AuthorizedServer<'viewServer'>, 'id' | 'name'> | undefined

/** Input for a new client; the password is required when the login is not recent. */
export interface NewClient {
  readonly name: string
  readonly description: string
  readonly password?: string | undefined
}

/** Tokens of sessions contain no dot, so they never have this prefix. */
const tokenPrefix = 'client.'
/** Limits the stored tokens of a client that requests one for each API call. */
const tokensPerClient = 100

/** Whether a token is one of an OAuth2 client, and not of a session. */
export const isOAuthToken = (token: string): boolean => token.startsWith(tokenPrefix)

export type ClientsService = ReturnType<typeof clientsService>

/**
 * OAuth2 clients act on behalf of a user, with the user's current permissions. Secrets and tokens are random, and only
 * their hashes are stored.
 */
export function clientsService({ db, cache, mail, passwords, reauthentication, now }: Deps) {
  return {
    async list(principal: UserPrincipal, on: ClientFilter): Promise<OAuth2Client[]> {
      const rows = await ownClients(db, principal.userId, on)
        .select(['id', 'name', 'description'])
        .orderBy('created_at')
        .orderBy('id')
        .execute()
      return rows.map(({ id, name, description }) => ({ client_id: id, name, description }))
    },

    /** Creates a client and returns the only copy of the secret. */
    async create(
      principal: UserPrincipal,
      on: ClientFilter,
      { name, description, password }: NewClient,
      address: string,
      audit: AuditContext,
    ): Promise<ClientCredentials> {
      const recentLogin = await reauthentication.requireRecentLogin(principal, password, address)
      const [id, secret] = [randomUUID(), newToken()]
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        const count = await countRows(ownClients(transaction, principal.userId, on))
        if (count >= maxClients) throw new Refusal('ErrTooMany', { max: maxClients })
        const row = { id, user_id: principal.userId, server_id: on?.id ?? null, name, description }
        await transaction
          .insertInto('oauth2_clients')
          .values({ ...row, secret: hashToken(secret), created_at: now() })
          .execute()
        await mail.queue(transaction, 'oauthCreated', addressed(principal), getFacts(name || id, on))
        audit.setSubject({ target: name || id })
      })
      return { id, secret }
    },

    /** Deletes the client and its tokens. Clients of other users or servers are not found. */
    async remove(principal: UserPrincipal, on: ClientFilter, id: string, audit: AuditContext): Promise<void> {
      const client = await ownClients(db, principal.userId, on).select('name').where('id', '=', id).executeTakeFirst()
      if (!client) throw new Refusal('ErrClientNotFound')
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('oauth2_clients').where('id', '=', id)
        // A concurrent request has deleted it and sent the mail.
        if (!(await affectsRows(deletion))) throw new Refusal('ErrClientNotFound')
        audit.setSubject({ target: client.name || id })
        await mail.queue(transaction, 'oauthDeleted', addressed(principal), getFacts(client.name || id, on))
      })
      cache.invalidate(principal.userId)
    },

    /** Issues a token for one hour; `undefined` when ID or secret is wrong. */
    async issueToken(id: string, secret: string): Promise<string | undefined> {
      const client = await db.selectFrom('oauth2_clients').select('secret').where('id', '=', id).executeTakeFirst()
      if (client && passwords.needsRehash(client.secret)) {
        if (!(await passwords.matches(secret, client.secret))) return undefined
        await rehashSecret(db, id, client.secret, secret)
      } else if (!timingSafeEqual(hashToken(secret), client?.secret ?? hashToken(newToken())) || !client) {
        return undefined
      }
      const [token, at] = [tokenPrefix + newToken(), now()]
      await runTransaction(db, (transaction) => addToken(transaction, { id, token, at }))
      return token
    },

    async resolve(token: string): Promise<Principal | undefined> {
      const id = hashToken(token)
      return cache.get(id, async () => (await readTokens(db, [id], now()))[0])
    },

    /** Resolves token IDs without cache; invalid ones are omitted. */
    resolveUncached: (ids: readonly string[]): Promise<OAuthClientPrincipal[]> => readTokens(db, ids, now()),
  }
}

const addressed = ({ email, userId }: UserPrincipal) => ({ to: email, by: userId })

const getFacts = (client: string, on: ClientFilter) => ({ client, ...(on ? { server: on.name } : {}) })

function ownClients(db: Database, userId: number, on: ClientFilter) {
  return db.selectFrom('oauth2_clients').where('user_id', '=', userId).where(equalsOrIsNull('server_id', on?.id))
}

/** The principals of the valid tokens. */
async function readTokens(db: Database, ids: readonly string[], now: number): Promise<OAuthClientPrincipal[]> {
  const rows = await db
    .selectFrom('oauth2_tokens')
    .innerJoin('oauth2_clients', 'oauth2_clients.id', 'oauth2_tokens.client_id')
    .innerJoin('users', 'users.id', 'oauth2_clients.user_id')
    .select(['users.id as userId', 'users.username', 'users.email', 'users.email_confirmed_at'])
    .select(['oauth2_tokens.id', 'oauth2_clients.id as clientId', 'oauth2_clients.server_id as server'])
    .where('oauth2_tokens.id', 'in', ids)
    .where('oauth2_tokens.expires_at', '>', now)
    .execute()
  const getScopes = await scopesOfAll(
    db,
    rows.map(({ userId }) => userId),
  )
  return rows.map(({ id, userId, username, email, email_confirmed_at, clientId, server }) => {
    const isEmailConfirmed = email_confirmed_at !== null
    const userScopes = getScopes(userId)
    const scopes = server === null ? userScopes : []
    const client = { id: clientId, ...(server === null ? {} : { restrictedTo: { server, scopes: userScopes } }) }
    return { userId, username, email, isEmailConfirmed, sessionId: id, scopes, isAdmin: isAdmin(scopes), client }
  })
}

/** Replaces an imported bcrypt hash by our own, while the secret is available. */
async function rehashSecret(db: Database, id: string, imported: string, secret: string): Promise<void> {
  const row = { secret: hashToken(secret) }
  await db.updateTable('oauth2_clients').set(row).where('id', '=', id).where('secret', '=', imported).execute()
}

/** Adds a token of a client, and deletes expired tokens and those over its limit. */
async function addToken(
  transaction: Transaction,
  { id, token, at }: { readonly id: string; readonly token: string; readonly at: number },
): Promise<void> {
  await transaction.deleteFrom('oauth2_tokens').where('expires_at', '<=', at).execute()
  const oldest = await transaction
    .selectFrom('oauth2_tokens')
    .select('id')
    .where('client_id', '=', id)
    .orderBy('expires_at', 'desc')
    .limit(tokensPerClient)
    .offset(tokensPerClient - 1)
    .execute()
  const ids = oldest.map((row) => row.id)
  if (ids.length > 0) await transaction.deleteFrom('oauth2_tokens').where('id', 'in', ids).execute()
  const row = { id: hashToken(token), client_id: id, expires_at: at + accessTokenLifetimeMs }
  await transaction.insertInto('oauth2_tokens').values(row).execute()
}
