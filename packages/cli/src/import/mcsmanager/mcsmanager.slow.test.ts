import { readFile, rm } from 'node:fs/promises'
import { runTransaction } from '@innkeeper/panel/database/rows'
import { addUser } from '@innkeeper/panel/database/users'
import { expect, test } from 'vitest'
import { readCommands } from '../../testing/commands-of.ts'
import { ImportFixture } from '../../testing/import-fixture.ts'

const hash = '$2a$04$abcdefghijklmnopqrstuuAbCdEfGhIjKlMnOpQrStUvWxYz01234'
const [id, dockerId] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']

/** MCSManager 10 as in its documented layout. */
async function mcsManager(fixture: ImportFixture): Promise<void> {
  const user = (uuid: string, userName: string, more = {}) =>
    fixture.write(`mcs/web/data/User/${uuid}.json`, {
      uuid,
      userName,
      passWord: hash,
      passWordType: 1,
      permission: 1,
      instances: [],
      ...more,
    })
  await user('u1', 'root', { permission: 10 })
  await user('u2', 'ove', {
    instances: [
      { instanceUuid: id, daemonId: 'd1' },
      { instanceUuid: 'elsewhere', daemonId: 'd2' },
    ],
    passWordType: 0,
    passWord: '5f4dcc3b5aa765d61d8327deb882cf99',
  })
  await user('u3', 'banned', { permission: -1 })
  await fixture.write('mcs/web/data/User/broken.json', '{')
  await fixture.write('mcs/web/data/RemoteServiceConfig/d1.json', { ip: 'localhost', port: 24444, apiKey: 'k1' })
  await fixture.write('mcs/web/data/RemoteServiceConfig/d2.json', {
    ip: 'far.example.org',
    remarks: 'Far',
    apiKey: 'k2',
  })
  await fixture.write('mcs/daemon/data/Config/global.json', { key: 'k1' })
  await fixture.write('mcs/daemon/data/InstanceConfig/global0001.json', { nickname: 'host', cwd: '/' })
  await fixture.write(`mcs/daemon/data/InstanceConfig/${id}.json`, {
    nickname: 'Lobby',
    startCommand: '{mcsm_java} -jar {quotes}my server.jar{quotes} --port {mcsm_port1} --dir {mcsm_cwd}',
    stopCommand: '^C',
    cwd: '',
    type: 'minecraft/java/paper',
    basePort: 25580,
    enableRcon: true,
    processType: 'general',
    terminalOption: { pty: true },
    eventTask: { autoStart: true, autoRestart: true },
  })
  await fixture.write(`mcs/daemon/data/InstanceConfig/${dockerId}.json`, {
    nickname: 'Box',
    startCommand: '/data/run',
    stopCommand: 'stop',
    cwd: '/',
    processType: 'docker',
    docker: { image: 'example.org/box', ports: ['25590:25565/tcp'], workingDir: '/data', env: ['A=b=c'], memory: 512 },
  })
  const task = (name: string, more: object) =>
    fixture.write(`mcs/daemon/data/TaskConfig/${id}_${name}.json`, { instanceUuid: id, name, count: -1, ...more })
  await task('often', { type: 1, time: '60', actions: [{ type: 'command', payload: 'say hi' }] })
  await task('night', { type: 2, time: '0 0 3 * * *', action: 'restart' })
  await task('once', { type: 1, time: '60', count: 1, action: 'stop' })
  await fixture.write(`mcs/daemon/data/InstanceData/${id}/my server.jar`, 'a jar')
}

test('users, instances, tasks and files of MCSManager are carried over', async () => {
  await using fixture = await ImportFixture.create()
  await mcsManager(fixture)
  const before = await fixture.snapshot('mcs')

  const report = await fixture.import('mcsmanager', fixture.path('mcs'), '--email-domain', 'example.org')

  expect(report.counts).toEqual({
    users: { found: 3, added: 2, existing: 0 },
    permissions: { found: 1, added: 1, existing: 0 },
    nodes: { found: 2, added: 1, existing: 0 },
    servers: { found: 2, added: 2, existing: 0 },
    variables: { found: 4, added: 4, existing: 0 },
    tasks: { found: 3, added: 2, existing: 0 },
  })
  expect(report.files).toBe(1)
  for (const part of [
    'user banned',
    'broken.json',
    'elsewhere',
    'task once',
    'RCON',
    'no folder of one server',
    'user ove: the password',
  ])
    expect(report.notes.join('\n')).toContain(part)
  const [users, rights, servers] = await fixture.read(async (db) => [
    await db.selectFrom('users').select(['username', 'email']).orderBy('id').execute(),
    await db.selectFrom('server_users').select('rights').execute(),
    await db.selectFrom('servers').select(['id', 'name']).orderBy('name').execute(),
  ])
  expect(users).toEqual([
    { username: 'root', email: 'root@example.org' },
    { username: 'ove', email: 'ove@example.org' },
  ])
  expect(rights).toEqual([
    {
      rights:
        'viewServerConsole viewServerStats viewServerFiles startServer stopServer sendServerConsole putServerFiles',
    },
  ])
  const [box = { id: '' }, lobby = { id: '' }] = servers as { id: string }[]
  expect(await fixture.definition(lobby.id)).toMatchObject({
    type: 'minecraft-java',
    run: { command: 'java -jar \\"my server.jar\\" --port 25581 --dir ${rootDir}', stopCode: 2, autostart: true },
    environment: { type: 'tty' },
    tasks: {
      'task-1': {
        name: 'night',
        cronSchedule: '0 0 3 * * *',
        operations: [{ type: 'power', action: 'restart' }],
        savedBy: 1,
      },
      'task-2': {
        name: 'often',
        cronSchedule: '@every 60s',
        operations: [{ type: 'stdin', command: 'say hi' }],
        savedBy: 1,
      },
    },
  })
  expect(await fixture.definition(box.id)).toMatchObject({
    run: { command: '/pufferpanel/run', stop: 'stop', environmentVars: { A: 'b=c' } },
    environment: {
      type: 'docker',
      image: 'example.org/box',
      portBindings: ['0.0.0.0:25590:25565/tcp'],
      limits: { memory: 512 },
    },
  })
  expect(await readFile(fixture.path(`data/servers/${lobby.id}/my server.jar`), 'utf8')).toBe('a jar')
  expect(await fixture.snapshot('mcs')).toEqual(before)
})

