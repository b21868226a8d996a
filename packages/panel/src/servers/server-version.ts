import type { ServerView } from '@innkeeper/contract/servers/servers'
import { PreparedQueries } from '../database/prepared-queries.ts'
import { lock } from '../database/rows.ts'
import type { Transaction } from '../database/schema.ts'
import { requireCurrent } from '../database/versions.ts'
import { readTags } from './read-tags.ts'

type EditablePart = Pick<ServerView, 'name' | 'tags'>

/** What users edit of a server at the panel. */
export const getEditablePart = ({ name, tags }: EditablePart): EditablePart => ({ name, tags })

/**
 * Changes of names and tags run one after the other from here to the end of the transaction. Returns what is stored.
 * Throws ErrStaleVersion when it is not `expectedVersion`.
 */
export async function lockServer(
  transaction: Transaction,
  id: string,
  expectedVersion: string | undefined,
): Promise<EditablePart> {
  await lock(transaction, 'server tags')
  const row = await transaction.selectFrom('servers').select('name').where('id', '=', id).executeTakeFirst()
  const tags = (await readTags(new PreparedQueries(transaction), [id])).get(id) ?? []
  const stored = { name: row?.name ?? '', tags: [...tags] }
  requireCurrent(expectedVersion, getEditablePart(stored))
  return stored
}
