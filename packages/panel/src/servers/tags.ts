import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { tagKey, uniqueTags } from '@innkeeper/contract/text/names'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer } from '../access/principal.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { lockServer } from './server-version.ts'

interface Deps {
  readonly db: Database
}

export interface TagChangeOptions {
  readonly audit: AuditContext
  readonly expectedVersion?: string | undefined
}

export type TagsService = ReturnType<typeof tagsService>

/** The tags of single servers. */
export function tagsService({ db }: Deps) {
  /** Changes the tags of a server. Two changes of one server run one after the other, so that none is lost. */
  async function change(
    server: AuthorizedServer<'editServerData'>,
    compute: (tags: readonly string[]) => readonly string[],
    { audit, expectedVersion }: TagChangeOptions,
  ): Promise<void> {
    await auditedTransaction(audit, db, async (transaction) => {
      const before = await lockServer(transaction, server.id, expectedVersion)
      const tags = uniqueTags(compute(before.tags))
      if (tags.length > limits.tagsPerServer)
        throw new Refusal('ErrFieldTooLarge', { field: 'tags', max: limits.tagsPerServer })
      await write(transaction, server.id, tags)
      audit.setSubject({ target: tags.join(', ') })
    })
  }

  return {
    /** Throws ErrStaleVersion when the server is not `expectedVersion`. */
    async put(
      server: AuthorizedServer<'editServerData'>,
      tags: readonly string[],
      changing: TagChangeOptions,
    ): Promise<void> {
      await change(server, () => tags, changing)
    },

    /** Adds and removes tags. A tag that is there already keeps its spelling. */
    async change(
      server: AuthorizedServer<'editServerData'>,
      { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
      audit: AuditContext,
    ): Promise<void> {
      const removed = new Set(remove.map(tagKey))
      await change(server, (tags) => [...tags.filter((tag) => !removed.has(tagKey(tag))), ...add], { audit })
    },
  }
}

async function write(transaction: Transaction, id: string, tags: readonly string[]): Promise<void> {
  await transaction.deleteFrom('server_tags').where('server_id', '=', id).execute()
  const rows = tags.map((tag) => ({ server_id: id, tag_key: tagKey(tag), tag }))
  if (rows.length > 0) await transaction.insertInto('server_tags').values(rows).execute()
}
