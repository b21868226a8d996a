import { randomUUID } from 'node:crypto'
import type { ClientCredentials, ClientLimits, OAuth2Client } from '@innkeeper/contract/accounts/oauth2'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { isInNetworks } from '@innkeeper/contract/http/in-networks'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { scopesOfClient } from '../access/client-limits.ts'
import type { AuthorizedServer, OAuthClientPrincipal, Principal, UserPrincipal } from '../access/principal.ts'
import type { Passwords } from '../auth/passwords.ts'
import type { PrincipalCache } from '../auth/principal-cache.ts'
import type { Reauthentication } from '../auth/reauthentication.ts'
import { equalsOrIsNull } from '../database/expressions.ts'
import { affectsRows, countRows, runTransaction } from '../database/rows.ts'
import type { Database, StoredClient, Transaction } from '../database/schema.ts'
import { grantsOfAll } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { hashToken, newToken, timingSafeEqual } from '../security/secrets.ts'
import { storedLimits, validLimits } from './client-limits.ts'
import type { ClientNetworks } from './client-networks.ts'

/** OAuth2 clients per user and account or server. */
export const maxClients = 50
export const accessTokenLifetimeMs = 3_600_000

interface Deps {
  readonly db: Database
  readonly cache: PrincipalCache
  readonly mail: Pick<MailService, 'queue'>
  readonly passwords: Pick<Passwords, 'matches' | 'needsRehash'>
  readonly reauthentication: Pick<Reauthentication, 'requireRecentLogin'>
  readonly networks: Pick<ClientNetworks, 'use'>
  readonly now: () => number
}

/** The server of a client; undefined for a client of the account. */
type ClientFilter = Pick<AuthorizedServer<'viewServer'>, 'id' | 'name'> | undefined

/** Input for a new client; the password is required when the login is not recent. */
export interface NewClient {
  readonly name: string
  readonly description: string
  readonly limits?: ClientLimits | undefined
  /** ISO 8601. */
  readonly until?: string | undefined
  readonly password?: string | undefined
}

/** All that can be changed of a client. */
export interface ClientChange extends Omit<NewClient, 'password'> {
  readonly isPaused: boolean
}

/** The ID of a token, and the address that uses it. */
export interface ClientToken {
  readonly id: string
  readonly address: string
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
export function clientsService({ db, cache, mail, passwords, reauthentication, networks, now }: Deps) {
  return {
    async list(principal: UserPrincipal, on: ClientFilter): Promise<OAuth2Client[]> {
      const rows = await ownClients(db, principal.userId, on).selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(getView)
    },

    /** Creates a client and returns the only copy of the secret. */
    async create(
      principal: UserPrincipal,
      on: ClientFilter,
      { name, description, limits, until, password }: NewClient,
      address: string,
      audit: AuditContext,
    ): Promise<ClientCredentials> {
      const recentLogin = await reauthentication.requireRecentLogin(principal, password, address)
      const [id, secret] = [randomUUID(), newToken()]
      const limited = { limits: validLimits(limits, on), expires_at: getEnd(until, now()) }
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        const count = await countRows(ownClients(transaction, principal.userId, on))
        if (count >= maxClients) throw new Refusal('ErrTooMany', { max: maxClients })
        const row = { id, user_id: principal.userId, server_id: on?.id ?? null, name, description, ...limited }
        await transaction
          .insertInto('oauth2_clients')
          .values({ ...row, secret: hashToken(secret), created_at: now() })
          .execute()
        await mail.queue(transaction, 'oauthCreated', addressed(principal), getFacts(name || id, on))
        audit.setSubject({ target: name || id })
      })
      return { id, secret }
    },

