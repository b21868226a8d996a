import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { tagKey, uniqueTags } from '@innkeeper/contract/text/names'
import { parsePermissions } from '../access/access.ts'
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
      await requireMayChangeRoles(transaction, server, getChanged(before.tags, tags))
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

/** Keys of the tags that only one of two lists has. */
function getChanged(before: readonly string[], after: readonly string[]): readonly string[] {
  const [old, current] = [new Set(before.map(tagKey)), new Set(after.map(tagKey))]
  return [...new Set([...old, ...current])].filter((key) => !(old.has(key) && current.has(key)))
}

/**
 * A tag that roles are given for decides who has access to the server: who adds or removes it must manage the users of
 * the server, and have all that these roles give.
 */
async function requireMayChangeRoles(
  transaction: Transaction,
  { permissions }: AuthorizedServer<'editServerData'>,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0 || permissions.has('admin')) return
  const rows = await transaction
    .selectFrom('role_grants')
    .innerJoin('roles', 'roles.id', 'role_grants.role_id')
    .select('roles.rights')
    .distinct()
    .where('role_grants.tag_key', 'in', keys)
    .execute()
  if (rows.length === 0) return
  const needed = ['editServerUsers' as const, ...rows.flatMap(({ rights }) => parsePermissions(rights))]
  const missing = needed.find((permission) => !permissions.has(permission))
  if (missing) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[missing] })
}

async function write(transaction: Transaction, id: string, tags: readonly string[]): Promise<void> {
  await transaction.deleteFrom('server_tags').where('server_id', '=', id).execute()
  const rows = tags.map((tag) => ({ server_id: id, tag_key: tagKey(tag), tag }))
  if (rows.length > 0) await transaction.insertInto('server_tags').values(rows).execute()
}
