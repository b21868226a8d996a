import type { Database } from '../database/schema.ts'

/** A server as the panel stores it. */
export async function findServer(db: Database, id: string) {
  const row = db.selectFrom('servers').select(['id', 'name', 'node_id as nodeId']).where('id', '=', id)
  return await row.executeTakeFirst()
}
