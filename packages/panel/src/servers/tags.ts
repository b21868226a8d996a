import { limits } from '@innkeeper/contract/limits'
import { tagKey, uniqueTags } from '@innkeeper/contract/names'
import { Refusal } from '@innkeeper/contract/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer } from '../access/principal.ts'
import { lock } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'

/** Databases bound the parameters of a statement; this many ids fit in any of them. */
const idsPerQuery = 500

/** Tags of servers, by server id, each list in alphabetical order. */
export async function tagsOf(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (let first = 0; first < ids.length; first += idsPerQuery) {
    const rows = await db
      .selectFrom('server_tags')
      .select(['server_id', 'tag'])
      .where('server_id', 'in', ids.slice(first, first + idsPerQuery))
      .orderBy('server_id')
      .orderBy('tag_key')
      .execute()
    for (const { server_id, tag } of rows) found.set(server_id, [...(found.get(server_id) ?? []), tag])
  }
  return found
}

interface Deps {
  readonly db: Database
}

export type TagsService = ReturnType<typeof tagsService>

/** The tags of single servers. */
export function tagsService({ db }: Deps) {
  /** Changes the tags of a server. Two changes of one server run one after the other, so that none is lost. */
  async function change(
    server: AuthorizedServer<'editServerData'>,
    compute: (tags: readonly string[]) => readonly string[],
    audit: AuditContext,
  ): Promise<void> {
    await auditedTransaction(audit, db, async (transaction) => {
      await lock(transaction, 'server tags')
      const before = (await tagsOf(transaction, [server.id])).get(server.id) ?? []
      const tags = uniqueTags(compute(before))
      if (tags.length > limits.tagsPerServer)
        throw new Refusal('ErrFieldTooLarge', { field: 'tags', max: limits.tagsPerServer })
      await write(transaction, server.id, tags)
      audit.setSubject({ target: tags.join(', ') })
    })
  }

  return {
    async put(server: AuthorizedServer<'editServerData'>, tags: readonly string[], audit: AuditContext): Promise<void> {
      await change(server, () => tags, audit)
    },

    /** Adds and removes tags. A tag that is there already keeps its spelling. */
    async change(
      server: AuthorizedServer<'editServerData'>,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
      audit: AuditContext,
    ): Promise<void> {
      const removed = new Set(remove.map(tagKey))
      await change(server, (tags) => [...tags.filter((tag) => !removed.has(tagKey(tag))), ...add], audit)
    },
  }
}

async function write(transaction: Transaction, id: string, tags: readonly string[]): Promise<void> {
  await transaction.deleteFrom('server_tags').where('server_id', '=', id).execute()
  const rows = tags.map((tag) => ({ server_id: id, tag_key: tagKey(tag), tag }))
  if (rows.length > 0) await transaction.insertInto('server_tags').values(rows).execute()
}
