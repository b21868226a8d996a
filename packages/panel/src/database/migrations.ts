import { sql } from 'kysely'
import {
  DEFAULT_MIGRATION_LOCK_TABLE,
  MIGRATION_LOCK_ID,
  type Migration,
  type MigrationResultSet,
  Migrator,
} from 'kysely/migration'
import { isMissingTable } from './errors.ts'
import * as peopleServersTemplates from './migrations/0001-people-servers-templates.ts'
import * as twoFactorSessionsClients from './migrations/0002-two-factor-sessions-clients.ts'
import * as mailInvitesActivity from './migrations/0003-mail-invites-activity.ts'
import * as files from './migrations/0004-files.ts'
import * as nodes from './migrations/0005-nodes.ts'
import * as nodePorts from './migrations/0006-node-ports.ts'
import * as signingKeys from './migrations/0007-signing-keys.ts'
import * as activityCounts from './migrations/0008-activity-counts.ts'
import * as unfinishedServers from './migrations/0009-unfinished-servers.ts'
import * as confirmedEmails from './migrations/0010-confirmed-emails.ts'
import * as wrongCodes from './migrations/0011-wrong-codes.ts'
import * as themes from './migrations/0012-themes.ts'
import * as serverTags from './migrations/0013-server-tags.ts'
import * as serverTemplates from './migrations/0014-server-templates.ts'
import * as serverNameKeys from './migrations/0015-server-name-keys.ts'
import * as alerts from './migrations/0016-alerts.ts'
import * as serverAlertChannels from './migrations/0017-server-alert-channels.ts'
import * as clones from './migrations/0018-clones.ts'
import * as nodeAlerts from './migrations/0019-node-alerts.ts'
import * as nodeRetention from './migrations/0020-node-retention.ts'
import * as portReservations from './migrations/0021-port-reservations.ts'
import * as continuedClones from './migrations/0022-continued-clones.ts'
import * as cloneRequests from './migrations/0023-clone-requests.ts'
import * as confirmedPasswords from './migrations/0024-confirmed-passwords.ts'
import * as alertChannelOwners from './migrations/0025-alert-channel-owners.ts'
import * as inviteLinks from './migrations/0026-invite-links.ts'
import * as serverNameOrder from './migrations/0027-server-name-order.ts'
import * as suspendedServers from './migrations/0028-suspended-servers.ts'
import * as nodeAvailability from './migrations/0029-node-availability.ts'
import * as placements from './migrations/0030-placements.ts'
import * as moves from './migrations/0031-moves.ts'
import * as joinTokens from './migrations/0032-join-tokens.ts'
import * as orders from './migrations/0033-orders.ts'
import * as signInMethods from './migrations/0034-sign-in-methods.ts'
import * as accessEnds from './migrations/0035-access-ends.ts'
import * as extraPorts from './migrations/0036-extra-ports.ts'
import * as evacuations from './migrations/0037-evacuations.ts'
import * as passkeys from './migrations/0038-passkeys.ts'
import * as clientLimits from './migrations/0039-client-limits.ts'
import * as dnsNames from './migrations/0040-dns-names.ts'
import * as notifications from './migrations/0041-notifications.ts'
import * as roles from './migrations/0042-roles.ts'
import * as oidc from './migrations/0043-oidc.ts'
import type { Database } from './schema.ts'

/** All migrations in order. A released one never changes. */
export const migrations = {
  '0001-people-servers-templates': peopleServersTemplates,
  '0002-two-factor-sessions-clients': twoFactorSessionsClients,
  '0003-mail-invites-activity': mailInvitesActivity,
  '0004-files': files,
  '0005-nodes': nodes,
  '0006-node-ports': nodePorts,
  '0007-signing-keys': signingKeys,
  '0008-activity-counts': activityCounts,
  '0009-unfinished-servers': unfinishedServers,
  '0010-confirmed-emails': confirmedEmails,
  '0011-wrong-codes': wrongCodes,
  '0012-themes': themes,
  '0013-server-tags': serverTags,
  '0014-server-templates': serverTemplates,
  '0015-server-name-keys': serverNameKeys,
  '0016-alerts': alerts,
  '0017-server-alert-channels': serverAlertChannels,
  '0018-clones': clones,
  '0019-node-alerts': nodeAlerts,
  '0020-node-retention': nodeRetention,
  '0021-port-reservations': portReservations,
  '0022-continued-clones': continuedClones,
  '0023-clone-requests': cloneRequests,
  '0024-confirmed-passwords': confirmedPasswords,
  '0025-alert-channel-owners': alertChannelOwners,
  '0026-invite-links': inviteLinks,
  '0027-server-name-order': serverNameOrder,
  '0028-suspended-servers': suspendedServers,
  '0029-node-availability': nodeAvailability,
  '0030-placements': placements,
  '0031-moves': moves,
  '0032-join-tokens': joinTokens,
  '0033-orders': orders,
  '0034-sign-in-methods': signInMethods,
  '0035-access-ends': accessEnds,
  '0036-extra-ports': extraPorts,
  '0037-evacuations': evacuations,
  '0038-passkeys': passkeys,
  '0039-client-limits': clientLimits,
  '0040-dns-names': dnsNames,
  '0041-notifications': notifications,
  '0042-roles': roles,
  '0043-oidc': oidc,
} as const satisfies Readonly<Record<string, Migration>>

