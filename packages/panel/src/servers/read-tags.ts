import { getListNames, getListValues, type PreparedQueries } from '../database/prepared-queries.ts'

/** Databases bound the parameters of a statement; this many ids fit in any of them. */
const idsPerQuery = 500

/** Tags of servers, by server id, each list in alphabetical order. */
export async function readTags(
  prepared: PreparedQueries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>()
  for (let first = 0; first < ids.length; first += idsPerQuery) {
    const some = ids.slice(first, first + idsPerQuery)
    const rows = await prepared.execute(
      `tags of ${some.length}`,
      (value) =>
        prepared.db
          .selectFrom('server_tags')
          .select(['server_id', 'tag'])
          .where('server_id', 'in', getListNames(some).map(value))
          .orderBy('server_id')
          .orderBy('tag_key'),
      getListValues(some),
    )
    for (const { server_id, tag } of rows) found.set(server_id, [...(found.get(server_id) ?? []), tag])
  }
  return found
}
