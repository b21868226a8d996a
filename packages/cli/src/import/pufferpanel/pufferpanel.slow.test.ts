import { generateKeyPairSync } from 'node:crypto'
import { lstat, readFile, rm } from 'node:fs/promises'
import { login } from '@innkeeper/contract/accounts/auth'
import { expect, test } from 'vitest'
import { readCommands } from '../../testing/commands-of.ts'
import { freePort } from '../../testing/free-port.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { InnkeeperProcess } from '../../testing/innkeeper-process.ts'
import {
  clientId,
  definition,
  otpSecret,
  passwordHash,
  pufferTables,
  writePufferFiles,
} from '../../testing/puffer-tables.ts'
import { TestInstallation } from '../../testing/test-installation.ts'
import { getDatabaseUrl } from './database-url.ts'

/** PufferPanel with its default database. */
async function pufferPanel(fixture: ImportFixture): Promise<void> {
  await writePufferFiles(fixture, { dialect: 'sqlite3', url: 'file:database.db?cache=shared' })
  fixture.sqlite('puffer/database.db', pufferTables())
}

const args = (fixture: ImportFixture) => ['--config', fixture.path('puffer/config.json')]

test('users, permissions, servers, templates, nodes, clients and files of PufferPanel 2.x are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)
  const before = await fixture.snapshot('puffer')

  const report = await fixture.import('pufferpanel', ...args(fixture))

  expect(report.source).toBe('PufferPanel 2.x')
  expect(report.counts).toEqual({
    users: { found: 4, added: 3, existing: 0 },
    permissions: { found: 1, added: 1, existing: 0 },
    nodes: { found: 1, added: 1, existing: 0 },
    templates: { found: 2, added: 1, existing: 0 },
    servers: { found: 3, added: 2, existing: 0 },
    variables: { found: 3, added: 3, existing: 0 },
    tasks: { found: 1, added: 1, existing: 0 },
    clients: { found: 2, added: 1, existing: 0 },
  })
  expect(report.files).toBe(1)
  for (const part of [
    'nomail',
    'broken',
    'Ove-Berg',
    'Gone',
    'cccccccc',
    'template bad',
    'narrow',
    'edit_server_admin',
  ])
    expect(report.notes.join('\n')).toContain(part)
  const rows = await fixture.read(async (db) => ({
    users: await db.selectFrom('users').select(['username', 'email', 'password']).orderBy('id').execute(),
    scopes: await db
      .selectFrom('user_scopes')
      .innerJoin('users', 'id', 'user_id')
      .select(['username', 'scope'])
      .execute(),
    rights: await db.selectFrom('server_users').select(['server_id', 'rights']).execute(),
    otp: await db.selectFrom('two_factor').select(['secret', 'is_on']).execute(),
    servers: await db.selectFrom('servers').select(['id', 'name', 'node_id', 'port']).orderBy('id').execute(),
    clients: await db.selectFrom('oauth2_clients').select(['id', 'secret']).execute(),
    nodes: await db.selectFrom('nodes').select(['name', 'secret']).execute(),
  }))
  expect(rows.users.slice(0, 2)).toEqual([
    { username: 'mara', email: 'mara@example.org', password: passwordHash },
    { username: 'Ove-Berg', email: 'ove@example.org', password: passwordHash },
  ])
  expect(rows.users[2]?.password).toMatch(/^\$argon2id/)
  expect(rows.scopes).toEqual([
    { username: 'mara', scope: 'servers.admin' },
    { username: 'Ove-Berg', scope: 'nodes.view' },
  ])
  expect(rows.rights).toEqual([{ server_id: '1a2b3c4d', rights: 'editServerData startServer' }])
  expect(rows.otp).toEqual([{ secret: otpSecret, is_on: 1 }])
  expect(rows.servers).toEqual([
    { id: '1a2b3c4d', name: 'World one', node_id: 0, port: 25570 },
    { id: 'bbbbbbbb', name: 'Far', node_id: 1, port: 7777 },
  ])
  expect(rows.clients).toEqual([{ id: clientId, secret: passwordHash }])
  expect(rows.nodes[0]?.secret).not.toBe('0'.repeat(32))
  expect(await fixture.definition('1a2b3c4d')).toMatchObject({
    ...definition,
    id: '1a2b3c4d',
    tasks: { t1: { ...definition.tasks.t1, timezone: 'UTC', savedBy: 2 } },
  })
  expect(await readFile(fixture.path('data/servers/1a2b3c4d/world/level.dat'), 'utf8')).toBe('a valley')
  expect(await fixture.snapshot('puffer')).toEqual(before)
})

