import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { deleteServer, listServers } from '@innkeeper/contract/servers/servers'
import { createTask, listTasks } from '@innkeeper/contract/servers/tasks'
import { openDatabase } from '@innkeeper/panel/database/database'
import pino from 'pino'
import { pack } from 'tar-stream'
import { test as base, describe, expect, vi } from 'vitest'
import { readConfig } from '../installation/config.ts'
import { freePort } from '../testing/free-port.ts'
import { InnkeeperProcess } from '../testing/innkeeper-process.ts'
import { runCommand } from '../testing/run-command.ts'
import { getEnvironment, TestInstallation } from '../testing/test-installation.ts'
import { checkBackup } from './restore-backup.ts'

const passphrase = 'an old key, well kept'
const backupTargets = {
  targets: [
    {
      id: '0a0a0a0a',
      name: 'NAS',
      secrets: { password: 'secret' },
      address: { type: 'rest', url: 'https://nas.example.net/', user: 'keeper', certificates: '' },
    },
  ],
  defaults: ['local'],
}

/** A machine without Innkeeper: its folder and its environment. */
interface Machine {
  readonly folder: string
  readonly env: Record<string, string>
}

const test = base.extend<{ installed: Machine; empty: Machine; file: string; passphraseFile: string }>({
  /** A panel that was set up and does not run, with one definition. */
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  installed: async ({}, use) => {
    const machine = await newMachine()
    const data = join(machine.folder, 'data')
    await mkdir(join(data, 'servers', '0000000a'), { recursive: true })
    await writeFile(join(data, 'servers', '0000000a.json'), '{"id":"0000000a"}')
    await writeFile(join(data, 'servers', '0000000a', 'world.dat'), 'much')
    await writeFile(join(data, 'users.json'), '{"0000000a":1900000010}')
    await writeFile(join(data, 'node-key.pem'), 'a key')
    await mkdir(join(data, 'backups', 'repository'), { recursive: true })
    await writeFile(join(data, 'backups', 'key'), 'the key of the repositories')
    await writeFile(join(data, 'backups', 'targets.json'), JSON.stringify(backupTargets))
    await writeFile(join(data, 'backups', 'repository', 'config'), 'not in the backup')
    await writeFile(join(machine.folder, 'config.json'), '{"logLevel":"warn"}')
    const db = await openDatabase(`sqlite:${join(data, 'panel.db')}`)
    await db.insertInto('settings').values({ key: 'panel.settings.companyName', value: 'Northwind' }).execute()
    const names = { username: 'mara', username_key: 'mara', email: 'm@example.net', email_key: 'm@example.net' }
    await db
      .insertInto('users')
      .values({ id: 1, ...names, password: 'hash', created_at: 1 })
      .execute()
    await db.destroy()
    await use(machine)
    await rm(machine.folder, { recursive: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  empty: async ({}, use) => {
    const machine = await newMachine()
    await use(machine)
    await rm(machine.folder, { recursive: true })
  },
  file: async ({ empty }, use) => use(join(empty.folder, 'innkeeper.backup')),
  passphraseFile: async ({ empty }, use) => {
    const path = join(empty.folder, 'passphrase')
    await writeFile(path, `${passphrase}\n`)
    await use(path)
  },
})

async function newMachine(): Promise<Machine> {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-backup-'))
  const all = getEnvironment(folder, 1, 2)
  await writeFile(join(folder, 'config.json'), '{}')
  const env = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('INNKEEPER_ADMIN')))
  return { folder, env }
}

/** The files below a folder with digests of their content. */
async function readContent(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const digests = files
    .filter((path) => !/\/run\/|panel\.db-(wal|shm)$/.test(path))
    .map(async (path) => [
      path.slice(folder.length + 1),
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ])
  return Object.fromEntries(await Promise.all(digests))
}

async function readRows({ folder }: Machine): Promise<unknown> {
  const db = await openDatabase(`sqlite:${join(folder, 'data', 'panel.db')}`)
  try {
    const settings = await db.selectFrom('settings').selectAll().where('key', 'like', 'panel%').execute()
    return { settings, users: await db.selectFrom('users').selectAll().execute() }
  } finally {
    await db.destroy()
  }
}

/** An archive with these entries. */
async function readArchive(entries: Readonly<Record<string, string>>): Promise<Buffer> {
  const packing = pack()
  for (const [name, content] of Object.entries(entries)) packing.entry({ name }, content)
  packing.finalize()
  return gzipSync(await buffer(packing))
}

describe('a backup', () => {
  test('of a running installation restores into an empty machine, which then has its users, servers, tasks and keys', async ({
    empty,
    file,
  }) => {
    await using installation = await TestInstallation.start()
    const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
    const { id } = await installation.send(createServer, { body: definition } as never)
    const task = { name: 'Tidy', cronSchedule: '0 4 * * *', operations: [{ type: 'mkdir', target: 'x' }] }
    await installation.send(createTask, { params: { id }, body: task })
    const tasks = await installation.send(listTasks, { params: { id } })

    const made = await runCommand(['backup', file], installation.env)
    const restored = await runCommand(['restore', file], empty.env)

    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain('Backed up the database and 1 server definitions to')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toContain('Restored.')
    const [original, copy] = [join(installation.folder, 'data'), join(empty.folder, 'data')]
    for (const path of ['node-key.pem', 'sftp-host-key', 'sftp-host-key-ecdsa', `servers/${id}.json`])
      expect(await readFile(join(copy, path), 'utf8')).toBe(await readFile(join(original, path), 'utf8'))
    const [port, sftpPort] = [await freePort(), await freePort()]
    await installation.stop('SIGTERM')
    await using moved = new AsyncDisposableStack()
    const there = await InnkeeperProcess.start({
      ...empty.env,
      INNKEEPER_PORT: `${port}`,
      INNKEEPER_SFTP_PORT: `${sftpPort}`,
    })
    moved.defer(() => there.stop('SIGINT'))
    const onCopy = TestInstallation.at(empty.folder, port, sftpPort, there)
    await onCopy.logIn()
    const { servers } = await onCopy.send(listServers, { query: {} } as never)
    expect(servers.map(({ name }) => name)).toEqual(['lobby'])
    expect(await onCopy.send(listTasks, { params: { id } })).toMatchObject({
      tasks: Object.fromEntries(
        Object.entries(tasks.tasks).map(([key, { name, cronSchedule }]) => [key, { name, cronSchedule }]),
      ),
    })
  })

  test('restores while Innkeeper runs, and backs up the replaced data first', async ({ file }) => {
    await using installation = await TestInstallation.start()
    const definition = { name: 'lobby', node: 0, type: 'test', run: {}, data: {} }
    const { id } = await installation.send(createServer, { body: definition } as never)
    await runCommand(['backup', file], installation.env)
    await installation.send(deleteServer, { params: { id } } as never)

    const asked = await runCommand(['restore', file], installation.env)
    const restored = await runCommand(['restore', file, '--yes'], installation.env)

    expect(asked).toMatchObject({ code: 2, err: 'Not a terminal; pass --yes.\n' })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(restored.out).toContain('Restart Innkeeper now')
    await installation.stop('SIGTERM')
    await installation.restart()
    await installation.logIn()
    const { servers } = await installation.send(listServers, { query: {} } as never)
    expect(servers.map(({ name }) => name)).toEqual(['lobby'])
    expect(await installation.send(listTasks, { params: { id } })).toMatchObject({ tasks: {} })
    const kept = await readdir(join(installation.folder, 'data', 'innkeeper-backups'))
    expect(kept).toEqual([expect.stringMatching(/^before-restore-\d{8}T\d{6}Z\.backup$/)])
  })

  test('does not contain files of servers, and brings the configuration for comparison', async ({
    installed,
    empty,
    file,
  }) => {
    await runCommand(['backup', file], installed.env)
    await writeFile(join(empty.folder, 'config.json'), '{"port":9}')

    const { out } = await runCommand(['restore', file], empty.env)

    const data = join(empty.folder, 'data')
    expect(Object.keys(await readContent(data)).toSorted()).toEqual([
      'backups/key',
      'backups/targets.json',
      'node-key.pem',
      'panel.db',
      'restored-config.json',
      'servers/0000000a.json',
      'users.json',
    ])
    expect(await readFile(join(data, 'restored-config.json'), 'utf8')).toBe('{"logLevel":"warn"}')
    expect(await readFile(join(empty.folder, 'config.json'), 'utf8')).toBe('{"port":9}')
    expect(out).toContain(`Compare your configuration with ${join(data, 'restored-config.json')}.`)
    expect(await readRows(empty)).toEqual(await readRows(installed))
  })

  test('keeps servers that are not in it, and the system users that own files on this machine', async ({
    installed,
    file,
  }) => {
    await runCommand(['backup', file], installed.env)
    const data = join(installed.folder, 'data')
    await writeFile(join(data, 'servers', '0000000b.json'), '{"id":"0000000b"}')
    await writeFile(join(data, 'users.json'), '{"0000000b":1900000010}')

    const { out } = await runCommand(['restore', file, '--yes'], installed.env)

    expect(out).toContain('Not in the backup, and left in place: servers/0000000b.json')
    expect(JSON.parse(await readFile(join(data, 'users.json'), 'utf8'))).toEqual({ '0000000b': 1_900_000_010 })
  })

  test('can be encrypted, with a passphrase from a file, the environment or the input', async ({
    installed,
    empty,
    file,
    passphraseFile,
  }) => {
    const byFile = await runCommand(['backup', file, '--passphrase-file', passphraseFile], installed.env)
    const sealed = await readFile(file)
    const fromEnv = { ...empty.env, INNKEEPER_BACKUP_PASSPHRASE: passphrase }
    const check = await runCommand(['restore', file, '--check'], fromEnv)
    const restored = await runCommand(['restore', file], empty.env, `${passphrase}\n`)
    await runCommand(['backup', file, '--encrypt'], installed.env, 'another passphrase\n')
    const wrong = await runCommand(['restore', file, '--check'], fromEnv)

    expect(byFile.out).toMatch(/KiB, encrypted\)\.\n$/)
    expect(sealed.subarray(0, 19).toString()).toBe('innkeeper backup, e')
    expect(check).toMatchObject({ code: 0, err: '' })
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(wrong).toMatchObject({ code: 1, out: '' })
    expect(wrong.err).toBe(`${file}: The passphrase is wrong, or the file is damaged.\n`)
    expect(await readRows(empty)).toEqual(await readRows(installed))
  })

  test('that is damaged, incomplete, foreign or newer is refused, and nothing changes', async ({ installed, file }) => {
    await runCommand(['backup', file], installed.env)
    const good = await readFile(file)
    const before = await readContent(installed.folder)
    const middle = Buffer.from(good)
    middle.writeUInt8(middle.readUInt8(good.length >> 1) ^ 0xff, good.length >> 1)
    const manifest = { format: 'innkeeper-backup', version: 1, createdAt: '', innkeeper: '1', role: 'all' }
    const escaping = { path: '../../evil', bytes: 1, sha256: '0'.repeat(64) }
    const listed = { path: 'panel.db', bytes: 4, sha256: '0'.repeat(64) }
    const bad: readonly (readonly [string | Buffer, RegExp])[] = [
      [middle, /damaged/],
      [good.subarray(0, good.length - 40), /damaged/],
      [good.subarray(0, 300), /damaged/],
      ['', /is not a backup of Innkeeper\.$/],
      ['PK\x03\x04 a zip archive', /is not a backup of Innkeeper\.$/],
      [await readArchive({ 'readme.txt': 'hello' }), /not a backup of Innkeeper\.$/],
      [await readArchive({ 'manifest.json': '{"name":"a web app"}' }), /not a backup of Innkeeper\.$/],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, version: 2 }) }),
        /newer version of Innkeeper/,
      ],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, files: [escaping] }) }),
        /list of its files is damaged/,
      ],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, files: [listed] }) }),
        /'panel\.db' is missing/,
      ],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, files: [listed] }), 'panel.db': 'abcd' }),
        /damaged at 'panel\.db'/,
      ],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, files: [] }), 'x.txt': '' }),
        /damaged at 'x\.txt'/,
      ],
      [
        await readArchive({ 'manifest.json': JSON.stringify({ ...manifest, role: 'node', files: [] }) }),
        /of the role 'node'/,
      ],
    ]

    const context = { config: readConfig(installed.env, '/'), version: '1', log: pino({ level: 'silent' }) }
    for (const [content, reason] of bad) {
      await writeFile(file, content)
      await expect(checkBackup(file, context, undefined)).rejects.toThrow(reason)
    }
    const { code, out, err } = await runCommand(['restore', file, '--yes'], installed.env)

    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/of the role 'node', and this machine has the role 'all'\.\n$/)
    expect(await readContent(installed.folder)).toEqual(before)
  })

  test('that cannot be written leaves the earlier one, and a panel that was never set up has none', async ({
    installed,
    empty,
    file,
  }) => {
    await writeFile(file, 'the earlier one')
    await rm(join(installed.folder, 'data', 'panel.db'))

    const nothing = await runCommand(['backup', file], installed.env)
    const isFolder = await runCommand(['backup', empty.folder], installed.env)

    expect(nothing).toMatchObject({ code: 1, err: 'There is no database yet. Run innkeeper db migrate first.\n' })
    expect(isFolder.code).toBe(1)
    expect(await readFile(file, 'utf8')).toBe('the earlier one')
    expect((await readdir(empty.folder)).toSorted()).toEqual(['config.json', 'innkeeper.backup'])
  })

  test('of a node holds its definitions and keys', async ({ installed, empty, file }) => {
    const node = {
      INNKEEPER_ROLE: 'node',
      INNKEEPER_NODE_ID: '3',
      INNKEEPER_PANEL_URL: 'https://panel.example.org',
      INNKEEPER_PANEL_KEY: 'A'.repeat(43),
    }

    const made = await runCommand(['backup', file], { ...installed.env, ...node })
    const restored = await runCommand(['restore', file], { ...empty.env, ...node })
    const wrongRole = await runCommand(['restore', file], installed.env)

    expect(made.out).toContain('Backed up 1 server definitions')
    expect(restored).toMatchObject({ code: 0, err: '' })
    expect(await readFile(join(empty.folder, 'data', 'node-key.pem'), 'utf8')).toBe('a key')
    expect(await readdir(join(empty.folder, 'data'))).not.toContain('panel.db')
    expect(wrongRole.err).toBe("This is a backup of the role 'node', and this machine has the role 'all'.\n")
  })
})

