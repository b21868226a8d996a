import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listSessions } from '@innkeeper/contract/accounts/account'
import { putServerUser } from '@innkeeper/contract/accounts/server-users'
import { createUser, listUsers as listAccounts } from '@innkeeper/contract/accounts/users'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { getDefinition } from '@innkeeper/contract/definitions/server-definition'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { listServers, putServerTags } from '@innkeeper/contract/servers/servers'
import { createTask, listTasks } from '@innkeeper/contract/servers/tasks'
import { deleteTemplate, getTemplate, putTemplate } from '@innkeeper/contract/templates/templates'
import { expect, test } from 'vitest'
import { runCommand } from '../testing/run-command.ts'
import { TestInstallation } from '../testing/test-installation.ts'

const timeout = 60_000

const template = {
  type: 'test',
  display: 'Echo',
  data: {
    port: { type: 'integer', value: 25565, userEdit: true },
    motd: { type: 'string', value: 'A valley', userEdit: true },
    rconpassword: { type: 'string', value: '', userEdit: true },
  },
  run: { command: 'cat', stop: 'stop' },
  install: [{ type: 'mkdir', target: 'world' }],
  supportedEnvironments: [{ type: 'standard' }],
}

const guest = { username: 'guest', email: 'guest@example.net', password: 'a key under the mat' }
const operations = [{ type: 'mkdir', target: 'copies' }]

/** A template, a user, and two servers: one that only has other values, one that differs in everything. */
async function furnish(installation: TestInstallation): Promise<string> {
  await installation.send(putTemplate, { params: { name: 'echo' }, body: template } as never)
  await installation.send(createUser, { body: guest })
  const definition = { ...template, node: 0, template: 'echo' }
  await installation.send(createServer, {
    body: { ...definition, name: 'Lobby', data: { ...template.data, motd: { ...template.data.motd, value: '7' } } },
  } as never)
  const { id } = await installation.send(createServer, {
    body: {
      ...definition,
      name: 'Survival',
      data: {
        ...template.data,
        port: { ...template.data.port, value: 25566 },
        rconpassword: { ...template.data.rconpassword, value: 'tiger' },
        seed: { type: 'string', value: '00123' },
      },
      environment: { type: 'standard', limits: { memory: 512 } },
      run: { command: 'cat -u', autostart: false },
    },
  } as never)
  await installation.send(putServerTags, { params: { id }, body: { tags: ['eu', 'modded'] } })
  await installation.send(putServerUser, { params: { id, email: guest.email }, body: { startServer: true } } as never)
  const task = { name: 'Copies', cronSchedule: '0 4 * * *', operations }
  await installation.send(createTask, { params: { id }, body: task } as never)
  return id
}

const innkeeper = (installation: TestInstallation, ...args: string[]) => runCommand(args, installation.env)

async function exported(installation: TestInstallation, ...options: string[]): Promise<string> {
  const { code, out, err } = await innkeeper(installation, 'export', ...options)
  expect([code, err]).toEqual([0, ''])
  return out
}

test('an export applied to an empty machine gives the same export, and changes nothing where it is from', {
  timeout,
}, async () => {
  await using first = await TestInstallation.start()
  await furnish(first)
  const file = join(first.folder, 'servers.yaml')

  const written = await innkeeper(first, 'export', file, '--secrets')
  const again = await exported(first, '--secrets')
  const unchanged = await innkeeper(first, 'apply', file, '--dry-run')
  await using second = await TestInstallation.start()
  const planned = await innkeeper(second, 'apply', file, '--dry-run')
  const empty = await second.send(listServers, { query: {} } as never)
  const applied = await innkeeper(second, 'apply', file, '--yes')
  const repeated = await innkeeper(second, 'apply', file, '--yes')

  const text = await readFile(file, 'utf8')
  expect([written.code, (await stat(file)).mode & 0o777]).toEqual([0, 0o600])
  expect(again).toBe(text)
  expect([unchanged.code, unchanged.out]).toEqual([0, '0 to create, 0 to change, 0 to delete, 5 unchanged.\n'])
  expect([planned.code, empty.servers]).toEqual([3, []])
  expect(planned.out).toContain('4 to create, 0 to change, 0 to delete, 1 unchanged.')
  expect([applied.code, applied.err]).toEqual([0, ''])
  expect([repeated.code, repeated.out]).toEqual([0, '0 to create, 0 to change, 0 to delete, 5 unchanged.\n'])
  expect(await exported(second, '--secrets')).toBe(text)
  const { activity } = await second.send(listActivity, { query: { limit: 50 } } as never)
  expect(activity.map(({ action, user }) => `${user?.username} ${action}`)).toEqual(
    expect.arrayContaining(['mara template.edit', 'mara user.create', 'mara server.create', 'mara server.task.create']),
  )
  const { sessions } = { sessions: await second.send(listSessions, {} as never) }
  expect(JSON.stringify(sessions)).not.toContain('innkeeper apply')
})

