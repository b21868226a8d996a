import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { readCommands } from '../../testing/commands-of.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'

const hash = '$argon2id$v=19$m=102400,t=2,p=8$c29tZXNhbHRzb21lc2FsdA$R3pJ0c8u3pQm3T0q8Y4o6mX8r5o1z9bq2n6o4x7y1cE'
const serverId = '5e0cbb3c-9a8e-4f0e-8d0c-0a1b2c3d4e5f'

/** Crafty 4 as in its documented layout; paths as in its container. */
async function crafty(fixture: ImportFixture): Promise<void> {
  const user = (user_id: number, username: string, more = {}) => ({
    user_id,
    username,
    password: hash,
    email: 'default@example.com',
    enabled: 1,
    superuser: 0,
    ...more,
  })
  const schedule = (schedule_id: number, command: string, more = {}) => ({
    schedule_id,
    server_id: serverId,
    enabled: 1,
    action: 'command',
    interval: 1,
    interval_type: 'days',
    start_time: '03:30',
    command,
    comment: `Schedule ${schedule_id}`,
    one_time: 0,
    cron_string: '',
    ...more,
  })
  await fixture.write('crafty/app/config/db/crafty.sqlite', '')
  fixture.sqlite('crafty/app/config/db/crafty.sqlite', {
    users: [
      user(1, 'admin', { superuser: 1, email: 'mara@example.org' }),
      user(2, 'ove'),
      user(3, 'gone', { enabled: 0 }),
      user(4, 'system'),
      user(5, 'twin', { email: 'Mara@example.org' }),
    ],
    roles: [{ role_id: 1, role_name: 'Players' }],
    user_roles: [
      { user_id: 2, role_id: 1 },
      { user_id: 2, role_id: 2 },
    ],
    role_servers: [
      { role_id: 1, server_id: serverId, permissions: '10100000' },
      { role_id: 2, server_id: serverId, permissions: '00000100' },
    ],
    servers: [
      {
        server_id: serverId,
        server_name: 'Survival',
        path: `/crafty/servers/${serverId}`,
        executable: 'paper.jar',
        execution_command: `java -Xmx2000M -jar /crafty/servers/${serverId}/paper.jar nogui`,
        auto_start: 1,
        auto_start_delay: 10,
        crash_detection: 1,
        stop_command: 'stop',
        server_port: 25571,
        type: 'minecraft-java',
      },
    ],
    schedules: [
      schedule(1, 'restart_server'),
      schedule(2, 'say hello', { interval_type: 'hours', interval: 2 }),
      schedule(3, 'backup_server', { cron_string: '0 4 * * 1', enabled: 0 }),
      schedule(4, 'stop_server', { interval_type: 'reaction' }),
      schedule(5, 'update_executable'),
      schedule(6, 'say often', { interval: 3 }),
    ],
    api_keys: [{ token_id: 1, name: 'bot', user_id: 1 }],
  })
  await fixture.write(`crafty/servers/${serverId}/paper.jar`, 'a jar')
}

test('users, roles, servers, schedules and files of Crafty are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await crafty(fixture)
  const before = await fixture.snapshot('crafty')

  const report = await fixture.import('crafty', fixture.path('crafty'))
  const again = await fixture.import('crafty', fixture.path('crafty'))

  expect(report.counts).toEqual({
    users: { found: 5, added: 2, existing: 0 },
    permissions: { found: 1, added: 1, existing: 0 },
    servers: { found: 1, added: 1, existing: 0 },
    variables: { found: 2, added: 2, existing: 0 },
    tasks: { found: 6, added: 4, existing: 0 },
  })
  expect(again.counts).toMatchObject({
    users: { added: 0, existing: 2 },
    servers: { added: 0, existing: 1 },
    tasks: { added: 0, existing: 4 },
  })
  for (const part of [
    'user gone',
    'user system',
    'ove@imported.invalid',
    'delay of the automatic start',
    'API key bot',
    'user twin: has the email address of another user, Mara@example.org',
    'schedule Schedule 6: runs every 3 days, but not at a fixed time',
  ])
    expect(report.notes.join('\n')).toContain(part)
  const [users, rights, servers] = await fixture.read(async (db) => [
    await db.selectFrom('users').select(['username', 'email', 'password']).orderBy('id').execute(),
    await db.selectFrom('server_users').select('rights').execute(),
    await db.selectFrom('servers').select(['id', 'name', 'port']).execute(),
  ])
  expect(users).toEqual([
    { username: 'admin', email: 'mara@example.org', password: hash },
    { username: 'ove', email: 'ove@imported.invalid', password: hash },
  ])
  expect(rights).toEqual([
    { rights: 'viewServerConsole viewServerStats viewServerFiles startServer stopServer putServerFiles' },
  ])
  const id = String((servers[0] as { id: string }).id)
  expect(servers).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{8}$/), name: 'Survival', port: 25571 }])
  expect(await fixture.definition(id)).toMatchObject({
    run: {
      command: 'java -Xmx2000M -jar paper.jar nogui',
      stop: 'stop',
      autostart: true,
      autorecover: true,
    },
    environment: { type: 'standard' },
    tasks: {
      'schedule-1': { cronSchedule: '30 3 * * *', operations: [{ type: 'power', action: 'restart' }] },
      'schedule-2': { cronSchedule: '@every 2h', operations: [{ type: 'stdin', command: 'say hello' }] },
      'schedule-3': { cronSchedule: null, operations: [{ type: 'backup' }] },
    },
  })
  expect(await readFile(fixture.path(`data/servers/${id}/paper.jar`), 'utf8')).toBe('a jar')
  expect(await fixture.snapshot('crafty')).toEqual(before)
})

test('the commands of the documentation run', async () => {
  const commands = (await readCommands('moving-in.md')).filter((command) => command.includes('import crafty'))
  await using fixture = await ImportFixture.create()
  await crafty(fixture)

  const reports = []
  for (const command of commands) {
    const [, , ...rest] = command.replaceAll('/var/opt/minecraft/crafty', fixture.path('crafty')).trim().split(' ')
    reports.push(await fixture.import('crafty', ...rest.slice(1)))
  }

  expect(reports.map(({ counts }) => counts.users?.found)).toEqual([5])
})
