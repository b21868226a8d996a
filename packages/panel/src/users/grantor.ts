import { hasScope, type PanelScope, scopeOfPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { serverPermissionsOf } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { lock } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { hasAdministrator, permissionsLock, scopesOf } from './users.ts'

/** What a giver holds at the moment of giving, read in the transaction that gives. */
export type Grantor = Pick<Principal, 'userId' | 'scopes' | 'client'>

/**
 * The caller with the scopes of this moment. Until the transaction ends no other one changes rights, so that nobody
 * gives what is being taken from them.
 */
export async function loadGrantor(transaction: Transaction, principal: Principal): Promise<Grantor> {
  await lock(transaction, permissionsLock)
  const scopes = await scopesOf(transaction, principal.userId)
  const { userId, client } = principal
  if (client?.restrictedTo)
    return { userId, scopes: [], client: { ...client, restrictedTo: { ...client.restrictedTo, scopes } } }
  return { userId, scopes, client }
}

/** @throws Refusal naming a scope that the giver does not hold. */
export function requireScopes(giver: Grantor, scopes: readonly PanelScope[]): void {
  const missing = scopes.find((scope) => !hasScope(giver.scopes, scope))
  if (missing) throw new Refusal('ErrMissingScope', { scope: missing })
}

/**
 * Whoever gets into an account has its rights: that takes somebody who holds them all, on every server too.
 * @throws Refusal naming one that is missing.
 */
export async function requireSuperset(transaction: Transaction, giver: Grantor, userId: number): Promise<void> {
  requireScopes(giver, await scopesOf(transaction, userId))
  const [theirs, own] = [
    await permissionsByServer(transaction, userId),
    await permissionsByServer(transaction, giver.userId),
  ]
  const scopes = await scopesOf(transaction, userId)
  for (const [server, row] of theirs) {
    const held = serverPermissionsOf(giver, server, own.get(server) ?? null)
    const missing = [...serverPermissionsOf({ scopes }, server, row)].find((right) => !held.has(right))
    if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
  }
}

/** @throws Refusal when there is no administrator beside the person. */
export async function requireOtherAdministrator(transaction: Transaction, userId: number): Promise<void> {
  if (!(await hasAdministrator(transaction, userId))) throw new Refusal('ErrLastAdministrator')
}

async function permissionsByServer(db: Database, userId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('server_users')
    .select(['server_id', 'rights'])
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map((row) => [row.server_id, row.rights]))
}