test('changes show the old and the new value; secrets stay, and are not in the file', { timeout }, async () => {
  await using installation = await TestInstallation.start()
  const id = await furnish(installation)
  const text = await exported(installation)
  const file = join(installation.folder, 'servers.yaml')
  await writeFile(
    file,
    text
      .replace('motd: A valley', 'motd: A river')
      .replace('memory: 512', 'memory: 1024')
      .replace('autostart: false', 'autostart: true')
      .replace('- startServer', '- stopServer')
      .replace('0 4 * * *', '0 5 * * *')
      .replace('- modded', '- vanilla'),
  )

  const plan = await innkeeper(installation, 'apply', file, '--dry-run')
  const applied = await innkeeper(installation, 'apply', file, '--yes')

  expect(text).toContain('rconpassword: !secret unchanged')
  expect(text).not.toContain('tiger')
  expect(text).not.toMatch(/argon2|^ *password:/m)
  expect(plan.code).toBe(3)
  expect(plan.out.split('\n').slice(0, -3)).toEqual([
    'Change server Survival',
    '  limits.memory: 512 → 1024',
    '  autostart: false → true',
    '  variables.motd: "A valley" → "A river"',
    '  tags: eu, modded → eu, vanilla',
    `  user ${guest.email}: permissions granted: stopServer`,
    `  user ${guest.email}: permissions revoked: startServer`,
    '  task Copies: cronSchedule: "0 4 * * *" → "0 5 * * *"',
  ])
  expect([applied.code, applied.err]).toEqual([0, ''])
  const { data, run, environment } = await installation.send(getDefinition, { params: { id } })
  expect([data.motd?.value, data.rconpassword?.value, data.seed?.value]).toEqual(['A river', 'tiger', '00123'])
  expect([run.autostart, environment?.limits?.memory]).toEqual([true, 1024])
  const { tasks } = await installation.send(listTasks, { params: { id } })
  expect(Object.values(tasks).map(({ cronSchedule }) => cronSchedule)).toEqual(['0 5 * * *'])
})

test('what a file leaves out stays, and is deleted only with --prune', { timeout }, async () => {
  await using installation = await TestInstallation.start()
  await furnish(installation)
  const file = join(installation.folder, 'servers.yaml')
  const content = `version: 1
templates: {}
users: {}
servers:
  Survival:
    users: {}
    tasks: []
`
  await writeFile(file, content)

  const kept = await innkeeper(installation, 'apply', file, '--yes')
  const plan = await innkeeper(installation, 'apply', file, '--prune', '--dry-run')
  const noTerminal = await innkeeper(installation, 'apply', file, '--prune')
  await installation.send(getTemplate, { params: { name: 'echo' } })
  const pruned = await innkeeper(installation, 'apply', file, '--prune', '--yes')

  expect(kept.out).toBe('0 to create, 0 to change, 0 to delete, 1 unchanged.\n')
  expect(plan.out).toContain('with all its files')
  expect(plan.out).toContain('0 to create, 1 to change, 3 to delete, 0 unchanged.')
  expect([noTerminal.code, noTerminal.err]).toEqual([2, 'Not a terminal; pass --yes.\n'])
  expect([pruned.code, pruned.err]).toEqual([0, ''])
  const { servers } = await installation.send(listServers, { query: {} } as never)
  expect(servers.map(({ name }) => name)).toEqual(['Survival'])
  const { users } = await installation.send(listAccounts, { query: {} } as never)
  expect(users.map(({ username }) => username)).toEqual(['mara'])
  await expect(installation.send(deleteTemplate, { params: { name: 'echo' } })).rejects.toMatchObject({
    code: 'ErrNoTemplate',
  })
  // Templates of Innkeeper itself stay.
  await installation.send(getTemplate, { params: { name: 'minecraft-paper' } })
})

