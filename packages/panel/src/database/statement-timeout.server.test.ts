import { type Kysely, sql } from 'kysely'
import { expect, inject } from 'vitest'
import { test } from '../testing/databases.ts'
import { statementTimeoutMs } from './connection-limits.ts'
import { connect } from './database.ts'
import { migrate, migrations } from './migrations.ts'

const { kind } = inject('databaseServer') ?? {}

async function readLimit(db: Kysely<never>): Promise<string | undefined> {
  const { rows } = await sql<{ limit: string }>`select current_setting('statement_timeout') as limit`.execute(db)
  return rows[0]?.limit
}

test.skipIf(kind !== 'postgres')(
  'PostgreSQL limits the time of statements, but not of migrations, also by way of PgBouncer',
  async ({ db, url }) => {
    const limits = await Promise.all(Array.from({ length: 5 }, () => readLimit(db as never)))
    const migrating = await connect(url, { noTimeouts: true })
    let inMigration: string | undefined

    const next = {
      up: async (on: Kysely<never>) => {
        inMigration = await readLimit(on)
      },
    }
    await migrate(migrating, { known: { ...migrations, '9001-limit': next } })

    expect(limits).toEqual(limits.map(() => `${statementTimeoutMs / 1000}s`))
    expect(inMigration).toBe('0')
    await sql`delete from kysely_migration where name = '9001-limit'`.execute(db)
    await migrating.destroy()
  },
)
