import { readFile } from 'node:fs/promises'
import { Suspensions } from '@innkeeper/daemon/servers/suspensions'
import { pino } from 'pino'
import { expect } from 'vitest'
import type { ImportReport } from '../import/report.ts'
import type { ImportFixture } from './import-fixture.ts'
import { appKey, otpSecret, passwordHash, serverUuid } from './pterodactyl-tables.ts'

/** Writes what a panel has beside its database: its `.env`, and the files of a server. */
export async function writeLaravelFiles(
  fixture: ImportFixture,
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  const values = { APP_KEY: `base64:${appKey.toString('base64')}`, APP_TIMEZONE: 'Europe/Berlin', ...settings }
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}`)
  await fixture.write('panel/.env', `${lines.join('\n')}\n`)
  await fixture.write(`volumes/${serverUuid}/server.properties`, 'motd=a valley')
}

export const argumentsFor = (fixture: ImportFixture): string[] => [
  ...['--config', fixture.path('panel/.env')],
  ...['--servers', fixture.path('volumes')],
  ...['--node', 'Here'],
]

/** Expects what both panels carry over from the same rows. */
export async function expectImported(fixture: ImportFixture, report: ImportReport): Promise<void> {
  expect(report.counts).toEqual({
    users: { found: 3, added: 3, existing: 0 },
    permissions: { found: 4, added: 3, existing: 0 },
    nodes: { found: 1, added: 1, existing: 0 },
    templates: { found: 2, added: 2, existing: 0 },
    servers: { found: 3, added: 2, existing: 0 },
    variables: { found: 5, added: 5, existing: 0 },
    tasks: { found: 1, added: 1, existing: 0 },
  })
  expect(report.files).toBe(1)
  for (const part of [
    'server Odd',
    'ove-b',
    'file.read, database.create',
    's1_shop',
    'backup script',
    'schedule Night',
  ])
    expect(report.notes.join('\n')).toContain(part)
  const rows = await fixture.read(async (db) => ({
    users: await db.selectFrom('users').select(['username', 'email', 'password']).orderBy('id').execute(),
    admins: await db
      .selectFrom('user_scopes')
      .innerJoin('users', 'id', 'user_id')
      .select(['username', 'scope'])
      .execute(),
    otp: await db.selectFrom('two_factor').innerJoin('users', 'id', 'user_id').select(['username', 'secret']).execute(),
    rights: await db.selectFrom('server_users').select(['server_id', 'rights']).orderBy('rights').execute(),
    servers: await db
      .selectFrom('servers')
      .select(['id', 'name', 'node_id', 'ip', 'port', 'template', 'suspended_reason as suspended'])
      .orderBy('id')
      .execute(),
    templates: await db.selectFrom('templates').select('name').where('name', 'like', 'egg-%').orderBy('name').execute(),
  }))
  expect(rows.users.map(({ username }) => username)).toEqual(['mara', 'ove-b', 'lost'])
  expect(rows.users.every(({ password }) => password === passwordHash)).toBe(true)
  expect(rows.admins).toEqual([{ username: 'mara', scope: 'servers.admin' }])
  expect(rows.otp).toEqual([{ username: 'ove-b', secret: otpSecret }])
  expect(rows.rights.map(({ rights }) => rights)).toContain('viewServerConsole viewServerStats startServer')
  const suspended = 'It was suspended in the panel that it comes from.'
  expect(rows.servers).toEqual([
    { id: '1a2b3c4d', name: 'Survival', node_id: 0, ip: '10.0.0.1', port: 25570, template: 'egg-paper', suspended },
    { id: '2a2b3c4d', name: 'Far', node_id: 1, ip: '10.0.0.2', port: 7777, template: 'egg-paper', suspended: null },
  ])
  const suspensions = await Suspensions.open(fixture.path('data'), pino({ level: 'silent' }))
  expect(suspensions.all).toMatchObject([{ server: '1a2b3c4d', suspension: { reason: suspended } }])
  expect(rows.templates).toEqual([{ name: 'egg-paper' }, { name: 'egg-parent' }])
  expect(await fixture.definition('1a2b3c4d')).toMatchObject({
    id: '1a2b3c4d',
    data: {
      ip: { value: '10.0.0.1' },
      port: { value: 25570 },
      memory: { value: 2048 },
      JAR: { value: 'paper.jar', userEdit: true },
      BUILD: { value: 'latest', userEdit: false },
    },
    run: {
      command: 'java -Xmx{{SERVER_MEMORY}}M -jar {{JAR}}',
      stopCode: 2,
      readyPattern: 'ready',
      environmentVars: { JAR: '${JAR}', P_SERVER_UUID: serverUuid },
    },
    environment: {
      type: 'docker',
      commandAs: 'variable',
      image: 'example.org/java:17',
      portBindings: [
        '${ip}:${port}:${port}/tcp',
        '${ip}:${port}:${port}/udp',
        '10.0.0.1:25580:25580/tcp',
        '10.0.0.1:25580:25580/udp',
      ],
      limits: { memory: '${memory}', cpu: 150, disk: 5000 },
    },
    tasks: {
      'schedule-7': {
        name: 'Night',
        cronSchedule: '0 3 * * *',
        timezone: 'Europe/Berlin',
        operations: [
          { type: 'stdin', command: 'say restart' },
          { type: 'sleep', duration: '30s' },
          { type: 'power', action: 'restart' },
        ],
        savedBy: 2,
      },
    },
  })
  const copied = fixture.path('data/servers/1a2b3c4d/server.properties')
  expect(await readFile(copied, 'utf8')).toBe('motd=a valley')
}