test('an error in the file changes nothing, and names its place', { timeout }, async () => {
  await using installation = await TestInstallation.start()
  await furnish(installation)
  const file = join(installation.folder, 'servers.yaml')
  const content = `version: 1
users:
  new@example.net:
    username: newcomer
servers:
  Survival:
    template: minecraft-paper
    variables:
      port: 70000
      prot: 1
  Arena:
    node: Nowhere
    template: echo
  Maze:
    template: missing
  Lobby:
    tasks:
      - name: Halt
        operation: []
    definition:
      run:
        autostart: true
`
  await writeFile(file, content)

  const { code, out, err } = await innkeeper(installation, 'apply', file, '--yes')

  expect([code, out]).toEqual([1, ''])
  expect(err.split('\n').map((line) => line.replace(file, 'f'))).toEqual([
    'f:7:5: The server is from the template echo, which cannot be changed.',
    'f:9:7: port must be between 1 and 65535.',
    "f:10:7: There is no variable 'prot'.",
    'f:12:5: There is no node Nowhere; there are: LocalNode.',
    'f:15:5: There is no template missing.',
    "f:22:9: 'autostart' is a field of the server.",
    '',
  ])
  const { users } = await installation.send(listAccounts, { query: {} } as never)
  expect(users).toHaveLength(2)
})

test('ends at the first refusal with what is done and what is not, and continues when it is applied again', {
  timeout,
}, async () => {
  await using installation = await TestInstallation.start()
  const file = join(installation.folder, 'servers.yaml')
  const content = (username: string) => `version: 1
templates:
  plain: { type: test, run: { command: cat } }
users:
  one@example.net: { username: ${username} }
servers:
  Lobby: { template: plain, tags: [eu] }
`
  await writeFile(file, content('mara'))

  const refused = await innkeeper(installation, 'apply', file, '--yes')
  await writeFile(file, content('another'))
  const continued = await innkeeper(installation, 'apply', file, '--yes')

  expect(refused.code).toBe(1)
  expect(refused.err).toBe(`user one@example.net: This username is taken.
Done:
  template plain
Not done:
  user one@example.net
  server Lobby
  server Lobby, tags
`)
  expect([continued.code, continued.err]).toEqual([0, ''])
  expect(continued.out).toContain('2 to create, 0 to change, 0 to delete, 1 unchanged.')
})

test('needs a running panel and an administrator', { timeout }, async () => {
  await using installation = await TestInstallation.start()
  await furnish(installation)

  const asGuest = await innkeeper(installation, 'export', '--as', guest.email)
  const onNode = await runCommand(['export'], {
    ...installation.env,
    INNKEEPER_ROLE: 'node',
    INNKEEPER_PANEL_URL: installation.url,
    INNKEEPER_PANEL_KEY: 'x'.repeat(43),
    INNKEEPER_NODE_ID: '1',
  })
  await installation.stop('SIGTERM')
  const stopped = await innkeeper(installation, 'export')

  expect([asGuest.code, asGuest.err]).toEqual([1, 'You are not authorized to perform this action\n'])
  expect(onNode.err).toBe('Run this command on the machine of the panel.\n')
  expect([stopped.code, stopped.err]).toEqual([
    1,
    `The panel at port ${installation.port} of this machine does not respond. Start Innkeeper first.\n`,
  ])
})