    /** Replaces name, limits, end and pause. Clients of other users or servers are not found. */
    async put(
      principal: UserPrincipal,
      on: ClientFilter,
      id: string,
      { name, description, limits, until, isPaused }: ClientChange,
      audit: AuditContext,
    ): Promise<void> {
      const limited = { limits: validLimits(limits, on), is_paused: isPaused ? 1 : 0 }
      await auditedTransaction(audit, db, async (transaction) => {
        const before = await ownClients(transaction, principal.userId, on)
          .select('expires_at')
          .where('id', '=', id)
          .executeTakeFirst()
        if (!before) throw new Refusal('ErrClientNotFound')
        // A client that has ended can be changed and paused without a new end.
        const isSameEnd = until !== undefined && Date.parse(until) === before.expires_at
        const expires_at = isSameEnd ? before.expires_at : getEnd(until, now())
        const row = { name, description, ...limited, expires_at }
        await transaction.updateTable('oauth2_clients').set(row).where('id', '=', id).execute()
        audit.setSubject({ target: name || id })
      })
      cache.invalidate(principal.userId)
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

    /** Issues a token for one hour; `undefined` when ID or secret is wrong, or the client may not be used like this. */
    async issueToken(id: string, secret: string, address: string): Promise<string | undefined> {
      const client = await db.selectFrom('oauth2_clients').selectAll().where('id', '=', id).executeTakeFirst()
      if (client && passwords.needsRehash(client.secret)) {
        if (!(await passwords.matches(secret, client.secret))) return undefined
        await rehashSecret(db, id, client.secret, secret)
      } else if (!timingSafeEqual(hashToken(secret), client?.secret ?? hashToken(newToken())) || !client) {
        return undefined
      }
      const [token, at] = [tokenPrefix + newToken(), now()]
      if (!isUsable(client, address, at)) return undefined
      await runTransaction(db, (transaction) => addToken(transaction, { id, token, at }))
      return token
    },

    /** The principal of a token that is used from an address. */
    async resolve(token: string, address: string): Promise<Principal | undefined> {
      const id = hashToken(token)
      // Cached without the address, which another request may not have.
      const cached = await cache.get(id, async () => (await readTokens(db, [{ id, address }], now()))[0])
      if (!cached?.client || !isFrom(cached.client.limits, address)) return undefined
      await networks.use(cached, address)
      return { ...cached, client: { ...cached.client, address } }
    },

    /** Resolves tokens without cache; those that may not be used from their address are omitted. */
    resolveUncached: (tokens: readonly ClientToken[]): Promise<OAuthClientPrincipal[]> => readTokens(db, tokens, now()),
  }
}

/** Whether a client works at all, and from an address. */
function isUsable(
  { limits, expires_at, is_paused }: Pick<StoredClient, 'limits' | 'expires_at' | 'is_paused'>,
  address: string,
  now: number,
): boolean {
  return is_paused === 0 && (expires_at === null || expires_at > now) && isFrom(storedLimits(limits), address)
}

function isFrom({ networks }: ClientLimits, address: string): boolean {
  return networks === undefined || isInNetworks(address, networks)
}

function getEnd(until: string | undefined, now: number): number | null {
  if (until === undefined) return null
  const expiresAt = Date.parse(until)
  if (expiresAt <= now) throw new Refusal('ErrFieldNotFuture', { field: 'until' })
  return expiresAt
}

function getView(row: StoredClient): OAuth2Client {
  const { id, name, description, limits, expires_at, is_paused, created_at, last_used_at } = row
  return {
    client_id: id,
    name,
    description,
    ...(limits !== null && { limits: storedLimits(limits) }),
    ...(expires_at !== null && { until: new Date(expires_at).toISOString() }),
    ...(is_paused === 1 && { isPaused: true }),
    createdAt: new Date(created_at).toISOString(),
    ...(last_used_at !== null && { lastUsedAt: new Date(last_used_at).toISOString() }),
  }
}

const addressed = ({ email, userId }: UserPrincipal) => ({ to: email, by: userId })

const getFacts = (client: string, on: ClientFilter) => ({ client, ...(on ? { server: on.name } : {}) })

function ownClients(db: Database, userId: number, on: ClientFilter) {
  return db.selectFrom('oauth2_clients').where('user_id', '=', userId).where(equalsOrIsNull('server_id', on?.id))
}

/** The principals of the valid tokens that may be used from their addresses. */
async function readTokens(db: Database, tokens: readonly ClientToken[], now: number): Promise<OAuthClientPrincipal[]> {
  const ids = [...new Set(tokens.map(({ id }) => id))]
  const rows = await db
    .selectFrom('oauth2_tokens')
    .innerJoin('oauth2_clients', 'oauth2_clients.id', 'oauth2_tokens.client_id')
    .innerJoin('users', 'users.id', 'oauth2_clients.user_id')
    .select(['users.id as userId', 'users.username', 'users.email', 'users.email_confirmed_at'])
    .select(['oauth2_tokens.id', 'oauth2_clients.id as clientId', 'oauth2_clients.server_id as server'])
    .select(['oauth2_clients.limits', 'oauth2_clients.expires_at', 'oauth2_clients.is_paused'])
    .where('oauth2_tokens.id', 'in', ids)
    .where('oauth2_tokens.expires_at', '>', now)
    .execute()
  const getGrants = await grantsOfAll(
    db,
    rows.map(({ userId }) => userId),
  )
  return tokens.flatMap(({ id, address }) => {
    const row = rows.find((found) => found.id === id)
    if (!row || !isUsable(row, address, now)) return []
    const { userId, username, email, email_confirmed_at, clientId, server } = row
    const isEmailConfirmed = email_confirmed_at !== null
    const { scopes: ownerScopes, roles } = getGrants(userId)
    const limits = { ...storedLimits(row.limits), ...(server === null ? {} : { servers: [server] }) }
    const scopes = scopesOfClient(ownerScopes, limits)
    const client = { id: clientId, address, ownerScopes, limits }
    const user = { userId, username, email, isEmailConfirmed, roles }
    return [{ ...user, sessionId: id, scopes, isAdmin: isAdmin(scopes), client }]
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
