import type { LoginResult } from '@innkeeper/contract/accounts/auth'
import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { canSeeAllServers, type PanelScope, panelScopes } from '@innkeeper/contract/api/permissions'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { AuditContext } from '../access/audit-context.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import type { Database, Transaction, UserRow } from '../database/schema.ts'
import { hasServers, readScopes } from '../database/users.ts'
import type { SessionClient, SessionsService } from './sessions.ts'

export interface OpenSessionDeps {
  readonly sessions: Pick<SessionsService, 'open'>
  /** Informs administrators. */
  readonly alerts: Pick<AlertsService, 'raise'>
}

/**
 * The end of every login: opens a session for a user who has authenticated, and returns the only copy of its token.
 * Informs administrators when the user has signed in before, but never from this network. The transaction is that of the
 * login, and records its audit log entry.
 */
export async function openSession(
  { sessions, alerts }: OpenSessionDeps,
  transaction: Transaction,
  { id, username }: Pick<UserRow, 'id' | 'username'>,
  from: SessionClient,
  audit: Pick<AuditContext, 'setActor'>,
): Promise<string> {
  audit.setActor({ id, username })
  const { address } = from
  if (await isNewLocation(transaction, id, address)) {
    const detail = `${username} signed in from ${address}`
    await alerts.raise(transaction, { type: 'newSignIn', subject: `${id} ${clientSubnet(address)}`, detail })
  }
  return await sessions.open(id, from, transaction)
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

const signInActions: readonly AuditAction[] = ['session.open', 'session.otp', 'session.link']

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
