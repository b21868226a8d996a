import type { Kysely } from 'kysely'
import { addColumn, bigint } from './helpers/columns.ts'

/** How many ports the users of a server may take beyond those of its template. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addColumn(db, 'servers', 'extra_ports', bigint, (column) => column.notNull().defaultTo(0))
}
