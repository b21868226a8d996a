import type { LoginResult, SecondFactor, SignInMethod } from '@innkeeper/contract/accounts/auth'
import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { canSeeAllServers, type PanelScope, panelScopes } from '@innkeeper/contract/api/permissions'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { AuditContext } from '../access/audit-context.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { hasServers, readScopes } from '../database/users.ts'
import type { PendingLogins } from './pending-logins.ts'
import type { SessionClient, SessionsService } from './sessions.ts'
import type { TwoFactorService } from './two-factor.ts'

interface Deps {
  readonly db: Database
  readonly sessions: Pick<SessionsService, 'open'>
  readonly pending: Pick<PendingLogins, 'open'>
  readonly twoFactor: Pick<TwoFactorService, 'secondFactors'>
  /** Informs administrators. */
  readonly alerts: Pick<AlertsService, 'raise'>
}

export interface SignInOptions {
  readonly by: SignInMethod
  readonly from: SessionClient
  /** Of the request: its endpoint names the action. */
  readonly audit: AuditContext
}

/** The user who signs in. */
export type SignInUser = Pick<UserRow, 'id' | 'username'>

/**
 * The last step of proving who the user is, in the transaction that opens the session. It must lock the user
 * (`lockUser`), read again what may have changed since the credential was checked, use up what works once, and throw a
 * `Refusal` when any of this fails. It may be repeated after a conflict.
 */
export type Authenticate = (transaction: Transaction) => Promise<SignInUser>

/** Result of a sign-in: a session, or a pending login that needs the second factor. */
export type Login =
  | { readonly type: 'open'; readonly loggedIn: LoginResult }
  | { readonly type: 'pending'; readonly token: string; readonly secondFactors: readonly SecondFactor[] }

export type SignInService = ReturnType<typeof signInService>

/**
 * The one end of all ways to sign in. It asks for the second factor, informs administrators about new networks, records
 * the sign-in in the audit log and opens the session. A session counts as a recent sign-in, whichever way opened it.
 *
 * To add a way:
 * 1. Add its name to `signInMethods` in the contract, and an action such as `session.ldap` to `auditActions` and to
 *    `signInActions` below. Its endpoint names the action in `audit`.
 * 2. Check the credential with a rate limit, before any transaction if that takes time.
 * 3. Call `signIn({ by, from, audit }, authenticate)`, or `openSession` when the way has checked two factors.
 * 4. Answer with `answerLogin` of `routes.ts`. After a success refund the rate limit.
 *
 * Accounts of people who only use such ways have `noPassword`. They confirm that they are still there by signing in
 * again, or with `Reauthentication.markConfirmed` from an endpoint of the way.
 */
export function signInService(deps: Deps) {
  const { db, pending, twoFactor } = deps

  return {
    /** Signs in with one factor. A user who has a second one must complete the pending login with it. */
    async signIn(options: SignInOptions, authenticate: Authenticate): Promise<Login> {
      const { by, audit } = options
      const opened = await runTransaction(db, async (transaction) => {
        const user = await authenticate(transaction)
        const secondFactors = await twoFactor.secondFactors(user.id, transaction)
        if (secondFactors.length === 0) {
          return { userId: user.id, session: await open(deps, transaction, user, options) }
        }
        // Not signed in yet: the entry is recorded with the second factor.
        audit.setActor(user)
        audit.skip()
        return { token: await pending.open(user.id, by, transaction), secondFactors }
      })
      if (opened.session === undefined) return { type: 'pending', ...opened }
      return { type: 'open', loggedIn: await getLoginResult(db, opened.userId, opened.session) }
    },

    /** Signs in without a second factor: the way has checked two, or the account is new. */
    async openSession(options: SignInOptions, authenticate: Authenticate): Promise<LoginResult> {
      const { userId, session } = await runTransaction(db, async (transaction) => {
        const user = await authenticate(transaction)
        return { userId: user.id, session: await open(deps, transaction, user, options) }
      })
      return getLoginResult(db, userId, session)
    },
  }
}

/** Opens the session, and returns the only copy of its token. */
async function open(
  { sessions, alerts }: Deps,
  transaction: Transaction,
  { id, username }: SignInUser,
  { by, from, audit }: SignInOptions,
): Promise<string> {
  audit.setActor({ id, username })
  const { address } = from
  if (await isNewLocation(transaction, id, address)) {
    const detail = `${username} signed in from ${address}`
    await alerts.raise(transaction, { type: 'newSignIn', subject: `${id} ${clientSubnet(address)}`, detail })
  }
  const session = await sessions.open(id, from, transaction, by)
  await audit.record(transaction)
  return session
}

/** The response to a login. */
export async function getLoginResult(db: Database, userId: number, session: string): Promise<LoginResult> {
  const scopes = await effectiveScopes(db, userId, await readScopes(db, userId))
  return scopes.length > 0 ? { session, scopes: [...scopes] } : { session }
}

/**
 * Scopes as clients see them: those of an administrator include all others, and a user who has a server, sees all
 * servers or may create some also gets `servers.view`. So clients need not know these rules.
 */
export async function effectiveScopes(
  db: Database,
  userId: number,
  scopes: readonly PanelScope[],
): Promise<readonly PanelScope[]> {
  if (scopes.includes('servers.admin')) return panelScopes
  const hasList = canSeeAllServers(scopes) || scopes.includes('servers.create') || (await hasServers(db, userId))
  return panelScopes.filter((scope) => scopes.includes(scope) || (hasList && scope === 'servers.view'))
}

/** Actions after which a network is known. A new account has none, so its first sign-in raises no alert. */
const signInActions: readonly AuditAction[] = ['session.open', 'session.otp', 'session.link', 'session.passkey']

/** Whether the audit log has sign-ins of the user, but none from the subnet of this address. */
async function isNewLocation(on: Database, userId: number, address: string): Promise<boolean> {
  const rows = await on
    .selectFrom('activity')
    .select('address')
    .distinct()
    .where('user_id', '=', userId)
    .where('action', 'in', signInActions)
    .where('result', '=', 'done')
    .execute()
  const subnet = clientSubnet(address)
  return rows.length > 0 && !rows.some((row) => clientSubnet(row.address) === subnet)
}
