import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Language } from '@innkeeper/contract/text/languages'
import { Email, Username } from '@innkeeper/contract/text/names'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin, UserPrincipal } from '../access/principal.ts'
import type { SessionClient } from '../auth/sessions.ts'
import type { Login, SignInService } from '../auth/sign-in.ts'
import type { Database, OidcProviderRow, Transaction, UserRow } from '../database/schema.ts'
import { addUser, lockUser, lowerCaseKey, noPassword, userByEmail, userById } from '../database/users.ts'
import type { MailService } from '../mail/mail.ts'
import { maxLoginAttemptsPerAddress, type RateLimiter } from '../security/rate-limiter.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import type { OidcClient, ProviderIdentity } from './client.ts'
import { addIdentity, identityId } from './identities.ts'
import type { OidcProviders } from './providers.ts'
import { oidcRequests, type RequestOwner } from './requests.ts'

interface Deps {
  readonly db: Database
  readonly client: Pick<OidcClient, 'authorize' | 'identify'>
  readonly providers: Pick<OidcProviders, 'get' | 'requireRedirectUrl'>
  readonly signIns: Pick<SignInService, 'signIn' | 'openSession'>
  readonly limiter: Pick<RateLimiter, 'consume' | 'refund'>
  readonly mail: Pick<MailService, 'queue'>
  readonly now: () => number
}

export type OidcSignIn = ReturnType<typeof oidcSignIn>

/** Signing in with OpenID Connect, and linking identities with accounts. */
export function oidcSignIn(deps: Deps) {
  const { db, client, providers, signIns, limiter, now } = deps
  const requests = oidcRequests({ db, now })

  async function start(providerId: string, owner: RequestOwner): Promise<{ readonly url: string }> {
    const redirectUrl = await providers.requireRedirectUrl()
    const provider = await providers.get(providerId)
    return { url: await client.authorize(provider, await requests.issue(providerId, owner, redirectUrl)) }
  }

  /** Who has come back from the provider. The request is used up, whatever follows. */
  async function identify(
    query: string,
    owner: RequestOwner,
    audit: AuditContext,
  ): Promise<{ readonly provider: OidcProviderRow; readonly identity: ProviderIdentity }> {
    const { providerId, checks } = await requests.consume(query, owner)
    const provider = await providers.get(providerId)
    audit.setSubject({ target: provider.name })
    return { provider, identity: await client.identify(provider, query, checks) }
  }

  /** Calls of an anonymous client to a provider, refunded when the sign-in succeeds. */
  const limitOf = (address: string) => [{ key: `oidc ${clientSubnet(address)}`, max: maxLoginAttemptsPerAddress }]

  return {
    /** `browser` is the token of the browser, from an earlier start, so that sign-ins in two tabs do not disturb each other. */
    async startLogin(
      providerId: string,
      browser: string | undefined,
      address: string,
    ): Promise<{ readonly url: string; readonly browser: string }> {
      await limiter.consume(limitOf(address))
      const token = browser ?? newToken()
      const { url } = await start(providerId, { purpose: 'signIn', startedBy: hashToken(token) })
      return { url, browser: token }
    },

    /** `language` is that of a new account. */
    async login(
      query: string,
      browser: string | undefined,
      from: SessionClient,
      language: Language | undefined,
      audit: AuditContext,
    ): Promise<Login> {
      const owner = { purpose: 'signIn', startedBy: hashToken(browser ?? '') } as const
      const { provider, identity } = await identify(query, owner, audit)
      const options = { by: 'oidc', from, audit } as const
      const authenticate = (transaction: Transaction) => findUser(deps, transaction, provider, identity, language)
      const login: Login =
        provider.is_two_factor === 1
          ? { type: 'open', loggedIn: await signIns.openSession(options, authenticate) }
          : await signIns.signIn(options, authenticate)
      await limiter.refund(limitOf(from.address))
      return login
    },

    startLink: ({ sessionId }: UserPrincipal, providerId: string): Promise<{ readonly url: string }> =>
      start(providerId, { purpose: 'link', startedBy: sessionId }),

    async link(
      { userId, sessionId }: UserPrincipal,
      query: string,
      recentLogin: RecentLogin,
      audit: AuditContext,
    ): Promise<void> {
      const { identity } = await identify(query, { purpose: 'link', startedBy: sessionId }, audit)
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        await addIdentity(transaction, userId, identity, now())
      })
    },
  }
}

/** Locks the user of an identity, or creates the account. */
async function findUser(
  { mail, now }: Pick<Deps, 'mail' | 'now'>,
  transaction: Transaction,
  provider: OidcProviderRow,
  identity: ProviderIdentity,
  language: Language | undefined,
): Promise<Pick<UserRow, 'id' | 'username'>> {
  const id = identityId(identity)
  const query = transaction.selectFrom('identities').select('user_id').where('id', '=', id)
  const found = await query.executeTakeFirst()
  if (!found) return createAccount({ mail, now }, transaction, provider, identity, language)
  const user = await lockUser(transaction, found.user_id)
  // It may have been unlinked in the meantime.
  if (!user || (await query.executeTakeFirst())?.user_id !== user.id)
    throw new Refusal('ErrOidcUnknown', { provider: provider.name })
  await transaction.updateTable('identities').set({ used_at: now() }).where('id', '=', id).execute()
  return user
}

/** An account without a password. An address that exists is refused: only its owner, signed in, links the identity. */
async function createAccount(
  { mail, now }: Pick<Deps, 'mail' | 'now'>,
  transaction: Transaction,
  { name: provider, creates_accounts }: OidcProviderRow,
  identity: ProviderIdentity,
  language: Language | undefined,
): Promise<Pick<UserRow, 'id' | 'username'>> {
  if (creates_accounts !== 1) throw new Refusal('ErrOidcUnknown', { provider })
  const email = Email.safeParse(identity.email).data
  if (email === undefined || !identity.isEmailVerified) throw new Refusal('ErrOidcUnverified', { provider })
  if (await userByEmail(transaction, email)) throw new Refusal('ErrOidcEmailTaken', { provider, email })
  const username = await freeUsername(transaction, identity.username ?? email)
  const account = { username, email, password: noPassword, isEmailConfirmed: true, scopes: [], language }
  const id = await addUser(transaction, account, now())
  await addIdentity(transaction, id, identity, now())
  await mail.queue(transaction, 'accountCreation', { to: email }, { username })
  const user = await userById(transaction, id)
  return user ?? { id, username }
}

const maxNames = 50

/** A username like the name at the provider, with a number when it is taken. */
async function freeUsername(transaction: Transaction, wanted: string): Promise<string> {
  const plain = (wanted.split('@')[0] ?? '').replace(/[^0-9A-Za-z_-]/g, '-').slice(0, 60)
  const base = Username.safeParse(plain).success ? plain : `user-${plain}`
  const names = Array.from({ length: maxNames }, (_, index) => (index === 0 ? base : `${base}-${index + 1}`))
  const keys = names.map(lowerCaseKey)
  const rows = await transaction.selectFrom('users').select('username_key').where('username_key', 'in', keys).execute()
  const taken = new Set(rows.map(({ username_key }) => username_key))
  return names.find((name) => !taken.has(lowerCaseKey(name))) ?? `user-${newToken().slice(0, 20)}`
}
