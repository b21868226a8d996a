import { hasScope, type PanelScope, scopeOfPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { rightsOf } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { alone } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { changeOfRights, hasAdministrator, scopesOf } from './users.ts'

/** What a giver holds at the moment of giving, read in the transaction that gives. */
export type Giver = Pick<Caller, 'userId' | 'scopes' | 'client'>

/**
 * The caller with the scopes of this moment. Until the transaction ends no other one changes rights, so that nobody
 * gives what is being taken from them.
 */
export async function giverNow(transaction: Transaction, caller: Caller): Promise<Giver> {
  await alone(transaction, changeOfRights)
  const scopes = await scopesOf(transaction, caller.userId)
  const { userId, client } = caller
  if (client?.only) return { userId, scopes: [], client: { ...client, only: { ...client.only, scopes } } }
  return { userId, scopes, client }
}

/** @throws Refusal naming a scope that the giver does not hold. */
export function expectHeld(giver: Giver, scopes: readonly PanelScope[]): void {
  const missing = scopes.find((scope) => !hasScope(giver.scopes, scope))
  if (missing) throw new Refusal('ErrMissingScope', { scope: missing })
}

/**
 * Whoever gets into an account has its rights: that takes somebody who holds them all, on every server too.
 * @throws Refusal naming one that is missing.
 */
export async function expectHoldsAllOf(transaction: Transaction, giver: Giver, userId: number): Promise<void> {
  expectHeld(giver, await scopesOf(transaction, userId))
  const [theirs, own] = [await rightsByServer(transaction, userId), await rightsByServer(transaction, giver.userId)]
  const scopes = await scopesOf(transaction, userId)
  for (const [server, row] of theirs) {
    const held = rightsOf(giver, server, own.get(server) ?? null)
    const missing = [...rightsOf({ scopes }, server, row)].find((right) => !held.has(right))
    if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
  }
}

/** @throws Refusal when there is no administrator beside the person. */
export async function expectOtherAdministrator(transaction: Transaction, userId: number): Promise<void> {
  if (!(await hasAdministrator(transaction, userId))) throw new Refusal('ErrLastAdministrator')
}

async function rightsByServer(db: Database, userId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('server_users')
    .select(['server_id', 'rights'])
    .where('user_id', '=', userId)
    .execute()
  return new Map(rows.map((row) => [row.server_id, row.rights]))
}
