import { createTables } from '@innkeeper/panel/testing/create-tables'
import { bareDatabase } from '@innkeeper/panel/testing/databases'
import { expect, test } from 'vitest'
import { expectEveryColumn, fullDatabase } from '../../testing/every-column.ts'
import { argumentsFor, expectImported, writeLaravelFiles } from '../../testing/expect-pterodactyl.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { pterodactylRows } from '../../testing/laravel-rows.ts'
import { pterodactylTables } from '../../testing/pterodactyl-tables.ts'
import type { SourceRows } from '../../testing/source-schema.ts'
import { pterodactylLayout } from './layout.ts'

/** Pterodactyl, which runs on MySQL and MariaDB only; returns the URL of its database. */
async function pterodactyl(
  fixture: ImportFixture,
  tables: SourceRows = pterodactylTables(),
  sql?: string,
): Promise<URL> {
  const url = await bareDatabase(fixture.folder)
  await createTables(url, tables, sql)
  const { hostname, port, username, pathname } = new URL(url)
  await writeLaravelFiles(fixture, {
    DB_CONNECTION: 'mysql',
    DB_HOST: hostname,
    DB_PORT: port,
    DB_DATABASE: pathname.slice(1),
    DB_USERNAME: username,
    DB_PASSWORD: '',
  })
  return new URL(url)
}

test('users, permissions, eggs, servers, schedules and files of Pterodactyl are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await pterodactyl(fixture)

  const dry = await fixture.import('pterodactyl', ...argumentsFor(fixture), '--dry-run')
  const report = await fixture.import('pterodactyl', ...argumentsFor(fixture))
  const again = await fixture.import('pterodactyl', ...argumentsFor(fixture))

  expect(dry.counts).toEqual(report.counts)
  expect(report.source).toBe('Pterodactyl 1.x')
  await expectImported(fixture, report)
  expect(again.counts).toMatchObject({
    users: { found: 3, added: 0, existing: 3 },
    servers: { found: 3, added: 0, existing: 2 },
    templates: { found: 2, added: 0, existing: 2 },
    nodes: { found: 1, added: 0, existing: 1 },
  })
})

test('each column of the tables that Pterodactyl creates is carried over or in the report', async () => {
  await using fixture = await ImportFixture.create()
  const { schema, rows } = fullDatabase('pterodactyl', pterodactylLayout, pterodactylRows)
  await pterodactyl(fixture, rows, schema.sql)

  const report = await fixture.import('pterodactyl', ...argumentsFor(fixture))

  await expectEveryColumn(fixture, report, pterodactylRows)
})

test('a database can be named, without its password', async () => {
  await using fixture = await ImportFixture.create()
  const { host, pathname } = await pterodactyl(fixture)
  const args = [...argumentsFor(fixture), '--dry-run', '--database']

  const report = await fixture.import('pterodactyl', ...args, `mysql://${host}${pathname}`)

  expect(report.counts.users).toEqual({ found: 3, added: 3, existing: 0 })
  await expect(fixture.import('pterodactyl', ...args, `mysql://x:secret@${host}${pathname}`)).rejects.toThrow(
    'password',
  )
})
