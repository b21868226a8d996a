import { sql } from 'kysely'
import { expect, inject } from 'vitest'
import { test } from '../testing/databases.ts'
import { statementTimeoutMs } from './connection-limits.ts'
import { connect } from './database.ts'

const { kind } = inject('databaseServer') ?? {}
const isShared = (inject('poolerSettings') ?? []).length > 0

// A pooler that shares connections in transaction mode also shares their settings.
test.skipIf(kind !== 'postgres' || isShared)(
  'PostgreSQL limits the time of statements, but not of migrations, also by way of PgBouncer',
  async ({ db, url }) => {
    const migrating = await connect(url, { noTimeouts: true })
    const readLimit = async (on: typeof db) =>
      (await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(on)).rows[0]?.limit

    const limits = await Promise.all(Array.from({ length: 5 }, () => readLimit(db)))
    const ofMigration = await readLimit(migrating)

    expect(limits).toEqual(limits.map(() => `${statementTimeoutMs / 1000}s`))
    expect(ofMigration).toBe('0')
    await migrating.destroy()
  },
)
