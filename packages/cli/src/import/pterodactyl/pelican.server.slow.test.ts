import { connect } from '@innkeeper/panel/database/database'
import { createTables } from '@innkeeper/panel/testing/create-tables'
import { bareDatabase } from '@innkeeper/panel/testing/databases'
import { sql } from 'kysely'
import { expect, inject, test } from 'vitest'
import { argumentsFor, expectImported, writeLaravelFiles } from '../../testing/expect-pterodactyl.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { pelicanTables } from '../../testing/pterodactyl-tables.ts'

const isPostgres = inject('databaseServer')?.kind === 'postgres'

/** Pelican on a database server; returns the URL of its database. */
async function pelican(fixture: ImportFixture): Promise<URL> {
  const url = new URL(await bareDatabase(fixture.folder))
  await createTables(url.href, pelicanTables())
  if (isPostgres) await useTypesOfPostgres(url.href)
  await writeLaravelFiles(fixture, {
    DB_CONNECTION: isPostgres ? 'pgsql' : 'mariadb',
    DB_HOST: url.hostname,
    DB_PORT: url.port,
    DB_DATABASE: url.pathname.slice(1),
    DB_USERNAME: url.username,
    DB_PASSWORD: '',
    DB_SSLMODE: 'prefer',
  })
  return url
}

/** Laravel has booleans and JSON there, and numbers and text in the other databases. */
async function useTypesOfPostgres(url: string): Promise<void> {
  const db = await connect(url)
  const columns = [
    ['schedules', 'is_active', 'boolean'],
    ['egg_variables', 'user_viewable', 'boolean'],
    ['egg_variables', 'user_editable', 'boolean'],
    ['eggs', 'docker_images', 'json'],
    ['eggs', 'startup_commands', 'jsonb'],
    ['subusers', 'permissions', 'json'],
  ] as const
  for (const [table, column, type] of columns) {
    const value = type === 'boolean' ? sql`${sql.ref(column)}::int` : sql.ref(column)
    const change = sql`alter column ${sql.ref(column)} type ${sql.raw(type)} using ${value}::${sql.raw(type)}`
    await sql`alter table ${sql.table(table)} ${change}`.execute(db)
  }
  await db.destroy()
}

test('users, permissions, eggs, servers, schedules and files of Pelican are carried over from a database server', async () => {
  await using fixture = await ImportFixture.create()
  await pelican(fixture)

  const dry = await fixture.import('pelican', ...argumentsFor(fixture), '--dry-run')
  const report = await fixture.import('pelican', ...argumentsFor(fixture))
  const again = await fixture.import('pelican', ...argumentsFor(fixture))

  expect(dry.counts).toEqual(report.counts)
  expect(report.source).toBe('Pelican')
  await expectImported(fixture, report)
  expect(again.counts.users).toEqual({ found: 3, added: 0, existing: 3 })
  expect(again.counts.servers).toEqual({ found: 3, added: 0, existing: 2 })
})

test('a database server can be named, and one that cannot be read is refused without its password', async () => {
  await using fixture = await ImportFixture.create()
  const { host, pathname } = await pelican(fixture)
  const scheme = isPostgres ? 'postgresql' : 'mysql'
  const args = [...argumentsFor(fixture), '--dry-run', '--database']

  const report = await fixture.import('pelican', ...args, `${scheme}://innkeeper@${host}${pathname}`)
  const missing = () => fixture.import('pelican', ...args, `${scheme}://innkeeper@${host}/missing`)
  const closed = () => fixture.import('pelican', ...args, `${scheme}://innkeeper@127.0.0.1:1/panel`)

  expect(report.counts.users).toEqual({ found: 3, added: 3, existing: 0 })
  await expect(missing()).rejects.toThrow(/^1: The database cannot be read: (?!.*secret)/)
  await expect(closed()).rejects.toThrow('ECONNREFUSED')
})