test('a dry run reports the same and changes nothing, and a repeated import adds only what is missing', async () => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)
  const countRows = () => fixture.read((db) => db.selectFrom('users').select('id').execute())

  const dry = await fixture.import('pufferpanel', ...args(fixture), '--dry-run')
  const [usersAfterDryRun, foldersAfterDryRun] = [await countRows(), await fixture.snapshot('data')]
  const first = await fixture.import('pufferpanel', ...args(fixture))
  await rm(fixture.path('data/servers/1a2b3c4d'), { recursive: true })
  const second = await fixture.import('pufferpanel', ...args(fixture))

  expect(dry.counts).toEqual(first.counts)
  expect([dry.isDryRun, dry.files, usersAfterDryRun]).toEqual([true, 1, []])
  expect(foldersAfterDryRun.some((line) => line.startsWith('servers'))).toBe(false)
  expect(second.counts).toMatchObject({
    users: { found: 4, added: 0, existing: 3 },
    servers: { found: 3, added: 0, existing: 2 },
    templates: { found: 2, added: 0, existing: 1 },
    clients: { found: 2, added: 0, existing: 1 },
    tasks: { added: 0, existing: 1 },
  })
  expect(second.files).toBe(1)
  expect(await countRows()).toHaveLength(3)
})

test.each([
  ['link', true, true],
  ['move', false, false],
  ['none', undefined, true],
] as const)('with --files %s the files are used as asked', async (mode, isLink, staysAtSource) => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)

  await fixture.import('pufferpanel', ...args(fixture), '--files', mode)

  const folder = await lstat(fixture.path('data/servers/1a2b3c4d')).catch(() => undefined)
  const atSource = await lstat(fixture.path('puffer/servers/1a2b3c4d')).catch(() => undefined)
  expect(folder?.isSymbolicLink()).toBe(isLink)
  expect(atSource !== undefined).toBe(staysAtSource)
})

test('an imported user logs in with the old password, and the server and its files are there', async () => {
  const ports = [await freePort(), await freePort()] as const
  await using fixture = await ImportFixture.create(ports)
  await pufferPanel(fixture)
  await fixture.import('pufferpanel', ...args(fixture))

  const program = await InnkeeperProcess.start(fixture.env)
  await using _ = { [Symbol.asyncDispose]: () => program.stop('SIGINT') }
  const installation = TestInstallation.at(fixture.folder, ...ports, program)
  const reply = await installation.send(login, { body: { email: 'mara@example.org', password: 'a lantern at night' } })
  const headers = { authorization: `Bearer ${reply.session}` }
  const file = await fetch(`${installation.url}/proxy/daemon/server/1a2b3c4d/file/world/level.dat`, { headers })

  expect(await file.text()).toBe('a valley')
  if (process.getuid?.() === 0) {
    const { uid } = await lstat(fixture.path('data/servers/1a2b3c4d/world/level.dat'))
    expect(uid).toBeGreaterThanOrEqual(1_900_000_000)
  }
})

test.each([
  ['sqlite3', 'file:/var/lib/pufferpanel/database.db?cache=shared', 'sqlite:/var/lib/pufferpanel/database.db'],
  ['sqlite3', '', 'sqlite:/etc/pufferpanel/pufferpanel.db'],
  ['mysql', 'p:a@b/c@tcp(db:3307)/puffer?charset=utf8', 'mysql://p:a%40b%2Fc@db:3307/puffer'],
  [
    'postgresql',
    "user=puffer password='a\\'b c' dbname=panel port=9920 host = db sslmode=require",
    "postgresql://puffer:a'b%20c@db:9920/panel?uselibpqcompat=true&sslmode=require",
  ],
  ['postgresql', 'postgres://p@db/puffer', 'postgres://p@db/puffer'],
  ['mysql', '', 'mysql://pufferpanel:pufferpanel@127.0.0.1:3306/pufferpanel'],
])('the database of the dialect %s in %s is found', (dialect, text, url) => {
  expect(getDatabaseUrl(dialect, text, '/etc/pufferpanel')).toBe(url)
})

test('the commands of the documentation run', async () => {
  const commands = (await readCommands('moving-in.md')).filter((command) => command.includes('import pufferpanel'))
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)
  const { privateKey } = generateKeyPairSync('ed25519')
  await fixture.write('puffer/sftp.key', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())

  const reports = []
  for (const command of commands) {
    const words = command
      .replaceAll('/etc/pufferpanel/', fixture.path('puffer/'))
      .replaceAll('/var/lib/pufferpanel/', fixture.path('puffer/'))
    const [, , ...rest] = words.trim().split(' ')
    reports.push(await fixture.import('pufferpanel', ...rest.slice(1)))
  }

  expect(reports.map(({ isDryRun, counts }) => [isDryRun, counts.users?.found])).toEqual([
    [false, 4],
    [true, 4],
    [false, 4],
    [true, 4],
  ])
})

