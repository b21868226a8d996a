import { sql } from 'kysely'
import { connect } from './database.ts'

/** A conflict of writes on two nodes can stop a Galera cluster until a lock wait ends: see docs/several-panels.md. */
export const maxGaleraLockWaitSeconds = 10

/** The lock wait timeout of a MariaDB server with Galera, in seconds; undefined for another database. */
export async function galeraLockWaitSeconds(url: string): Promise<number | undefined> {
  if (!/^(mysql|mariadb):/i.test(url)) return undefined
  const db = await connect(url)
  try {
    const names = sql.join(['wsrep_on', 'innodb_lock_wait_timeout'])
    const { rows } = await sql<{
      Variable_name: string
      Value: string
    }>`show global variables where variable_name in (${names})`.execute(db)
    const values = new Map(rows.map((row) => [row.Variable_name, row.Value]))
    return values.get('wsrep_on') === 'ON' ? Number(values.get('innodb_lock_wait_timeout')) : undefined
  } finally {
    await db.destroy()
  }
}