test('users whose names become the same address stay two users, and guests are named', async () => {
  await using fixture = await ImportFixture.create()
  const instances = [{ instanceUuid: id, daemonId: 'd1' }]
  const common = { passWord: hash, passWordType: 1, permission: 1, instances }
  await fixture.write('mcs/web/data/User/u1.json', { ...common, uuid: 'u1', userName: 'night.watch', permission: 10 })
  await fixture.write('mcs/web/data/User/u2.json', { ...common, uuid: 'u2', userName: 'Night-Watch' })
  await fixture.write('mcs/web/data/User/u3.json', { ...common, uuid: 'u3', userName: 'visitor', permission: 0 })
  await fixture.write('mcs/web/data/RemoteServiceConfig/d1.json', { ip: 'localhost', apiKey: 'k1' })
  await fixture.write('mcs/daemon/data/Config/global.json', { key: 'k1' })
  await fixture.write(`mcs/daemon/data/InstanceConfig/${id}.json`, { nickname: 'Lobby', cwd: '.' })
  await fixture.write(`mcs/daemon/data/InstanceData/${id}/game`, 'a game')

  const report = await fixture.import('mcsmanager', fixture.path('mcs'), '--email-domain', 'example.org')
  const again = await fixture.import('mcsmanager', fixture.path('mcs'), '--email-domain', 'example.org')

  const users = await fixture.read((db) => db.selectFrom('users').select(['username', 'email']).orderBy('id').execute())
  expect(users).toEqual([
    { username: 'night-watch', email: 'night-watch@example.org' },
    { username: 'Night-Watch-2', email: 'night-watch-2@example.org' },
    { username: 'visitor', email: 'visitor@example.org' },
  ])
  expect(report.counts.permissions).toEqual({ found: 2, added: 2, existing: 0 })
  expect(report.files).toBe(1)
  expect(report.notes).toContain('user visitor: is a guest there, and gets no access to instances')
  expect(again.counts.users).toEqual({ found: 3, added: 0, existing: 3 })
})

test('without an administrator of the source, tasks run as the named user, or have a line each', async () => {
  await using fixture = await ImportFixture.create()
  await mcsManager(fixture)
  await rm(fixture.path('mcs/web/data/User/u1.json'))
  await fixture.read((db) =>
    runTransaction(db, async (transaction) => {
      const user = { username: 'warden', email: 'w@example.org', password: hash, isEmailConfirmed: true }
      return await addUser(transaction, { ...user, scopes: ['servers.admin'] }, 0)
    }),
  )
  const run = (...args: string[]) => fixture.import('mcsmanager', fixture.path('mcs'), ...args)

  const withoutOwner = await run('--dry-run')
  const unknown = await run('--dry-run', '--task-owner', 'nobody').catch(String)
  const asUser = await run('--dry-run', '--task-owner', 'ove')
  const asNamed = await run('--task-owner', 'warden')

  expect(withoutOwner.counts.tasks).toEqual({ found: 3, added: 0, existing: 0 })
  for (const task of ['night', 'often'])
    expect(withoutOwner.notes.join('\n')).toContain(`server Lobby: task ${task} does not run`)
  expect(unknown).toContain('User not found')
  expect(asUser.notes.join('\n')).toContain('task owner ove: is no administrator')
  expect(asUser.counts.tasks?.added).toBe(0)
  expect(asNamed.counts.tasks).toEqual({ found: 3, added: 2, existing: 0 })
  const [row] = await fixture.read((db) => db.selectFrom('servers').select('id').where('name', '=', 'Lobby').execute())
  expect((await fixture.definition(String(row?.id))).tasks).toMatchObject({
    'task-1': { savedBy: 1 },
    'task-2': { savedBy: 1 },
  })
})

test('the commands of the documentation run', async () => {
  const commands = (await readCommands('moving-in.md')).filter((command) => command.includes('import mcsmanager'))
  await using fixture = await ImportFixture.create()
  await mcsManager(fixture)

  const reports = []
  for (const command of commands) {
    const [, , ...rest] = command.replaceAll('/opt/mcsmanager', fixture.path('mcs')).trim().split(' ')
    reports.push(await fixture.import('mcsmanager', ...rest.slice(1)))
  }

  expect(reports.map(({ counts }) => counts.users?.found)).toEqual([3])
})