test('scopes and schedules of PufferPanel 3.x are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)
  await rm(fixture.path('puffer/database.db'))
  const row = (user_id: number, server_identifier: string | null, scopes: string) => ({
    user_id,
    client_id: null,
    server_identifier,
    scopes,
  })
  const user = (id: number, username: string) => ({
    id,
    username,
    email: `${username}@example.org`,
    password: passwordHash,
  })
  fixture.sqlite('puffer/database.db', {
    users: [user(1, 'mara'), user(2, 'locked')],
    permissions: [
      row(1, null, 'login,self.edit,server.create'),
      row(2, null, 'self.edit'),
      row(1, '1a2b3c4d', 'server.start,server.console,server.flags.edit'),
    ],
    servers: [{ identifier: '1a2b3c4d', name: 'One', node_id: null, ip: '0.0.0.0', port: 1, type: 'x' }],
    recovery_codes: [{ id: 1, user_id: 1, code: 'x' }],
    template_repos: [{ id: 1, name: 'community', url: 'https://example.org' }],
  })
  await fixture.write('puffer/servers/1a2b3c4d.json', {
    ...definition,
    tasks: undefined,
    environment: { type: 'host' },
  })
  await fixture.write('puffer/servers/1a2b3c4d.cron', { tasks: { t1: definition.tasks.t1 }, timezone: 'Local' })

  const report = await fixture.import('pufferpanel', ...args(fixture))

  const [rights, scopes] = await fixture.read(async (db) => [
    await db.selectFrom('server_users').select('rights').execute(),
    await db.selectFrom('user_scopes').select('scope').execute(),
  ])
  expect(report.source).toBe('PufferPanel 3.x')
  expect(report.counts.users).toEqual({ found: 2, added: 1, existing: 0 })
  expect(rights).toEqual([{ rights: 'viewServerConsole startServer' }])
  expect(scopes).toEqual([{ scope: 'servers.create' }])
  expect((await fixture.definition('1a2b3c4d')).tasks).toEqual({ t1: definition.tasks.t1 })
  for (const part of ['user locked', 'server.flags.edit', '1 recovery codes', 'template repository community'])
    expect(report.notes.join('\n')).toContain(part)
})

test('on a node only definitions and files are written, with the IDs of the panel', async () => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)
  await fixture.write('puffer/servers/1a2b3c4d.json', { ...definition, stats: { type: 'x' } })
  const node = {
    INNKEEPER_ROLE: 'node',
    INNKEEPER_NODE_ID: '3',
    INNKEEPER_PANEL_URL: 'https://panel.example.org',
    INNKEEPER_PANEL_KEY: 'A'.repeat(43),
    INNKEEPER_DATA_DIR: fixture.path('node'),
  }

  const byName = await fixture.importAs(node, 'pufferpanel', ...args(fixture), '--task-owner', 'mara').catch(String)
  const dry = await fixture.importAs(node, 'pufferpanel', ...args(fixture), '--dry-run')
  const report = await fixture.importAs(node, 'pufferpanel', ...args(fixture), '--task-owner', '#7')

  expect(byName).toContain('ID of a user')
  expect(dry.counts.tasks).toEqual({ found: 2, added: 0, existing: 0 })
  expect(dry.notes).toContain('server 1a2b3c4d: stats is not supported')
  expect(dry.notes.join('\n')).toContain('task Night does not run until an administrator saves it')
  expect(report.counts.tasks?.added).toBe(2)
  expect(report.counts.variables?.added).toBe(6)
  expect(await readFile(fixture.path('node/servers/1a2b3c4d/world/level.dat'), 'utf8')).toBe('a valley')
  const stored = JSON.parse(await readFile(fixture.path('node/servers/1a2b3c4d.json'), 'utf8')) as object
  expect(stored).toMatchObject({ id: '1a2b3c4d', tasks: { t1: { timezone: 'UTC', savedBy: 7 } } })
  expect(await fixture.read((db) => db.selectFrom('servers').select('id').execute())).toEqual([])
})

test('a panel without a node gets no servers of this machine', async () => {
  await using fixture = await ImportFixture.create()
  await pufferPanel(fixture)

  const report = await fixture.importAs({ INNKEEPER_ROLE: 'panel' }, 'pufferpanel', ...args(fixture))

  expect(report.counts.servers).toEqual({ found: 3, added: 1, existing: 0 })
  expect(report.notes).toContain('server World: one: this panel has no local node')
  expect((await fixture.snapshot('data')).some((line) => line.startsWith('servers/1a2b3c4d'))).toBe(false)
})

test('while Innkeeper runs, only a dry run is possible', async () => {
  const ports = [await freePort(), await freePort()] as const
  await using fixture = await ImportFixture.create(ports)
  await pufferPanel(fixture)
  const program = await InnkeeperProcess.start(fixture.env)
  await using _ = { [Symbol.asyncDispose]: () => program.stop('SIGINT') }

  const dry = await fixture.import('pufferpanel', ...args(fixture), '--dry-run')

  expect(dry.counts.servers?.added).toBe(2)
  await expect(fixture.import('pufferpanel', ...args(fixture))).rejects.toThrow('Stop it for the import')
})
