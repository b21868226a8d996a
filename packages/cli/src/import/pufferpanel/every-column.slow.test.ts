import { expect, test } from 'vitest'
import {
  expectEveryColumn,
  type FullDatabase,
  type FullRow,
  fullDatabase,
  meaningless,
  shown,
} from '../../testing/every-column.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { clientId, definition, otpSecret, passwordHash } from '../../testing/puffer-tables.ts'
import { pufferPanelLayout } from './layout.ts'

const id = (value: number | string) => meaningless(value, 'identifier')
const time = meaningless('2024-05-06 07:08:09', 'time of the row')
const times = { created_at: time, updated_at: time }

const user = {
  ...times,
  id: id(1),
  username: 'matilda',
  email: 'matilda@example.org',
  password: passwordHash,
  otp_secret: otpSecret,
  otp_active: shown(1, otpSecret),
}

const common: Readonly<Record<string, readonly FullRow[]>> = {
  nodes: [
    {
      ...times,
      id: id(2),
      name: 'East wing',
      public_host: 'east.example.org',
      private_host: 'east.internal.example.org',
      public_port: 8_081,
      private_port: 8_082,
      sftp_port: 5_659,
      secret: meaningless('0'.repeat(32), 'a node gets a new secret'),
    },
  ],
  templates: [{ name: 'lantern', raw_value: shown(JSON.stringify(definition), 'mojangdl'), readme: 'About lanterns' }],
  user_settings: [
    { key: shown('dark', 'setting dark of user #1'), user_id: id(1), value: meaningless('1', 'its key') },
  ],
  migrations: [{ id: meaningless('1', 'state') }],
}

const server = {
  ...times,
  identifier: '1a2b3c4d',
  name: 'Lantern',
  node_id: meaningless(null, 'this machine'),
  ip: '0.0.0.0',
  port: 25_570,
  type: shown('minecraft-java', 'minecraft-java'),
}

const client = {
  id: id(1),
  client_id: clientId,
  client_secret: passwordHash,
  user_id: id(1),
  server_id: meaningless('', 'all servers'),
  name: 'robot',
  description: 'Robot of lanterns',
}

/** Each column of a switch with its counterpart, or its name in the report. */
const globalColumns = {
  create_server: 'servers.create',
  view_nodes: 'nodes.view',
  edit_nodes: 'nodes.edit',
  deploy_nodes: 'nodes.deploy',
  view_templates: 'templates.view',
  edit_templates: 'templates.edit',
  edit_users: 'users.edit',
  view_users: 'users.view',
  panel_settings: 'panel.settings',
}
const serverColumns = {
  delete_server: 'deleteServer',
  edit_server_data: 'editServerData',
  edit_server_users: 'editServerUsers',
  install_server: 'installServer',
  view_server_console: 'viewServerConsole',
  send_server_console: 'sendServerConsole',
  stop_server: 'stopServer',
  start_server: 'startServer',
  view_server_stats: 'viewServerStats',
  view_server_files: 'viewServerFiles',
  sftp_server: 'sftpServer',
  put_server_files: 'putServerFiles',
}
const lostColumns = ['edit_server_admin', ...Object.keys(serverColumns)]

const on = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, shown(1, text)]))
const lost = (names: readonly string[], where: string) =>
  on(Object.fromEntries(names.map((name) => [name, `permission ${name} of ${where}: has no counterpart`])))

const version2: Readonly<Record<string, readonly FullRow[]>> = {
  ...common,
  users: [user],
  permissions: [
    {
      id: id(1),
      user_id: id(1),
      client_id: meaningless(null, 'of a user'),
      server_identifier: meaningless(null, 'in the panel'),
      admin: meaningless(0, 'off'),
      view_server: meaningless(1, 'every row has it'),
      update_server: meaningless(1, 'without any effect there'),
      ...on(globalColumns),
      ...lost(lostColumns, 'matilda in the panel'),
    },
    {
      id: id(2),
      user_id: id(1),
      client_id: meaningless(null, 'of a user'),
      server_identifier: '1a2b3c4d',
      view_server: meaningless(1, 'every row has it'),
      ...on(serverColumns),
      ...lost(['admin', 'edit_server_admin', ...Object.keys(globalColumns)], 'matilda on server 1a2b3c4d'),
    },
  ],
  servers: [{ ...server, node_id: meaningless(0, 'this machine') }],
  clients: [{ ...client, scopes: meaningless('', 'all of its user') }],
}

const scopes = (names: readonly string[]) => shown(`login,self.edit,${names.join(',')}`, names.join(','))

