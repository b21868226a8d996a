import { createTables } from '@innkeeper/panel/testing/create-tables'
import { bareDatabase } from '@innkeeper/panel/testing/databases'
import { expect, inject, test } from 'vitest'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { pufferTables, writePufferFiles } from '../../testing/puffer-tables.ts'

test('the database of PufferPanel is read from a server, and a repeated import adds nothing', async () => {
  await using fixture = await ImportFixture.create()
  const { href, hostname, port, host, username, pathname } = new URL(await bareDatabase(fixture.folder))
  await createTables(href, pufferTables())
  const name = pathname.slice(1)
  await writePufferFiles(
    fixture,
    inject('databaseServer')?.kind === 'postgres'
      ? { dialect: 'postgresql', url: `user=${username} dbname=${name} host=${hostname} port=${port} sslmode=disable` }
      : { dialect: 'mysql', url: `${username}@tcp(${host})/${name}?charset=utf8mb4` },
  )
  const args = ['--config', fixture.path('puffer/config.json')]

  const dry = await fixture.import('pufferpanel', ...args, '--dry-run')
  const report = await fixture.import('pufferpanel', ...args)
  const again = await fixture.import('pufferpanel', ...args)

  expect(dry.counts).toEqual(report.counts)
  expect(report.source).toBe('PufferPanel 2.x')
  expect(report.counts).toMatchObject({
    users: { found: 4, added: 3 },
    servers: { found: 3, added: 2 },
    clients: { found: 2, added: 1 },
  })
  expect(again.counts).toMatchObject({ users: { added: 0, existing: 3 }, servers: { added: 0, existing: 2 } })
})