const migrationLock = { lockTable: DEFAULT_MIGRATION_LOCK_TABLE, lockRowId: MIGRATION_LOCK_ID }

type Migrations = Readonly<Record<string, Migration>>

/** An applied migration. */
export interface AppliedMigration {
  readonly name: string
  /** ISO 8601. */
  readonly timestamp: string
}

/** Applied migrations in order; none for a new database. */
export async function appliedMigrations(db: Database): Promise<readonly AppliedMigration[]> {
  try {
    const { rows } = await sql<AppliedMigration>`select name, timestamp from kysely_migration order by name`.execute(db)
    return rows
  } catch (error) {
    if (isMissingTable(error)) return []
    throw error
  }
}

/**
 * Names of pending migrations.
 * @throws Error when the database has migrations of a newer version
 */
export async function pendingMigrations(db: Database, known: Migrations = migrations): Promise<readonly string[]> {
  const applied = new Set((await appliedMigrations(db)).map(({ name }) => name))
  const unknown = [...applied].filter((name) => !Object.hasOwn(known, name))
  if (unknown.length > 0) {
    throw new Error(
      `The database was migrated to '${unknown.at(-1)}' by a newer Innkeeper. Start that one, or restore a backup from before.`,
    )
  }
  return Object.keys(known).filter((name) => !applied.has(name))
}

/**
 * Runs pending migrations, one program at a time. After a failure the previous version can still start, and the error
 * names the failed migration and `copy`.
 * @returns the names of the applied migrations
 */
export async function migrate(
  db: Database,
  { known = migrations, copy }: { readonly known?: Migrations; readonly copy?: string | undefined } = {},
): Promise<readonly string[]> {
  const { error, results = [] } = await runMigrator(db, known)
  const done = results.filter(({ status }) => status === 'Success').map(({ migrationName }) => migrationName)
  if (!error) return done

  // Where schema changes are not transactional, the migrations before the failed one stay applied. They only add things
  // and can be repeated: their records are removed here, so that the next attempt repeats them and the previous version
  // starts.
  if (!db.getExecutor().adapter.supportsTransactionalDdl) await removeApplied(db, done)
  const failed = results.find(({ status }) => status === 'Error')?.migrationName
  const message = failed ? `The database could not be migrated to '${failed}'` : 'The database could not be migrated'
  const why = error instanceof Error ? `: ${error.message}` : ''
  const back = `The previous version of Innkeeper still works with it: to go back, install that version and start it.${copy ? ` The backup is ${copy}.` : ''}`
  throw new Error(`${message}${why}\n${back}`, { cause: error })
}

/**
 * Where schema changes are transactional, one transaction has the lock and all changes. A lock that outlives it would be
 * lost behind a connection pooler, which can give each transaction another session.
 */
async function runMigrator(db: Database, known: Migrations): Promise<MigrationResultSet> {
  const run = (on: Database) =>
    new Migrator({ db: on, provider: { getMigrations: async () => known } }).migrateToLatest()
  const { adapter } = db.getExecutor()
  if (!adapter.supportsTransactionalDdl) return await run(db)
  let result: MigrationResultSet = {}
  try {
    await db.transaction().execute(async (transaction) => {
      await adapter.acquireMigrationLock(transaction, migrationLock)
      result = await run(transaction)
      if (result.error) throw result.error
    })
    return result
  } catch (error) {
    return { ...result, error }
  }
}

/** Migrates an SQLite file up to a migration, by default the last one. */
export async function migrateTo(db: Database, name?: string): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = name === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(name)
  if (error) throw error
}

async function removeApplied(db: Database, names: readonly string[]): Promise<void> {
  for (const name of names) await sql`delete from kysely_migration where name = ${name}`.execute(db)
}
