import { connect } from '../database/database.ts'
import { upsert } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'

/** A row of the settings that no user can edit. */
const key = 'backup.lastAt'

/** When the last backup of a database was made, in epoch milliseconds; `undefined` when there is none. */
export async function lastBackupAt(db: Database): Promise<number | undefined> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst()
  return row ? Number(row.value) : undefined
}

/** Records that a backup was made, so that all panels know it. */
export async function recordBackup(url: string, at: number): Promise<void> {
  const db = await connect(url)
  try {
    await upsert(db, 'settings', ['key'], { key, value: String(at) })
  } finally {
    await db.destroy()
  }
}