test('a running product makes backups by its schedule, encrypted with the passphrase of its environment', async ({
  installed,
}) => {
  const [port, sftpPort] = [await freePort(), await freePort()]
  await rm(join(installed.folder, 'data', 'node-key.pem'))
  const settings = { INNKEEPER_BACKUP_EVERY_HOURS: '24', INNKEEPER_BACKUP_PASSPHRASE: passphrase }
  const ports = { INNKEEPER_PORT: `${port}`, INNKEEPER_SFTP_PORT: `${sftpPort}`, INNKEEPER_LOG_LEVEL: 'info' }
  await using parts = new AsyncDisposableStack()
  const program = await InnkeeperProcess.start({ ...installed.env, ...settings, ...ports })
  parts.defer(() => program.stop('SIGINT'))

  await vi.waitFor(() => expect(program.output).toContain('a backup was made'), { timeout: 40_000, interval: 100 })

  const dir = join(installed.folder, 'data', 'innkeeper-backups')
  const names = await readdir(dir)
  expect(names).toEqual([expect.stringMatching(/^innkeeper-\d{8}T\d{6}Z\.backup$/)])
  const check = ['restore', join(dir, names[0] ?? ''), '--check']
  expect(await runCommand(check, installed.env, `${passphrase}\n`)).toMatchObject({ code: 0, err: '' })
  expect(program.output).not.toContain(passphrase)
})

test('passphrases are not in the arguments of commands', async ({ installed, file }) => {
  const { code, err } = await runCommand(['backup', file, '--passphrase', passphrase], installed.env)

  expect(code).toBe(2)
  expect(err).toContain("Unknown option '--passphrase'")
})
