import { expect, test } from 'vitest'
import { readCommands } from '../../testing/commands-of.ts'
import { argumentsFor, expectImported, writeLaravelFiles } from '../../testing/expect-pterodactyl.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { appKey, encrypt, pelicanTables, pterodactylTables } from '../../testing/pterodactyl-tables.ts'
import { decrypt, readLaravelSettings } from './laravel.ts'

/** Pelican with its default database. */
async function pelican(fixture: ImportFixture, tables = pelicanTables()): Promise<void> {
  await writeLaravelFiles(fixture, { DB_CONNECTION: 'sqlite', DB_DATABASE: 'database.sqlite' })
  await fixture.write('panel/database/database.sqlite', '')
  fixture.sqlite('panel/database/database.sqlite', tables)
}

test('users, permissions, eggs, servers, schedules and files of Pelican are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await pelican(fixture)
  const before = [await fixture.snapshot('panel'), await fixture.snapshot('volumes')]

  const report = await fixture.import('pelican', ...argumentsFor(fixture))

  expect(report.source).toBe('Pelican')
  await expectImported(fixture, report)
  expect([await fixture.snapshot('panel'), await fixture.snapshot('volumes')]).toEqual(before)
})

test('with several nodes the one on this machine must be named', async () => {
  await using fixture = await ImportFixture.create()
  await pelican(fixture)
  const [config, path, servers, folder] = argumentsFor(fixture)
  const args = [config, path, servers, folder].map(String)

  await expect(fixture.import('pelican', ...args)).rejects.toThrow('--node: Here, There')
  await expect(fixture.import('pelican', ...args, '--node', 'Nowhere')).rejects.toThrow('no node Nowhere')
  const none = await fixture.import('pelican', ...args, '--node', '', '--dry-run')

  expect(none.counts.nodes).toEqual({ found: 2, added: 2, existing: 0 })
  expect(none.files).toBe(0)
})

test('the commands of the documentation run', async () => {
  const all = await readCommands('moving-in.md')
  const commands = all.filter((command) => /import (pterodactyl|pelican) --config/.test(command))
  await using fixture = await ImportFixture.create()
  await pelican(fixture, { ...pelicanTables(), nodes: (pelicanTables().nodes ?? []).slice(0, 1) })

  const reports = []
  for (const command of commands) {
    const words = command
      .replaceAll(/\/var\/www\/\w+\//g, fixture.path('panel/'))
      .replaceAll(/\/var\/lib\/\w+\/volumes/g, fixture.path('volumes'))
    const [, , panel = '', ...rest] = words.trim().split(' ')
    reports.push(await fixture.import(panel, ...rest))
  }

  expect(reports.length).toBeGreaterThan(1)
  expect(reports.map(({ counts }) => counts.users?.found)).toEqual(reports.map(() => 3))
})

const yamlEgg = `meta:
  version: PLCN_v3
name: Chess
docker_images:
  Default: 'example.org/chess:1'
startup_commands:
  Default: './chess --port {{SERVER_PORT}}'
config:
  files: {  }
  startup:
    done: ready
  logs: {  }
  stop: quit
variables:
  -
    name: Level
    env_variable: LEVEL
    default_value: 3
    user_viewable: true
    user_editable: true
    rules:
      - required
      - integer
`

test('eggs in YAML and JSON files are imported as templates, and files without one are named', async () => {
  await using fixture = await ImportFixture.create()
  await fixture.write('eggs/games/egg-chess.yaml', yamlEgg)
  await fixture.write('eggs/go.json', { meta: { version: 'PTDL_v2' }, name: 'Go', startup: './go', docker_images: {} })
  await fixture.write('eggs/other-chess.yml', yamlEgg)
  await fixture.write('eggs/broken.yaml', 'meta: [\n')
  await fixture.write('eggs/package.json', '{}')

  const dry = await fixture.import('pelican', '--eggs', fixture.path('eggs'), '--dry-run')
  const report = await fixture.import('pelican', '--eggs', fixture.path('eggs'))
  const single = await fixture.import('pelican', '--eggs', fixture.path('eggs/games/egg-chess.yaml'))
  const documented = (await readCommands('moving-in.md')).find((command) => command.includes('--eggs')) ?? ''
  const [, , ...words] = documented.trim().replace('/srv/eggs', fixture.path('eggs')).split(' ')
  const asDocumented = await fixture.import(words[0] ?? '', ...words.slice(1))

  expect(dry.counts).toEqual(report.counts)
  expect(report).toMatchObject({
    source: 'Eggs of Pelican',
    counts: { templates: { found: 2, added: 2, existing: 0 } },
    files: 0,
  })
  const notes = report.notes.join('\n')
  expect(notes).toMatch(/broken\.yaml: (?!is not an egg)/)
  expect(notes).toMatch(/files that are no eggs: \S+package\.json$/m)
  expect(notes).toMatch(/other-chess\.yml: not imported, because \S+egg-chess\.yaml is an egg of the same name, Chess/)
  expect(single.counts.templates).toEqual({ found: 1, added: 0, existing: 1 })
  expect(asDocumented).toMatchObject({ isDryRun: true, counts: { templates: { found: 2 } } })
  const rows = await fixture.read((db) =>
    db.selectFrom('templates').selectAll().where('name', '=', 'egg-chess').execute(),
  )
  expect(JSON.stringify(rows)).toContain('./chess --port {{SERVER_PORT}}')
  await expect(fixture.import('pelican', '--eggs', fixture.path('none'))).rejects.toThrow('There is no file or folder')
})

test.each([
  ['text that PHP serialized', encrypt('s:3:"abc";'), 'abc'],
  ['plain text', encrypt('abc'), 'abc'],
  ['text of another key', encrypt('abc', Buffer.alloc(32)), undefined],
  ['no envelope', 'abc', undefined],
])('%s is decrypted, or not', (_, text, result) => {
  expect(decrypt(text, appKey)).toBe(result)
})

test('a database of another program is refused', async () => {
  await using fixture = await ImportFixture.create()
  const { eggs: _, ...others } = pterodactylTables()
  await pelican(fixture, others)

  await expect(fixture.import('pelican', ...argumentsFor(fixture))).rejects.toThrow('not one of Pelican')
})

test.each([
  ['DB_CONNECTION=pgsql\nDB_HOST=db\nDB_USERNAME=p\nDB_PASSWORD="a@b/c"', 'postgresql://p:a%40b%2Fc@db:5432/panel'],
  [
    'DB_CONNECTION=pgsql\nDB_USERNAME=p\nDB_SSLMODE=require',
    'postgresql://p:@127.0.0.1:5432/panel?uselibpqcompat=true&sslmode=require',
  ],
  ['DB_CONNECTION=mariadb\nDB_USERNAME=p\nDB_DATABASE=x', 'mysql://p:@127.0.0.1:3306/x'],
])('the database of %j is found', async (text, url) => {
  await using fixture = await ImportFixture.create()
  await fixture.write('.env', text)

  expect((await readLaravelSettings(fixture.path('.env'))).database).toBe(url)
})
