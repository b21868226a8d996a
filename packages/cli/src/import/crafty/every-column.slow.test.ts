import { expect, test } from 'vitest'
import {
  expectEveryColumn,
  type FullRow,
  fullDatabase,
  getTables,
  meaningless,
  shown,
} from '../../testing/every-column.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'
import { craftyLayout } from './layout.ts'

const serverId = '5e0cbb3c-9a8e-4f0e-8d0c-0a1b2c3d4e5f'
const hash = '$argon2id$v=19$m=102400,t=2,p=8$c29tZXNhbHRzb21lc2FsdA$R3pJ0c8u3pQm3T0q8Y4o6mX8r5o1z9bq2n6o4x7y1cE'
const id = (value: number | string) => meaningless(value, 'identifier')
const time = meaningless('2024-05-06 07:08:09', 'time of the row')

const user = {
  created: time,
  last_login: time,
  last_update: time,
  last_ip: meaningless('192.0.2.1', 'state'),
  password: hash,
  enabled: meaningless(1, 'else it is not carried over'),
  support_logs: meaningless('/tmp/logs', 'state'),
  valid_tokens_from: time,
  server_order: meaningless('1,2', 'state'),
  preparing: meaningless(0, 'state'),
  hints: meaningless(1, 'state'),
  pfp: meaningless('/static/pic.png', 'picture of another service'),
  dashboard_columns: 'server,lamps',
  disable_password_auth: meaningless(0, 'the password is used'),
  cleared_notifs: meaningless('x', 'state'),
}

const tables: Readonly<Record<string, readonly FullRow[]>> = {
  users: [
    {
      ...user,
      user_id: id(1),
      username: 'matilda',
      email: 'matilda@example.org',
      superuser: shown(1, 'servers.admin'),
      lang: shown('de_DE', '"de_DE"'),
      manager: shown(7, 'manager (user #7)'),
      theme: 'lanternlight',
    },
    {
      ...user,
      user_id: id(2),
      username: 'second',
      email: 'second@example.org',
      superuser: meaningless(0, 'no administrator'),
    },
    {
      ...user,
      user_id: id(3),
      username: 'keyholder',
      email: 'keyholder@example.org',
      disable_password_auth: shown(1, 'user keyholder: signs in by passkey only there'),
      superuser: meaningless(0, 'no administrator'),
    },
  ],
  roles: [
    {
      role_id: id(1),
      created: time,
      last_update: time,
      role_name: 'lamplighters',
      manager: shown(7, 'manager (user #7)'),
      mfa_required: shown(1, 'that a second factor is required'),
    },
  ],
  user_roles: [{ user_id: id(2), role_id: id(1) }],
  role_servers: [
    {
      role_id: id(1),
      server_id: id(serverId),
      permissions: shown('00011001', 'permission for schedules of second on server Lantern'),
    },
  ],
  user_crafty: [
    {
      id: id(1),
      user_id: shown(2, 'permissions of user #2'),
      permissions: shown('101', 'to create (3 servers, roles)'),
      limit_server_creation: shown(3, '3 servers'),
      limit_user_creation: meaningless(0, 'without its permission'),
      limit_role_creation: meaningless(-1, 'no limit'),
      created_server: meaningless(1, 'state'),
      created_user: meaningless(0, 'state'),
      created_role: meaningless(0, 'state'),
    },
  ],
  servers: [
    {
      server_id: id(serverId),
      created: time,
      server_uuid: id(serverId),
      server_name: 'Lantern',
      path: meaningless(`/crafty/servers/${serverId}`, 'the folder'),
      backup_path: '/crafty/backups/lantern',
      executable: meaningless('paper.jar', 'part of the command'),
      log_path: meaningless('./logs/latest.log', 'no log is read'),
      execution_command: 'java -jar lantern.jar nogui',
      auto_start: shown(1, '"autostart": true'),
      auto_start_delay: shown(17, 'the delay of the automatic start'),
      crash_detection: shown(1, '"autorecover": true'),
      stop_command: shown('douse', '"stop": "douse"'),
      executable_update_url: 'https://example.org/lantern.jar',
      server_ip: '192.0.2.77',
      server_port: 25_571,
      logs_delete_after: shown(12, 'days until logs are deleted (12)'),
      type: shown('minecraft-java', '"type": "minecraft-java"'),
      app_id: shown(896_660, 'Steam app (896660)'),
      show_status: shown(0, 'hidden from the status page'),
      created_by: meaningless(1, 'state'),
      shutdown_timeout: shown(145, '"stopTimeout": 145'),
      ignored_exits: shown('0,130', 'exit codes that are no crash (0,130)'),
      count_players: shown(0, 'not counted players'),
      update_watcher: shown(1, 'search for updates'),
    },
  ],
  schedules: [
    {
      schedule_id: id(1),
      server_id: id(serverId),
      enabled: shown(1, '"5 4 * * *"'),
      action: meaningless('command', 'the command says it'),
      interval: meaningless(1, 'the cron text has precedence'),
      interval_type: meaningless('days', 'the cron text has precedence'),
      start_time: meaningless('03:30', 'the cron text has precedence'),
      command: 'say the lanterns go out',
      comment: meaningless('Night watch', 'old name of the name'),
      name: 'Night',
      one_time: meaningless(0, 'else it is not carried over'),
      cron_string: '5 4 * * *',
      parent: meaningless(null, 'only of reactions'),
      delay: meaningless(0, 'only of reactions'),
      next_run: time,
      action_id: shown('b-17', 'backup setting (b-17)'),
    },
  ],
  totp_data: [
    { id: id('t1'), name: meaningless('TOTP', 'title'), user_id: id(1), totp_secret: 'JBSWY3DPEHPK3PXP' },
    {
      id: id('t2'),
      name: meaningless('TOTP', 'title'),
      user_id: id(1),
      totp_secret: shown('KBSWY3DPEHPK3PXP', 'only the first of 2 second factors'),
    },
  ],
  totp_recovery: [{ id: shown('r1', '1 recovery codes of users'), user_id: id(1) }],
  passkey_data: [{ id: id('p1'), name: 'Key of Matilda' }],
  api_keys: [{ token_id: id(1), name: 'robot of lanterns', user_id: id(1) }],
  backups: [{ backup_id: id('b-17'), backup_name: 'Backup of lanterns', server_id: id(serverId) }],
  webhooks: [{ id: id(1), name: 'Hook of lanterns', server_id: id(serverId) }],
  crafty_settings: [
    {
      id: id(1),
      secret_api_key: meaningless('x', 'secret of the other panel'),
      cookie_secret: meaningless('x', 'secret of the other panel'),
      login_photo: 'lantern.jpg',
      login_opacity: shown(42, 'opacity of the sign-in (42)'),
      master_server_dir: '/srv/all-servers',
    },
  ],
  audit_log: [{ audit_id: shown(1, '1 entries of the audit log'), log_msg: meaningless('x', 'log') }],
  host_stats: [{ time }],
}

