import { expect, test } from 'vitest'
import { expectEveryColumn, fullDatabase, getTables } from '../../testing/every-column.ts'
import { writeLaravelFiles } from '../../testing/expect-pterodactyl.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { pelicanRows, pterodactylRows } from '../../testing/laravel-rows.ts'
import { pterodactylLayout } from './layout.ts'

test.each([
  ['pterodactyl', pterodactylRows],
  ['pelican', pelicanRows],
] as const)('each column of %s is carried over or in the report', async (panel, tables) => {
  await using fixture = await ImportFixture.create()
  await writeLaravelFiles(fixture, { DB_CONNECTION: 'sqlite', DB_DATABASE: 'db.sqlite', MAIL_HOST: 'mail.example.org' })
  await fixture.write('panel/database/db.sqlite', '')
  await fixture.write('panel/storage/app/public/icons/egg/0e0e0e0e.png', 'a picture')
  const { schema, rows, others } = fullDatabase(panel, pterodactylLayout, tables)
  fixture.sqlite('panel/database/db.sqlite', rows, schema)

  const args = ['--config', fixture.path('panel/.env'), '--servers', fixture.path('volumes')]
  const report = await fixture.import(panel, ...args)

  expect(others).toEqual([])
  await expectEveryColumn(fixture, report, tables)
  expect(report.notes.join('\n')).toMatch(/settings in \S+\.env: not carried over: MAIL_HOST/)
  expect(report.notes.join('\n')).toMatch(/1 icons in \S+icons\/egg: are not carried over/)
  const [row] = await fixture.read((db) => db.selectFrom('node_ports').selectAll().execute())
  expect(JSON.parse(String(row?.ranges))).toEqual([
    { address: '10.20.30.40', from: 25_571, to: 25_572, note: 'free.example.org, side door' },
  ])
})

test('columns and tables that the import does not know are named once', async () => {
  await using fixture = await ImportFixture.create()
  await writeLaravelFiles(fixture, { DB_CONNECTION: 'sqlite', DB_DATABASE: 'db.sqlite' })
  await fixture.write('panel/database/db.sqlite', '')
  const { users = [], ...others } = getTables(pelicanRows)
  fixture.sqlite('panel/database/db.sqlite', {
    ...others,
    users: users.map((row) => ({ ...row, favorite_lamp: 'oil', empty_lamp: null })),
    lamps: [{ id: 1 }, { id: 2 }],
  })

  const args = ['--config', fixture.path('panel/.env'), '--servers', fixture.path('volumes')]
  const { notes } = await fixture.import('pelican', ...args, '--dry-run')

  expect(notes.filter((note) => note.includes('unknown'))).toEqual([
    '2 rows of lamps: are unknown to this import, and not carried over',
    'users: unknown to this import, and not carried over: favorite_lamp',
  ])
})
