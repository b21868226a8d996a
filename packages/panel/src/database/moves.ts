import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Database, StoredRow, Transaction } from './schema.ts'

/** States of a move that a panel makes, in their order. */
export const activeStates = [
  'waiting',
  'copying',
  'stopping',
  'changes',
  'starting',
  'goingBack',
  'startingBack',
] as const
export type ActiveState = (typeof activeStates)[number]

export async function findMove(db: Database, server: string): Promise<StoredRow<'moves'> | undefined> {
  return await db.selectFrom('moves').selectAll().where('server_id', '=', server).executeTakeFirst()
}

export const isActive = ({ state }: Pick<StoredRow<'moves'>, 'state'>): boolean =>
  (activeStates as readonly string[]).includes(state)

/** Throws ErrServerMoving while a server is moved. */
export async function requireNotMoving(db: Database, server: string): Promise<void> {
  const row = await findMove(db, server)
  if (row && isActive(row)) throw new Refusal('ErrServerMoving')
}

/** The servers whose files a node has, or will have, because of a move. */
export async function serversMovedOn(transaction: Transaction, node: number): Promise<string[]> {
  const rows = await transaction
    .selectFrom('moves')
    .select('server_id')
    .where(({ eb, or, and }) =>
      or([
        eb('copy_node', '=', node),
        and([eb('state', 'in', activeStates), or([eb('from_node', '=', node), eb('to_node', '=', node)])]),
      ]),
    )
    .execute()
  return rows.map(({ server_id }) => server_id)
}

/** Forgets the last evacuation of a node. */
export async function deleteEvacuation(transaction: Transaction, node: number): Promise<void> {
  const evacuations = transaction.selectFrom('evacuations').select('id').where('node_id', '=', node)
  await transaction.deleteFrom('evacuated_servers').where('evacuation_id', 'in', evacuations).execute()
  await transaction.deleteFrom('evacuations').where('node_id', '=', node).execute()
}