const globalScopesWithout = [
  ...['oauth2.auth', 'nodes.create', 'nodes.delete', 'templates.repo.create', 'templates.repo.delete'],
  ...['users.info.search', 'users.perms.view', 'users.perms.edit', 'server.view', 'server.start', 'server.console'],
]
const serverScopesWithout = [
  ...['server.definition.edit', 'server.data.edit.admin', 'server.flags.edit', 'server.name.edit'],
  ...['server.clients.create', 'server.tasks.edit', 'server.reload', 'server.users.create'],
]

const version3: Readonly<Record<string, readonly FullRow[]>> = {
  ...common,
  users: [user],
  permissions: [
    {
      id: id(1),
      user_id: id(1),
      client_id: meaningless(null, 'of a user'),
      server_identifier: meaningless(null, 'in the panel'),
      scopes: { ...scopes(['server.create', ...globalScopesWithout]), shown: 'servers.create' },
    },
    {
      id: id(2),
      user_id: id(1),
      client_id: meaningless(null, 'of a user'),
      server_identifier: '1a2b3c4d',
      scopes: { ...scopes(['server.start', ...serverScopesWithout]), shown: 'startServer' },
    },
  ],
  servers: [{ ...server, icon: 'lantern.png' }],
  clients: [
    {
      ...client,
      name: shown('robot', 'OAuth2 client robot'),
      client_id: shown(clientId, 'OAuth2 client robot'),
      description: meaningless('', 'none'),
    },
  ],
  template_repos: [
    { id: id(1), name: 'repository of lanterns', url: meaningless('https://example.org', 'part of it') },
  ],
  backups: [{ id: id(1), name: 'Backup of lanterns', created_at: time }],
  webauthn_credentials: [{ id: id('c1'), name: 'Key of Matilda' }],
  public_keys: [{ id: shown(1, 'SSH key #1 of user #1'), user_id: id(1) }],
  recovery_codes: [{ id: shown(1, '1 recovery codes of users') }],
  sessions: [{ id: id(1), token: meaningless('x', 'state') }],
}

async function importFrom(fixture: ImportFixture, { schema, rows, others }: FullDatabase) {
  expect(others).toEqual([])
  await fixture.write('puffer/database.db', '')
  fixture.sqlite('puffer/database.db', rows, schema)
  await fixture.write('puffer/servers/1a2b3c4d.json', { ...definition, id: '1a2b3c4d' })
  await fixture.write('puffer/config.json', {
    panel: {
      database: { dialect: 'sqlite3', url: `file:${fixture.path('puffer/database.db')}` },
      settings: { companyName: 'Lanterns Ltd' },
      email: { provider: 'smtp', password: 'mail-secret' },
      lamps: 3,
    },
    daemon: { data: { servers: fixture.path('puffer/servers') } },
  })
  return await fixture.import('pufferpanel', '--config', fixture.path('puffer/config.json'))
}

test('each column of PufferPanel 2.x is carried over or in the report, and so are its settings', async () => {
  await using fixture = await ImportFixture.create()

  const report = await importFrom(fixture, fullDatabase('pufferpanel-2', pufferPanelLayout, version2))

  const settings = report.notes.filter((note) => note.includes('config') && !note.startsWith('server'))
  await expectEveryColumn(
    fixture,
    { ...report, notes: report.notes.filter((note) => !settings.includes(note)) },
    version2,
  )
  expect(settings).toEqual([
    expect.stringMatching(
      /^settings in \S+config\.json: not carried over: name of the panel \(Lanterns Ltd\), mail provider \(smtp\), mail password$/,
    ),
    'configuration: unknown to this import, and not carried over: panel.lamps',
  ])
})

test('each column and each scope of PufferPanel 3.x is carried over or in the report', async () => {
  await using fixture = await ImportFixture.create()

  await fixture.write('puffer/servers/1a2b3c4d.cron', {
    tasks: { t2: { ...definition.tasks.t1, name: 'Morning' } },
    timezone: 'Europe/Berlin',
    concurrentLimit: 2,
    limitMode: 'reschedule',
  })
  const report = await importFrom(fixture, fullDatabase('pufferpanel-3', pufferPanelLayout, version3))

  const notes = report.notes.filter((note) => !note.startsWith('configuration: unknown'))
  await expectEveryColumn(fixture, { ...report, notes }, version3)
  expect((await fixture.definition('1a2b3c4d')).tasks).toMatchObject({
    t1: { timezone: 'UTC' },
    t2: { name: 'Morning', timezone: 'Europe/Berlin' },
  })
  expect(notes).toContain('server Lantern: the limit of 2 concurrent tasks (reschedule) is not supported')
  for (const scope of globalScopesWithout)
    expect(notes).toContain(`permission ${scope} of matilda in the panel: has no counterpart`)
  for (const scope of serverScopesWithout)
    expect(notes).toContain(`permission ${scope} of matilda on server 1a2b3c4d: has no counterpart`)
})
