import { type Migration, Migrator } from 'kysely/migration'
import * as peopleServersTemplates from './migrations/0001-people-servers-templates.ts'
import type { Database } from './schema.ts'

/** Every migration by its number and name, in order. A released one never changes. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-people-servers-templates': peopleServersTemplates,
}

/** Brings the database to today's tables; a failure leaves it as it was and says which step failed. */
export async function migrate(db: Database): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (!error) return
  const failed = results.find((result) => result.status === 'Error')?.migrationName
  throw new Error(
    failed ? `The database could not be brought to '${failed}'.` : 'The database could not be migrated.',
    {
      cause: error,
    },
  )
}