/** Tables and columns that 4.10.1 does not have any more. */
const older = [
  'audit_log',
  'schedules.comment',
  'servers.backup_path',
  'servers.server_uuid',
  'user_crafty.created_role',
  'user_crafty.created_server',
  'user_crafty.created_user',
  'users.support_logs',
]

const withoutOlder = Object.fromEntries(
  Object.entries(tables).flatMap(([table, rows]) => {
    if (older.includes(table)) return []
    const kept = (row: FullRow) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !older.includes(`${table}.${column}`)))
    return [[table, rows.map(kept)] as const]
  }),
)

test.each(['4.10.1', 'older versions'])(
  'each column of Crafty is carried over or in the report: %s',
  async (version) => {
    await using fixture = await ImportFixture.create()
    await fixture.write('crafty/app/config/db/crafty.sqlite', '')
    await fixture.write('crafty/app/config/config.json', { https_port: 8443, language: 'en_EN', dir_size_poll_freq: 5 })
    const { schema, rows, others } = fullDatabase('crafty', craftyLayout, tables)
    expect(others).toEqual(older)
    const isCurrent = version === '4.10.1'
    if (isCurrent) fixture.sqlite('crafty/app/config/db/crafty.sqlite', rows, schema)
    else fixture.sqlite('crafty/app/config/db/crafty.sqlite', getTables(tables))

    const report = await fixture.import('crafty', fixture.path('crafty'))

    await expectEveryColumn(fixture, report, isCurrent ? withoutOlder : tables)
    expect(report.notes.join('\n')).toContain('permission for schedules of second on server Lantern')
    expect(report.notes.join('\n')).toMatch(/settings in \S+config\.json: not carried over: .*dir_size_poll_freq/)
    const users = await fixture.read((db) => db.selectFrom('users').select(['username', 'password']).execute())
    expect(users.find(({ username }) => username === 'keyholder')?.password).not.toBe(hash)
  },
)
