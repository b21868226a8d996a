import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { login } from '@innkeeper/contract/accounts/auth'
import { compileCacheEnv } from '@innkeeper/daemon/workers/start-worker'
import { createPanel } from '@innkeeper/panel/panel'
import pino from 'pino'
import { test as base, describe, expect, vi } from 'vitest'
import { commands, dispatch } from './commands.ts'
import { freePort } from './testing/free-port.ts'
import { Keyboard } from './testing/keyboard.ts'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))
const password = 'correct horse'

interface Said {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command with its own data folder. */
class Shell {
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>

  constructor(dataDir: string) {
    this.dataDir = dataDir
    this.env = {
      PATH: '/usr/bin:/bin',
      ...compileCacheEnv(),
      TERM: 'dumb',
      INNKEEPER_DATA_DIR: dataDir,
      INNKEEPER_CONFIG: join(dataDir, 'config.json'),
    }
  }

  get databaseUrl(): string {
    return `sqlite:${join(this.dataDir, 'panel.db')}`
  }

  /** Runs it with `input` instead of a terminal. */
  async run(command: string, input = ''): Promise<Said> {
    const child = spawn(process.execPath, [main, ...command.split(' ').filter(Boolean)], { env: this.env })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve))
    const [code, out, err] = await Promise.all([exitCode, text(child.stdout), text(child.stderr)])
    return { code, out, err }
  }

  /** Runs it in a terminal. */
  sit(command: string): Keyboard {
    return new Keyboard(process.execPath, [main, ...command.split(' ')], this.env)
  }
}

const test = base.extend<{ shell: Shell }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  shell: async ({}, use) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-cli-'))
    await writeFile(join(dataDir, 'config.json'), '{}')
    await use(new Shell(dataDir))
    await rm(dataDir, { recursive: true })
  },
})

/** A panel on the same database, and whether a user can log in. */
async function panelAt({ databaseUrl, dataDir }: Shell) {
  const log = pino({ level: 'silent' })
  const panel = await createPanel({ databaseUrl, host: '127.0.0.1', port: 0, templatesDir: dataDir, version: '0', log })
  return {
    close: () => panel.close(),
    async logIn(email: string, tried: string): Promise<number> {
      const payload = { email, password: tried }
      return (await panel.app.inject({ method: login.method, url: login.path, payload })).statusCode
    },
  }
}

/** Migrates the database in this process. */
async function createDatabase(shell: Shell): Promise<void> {
  const panel = await panelAt(shell)
  await panel.close()
}

describe('help', () => {
  test('every command is in the list, and an unknown one is an error', async ({ shell }) => {
    const overview = await shell.run('help')
    const unknown = await shell.run('sing aloud')

    expect([overview.code, overview.err]).toEqual([0, ''])
    for (const { name } of commands) expect(overview.out).toContain(name)
    for (const { summary } of commands) expect(overview.out).toContain(summary)
    expect([unknown.code, unknown.out]).toEqual([2, ''])
    expect(unknown.err).toContain('There is no command "sing aloud"')
  })

  test.for(commands)(
    '$name --help shows its usage and all options, and does nothing',
    async ({ name, operands, options }) => {
      const lines: string[] = []
      const nothing = () => {
        throw new Error('It was about to do something.')
      }

      for (const words of [
        [...name.split(' '), '--help'],
        ['-h', ...name.split(' ')],
      ]) {
        await dispatch(words, nothing, (text) => lines.push(text))
      }

      for (const text of lines) {
        expect(text).toContain(`Usage: innkeeper ${[name, ...operands].join(' ')} [options]`)
        for (const [option, { help }] of Object.entries(options)) {
          expect(text).toContain(`--${option}`)
          expect(text).toContain(help)
        }
      }
      expect(lines).toHaveLength(2)
    },
  )

  test('the help of a command lists its options, and opens nothing', async ({ shell }) => {
    const { code, out } = await shell.run('user edit --help')

    expect(code).toBe(0)
    expect(out).toContain('Usage: innkeeper user edit <who> [options]')
    expect(out).toContain('--no-two-factor')
    expect(await readdir(shell.dataDir)).toEqual(['config.json'])
  })
})

describe('the database', () => {
  test('is created manually, and its status is shown before and after', async ({ shell }) => {
    const before = await shell.run('db status')
    const users = await shell.run('user list')
    const files = await readdir(shell.dataDir)
    const migrating = await shell.run('db migrate')
    const after = await shell.run('db status --json')

    expect([before.code, users.code, migrating.code, after.code]).toEqual([0, 1, 0, 0])
    expect(before.out).toMatch(/0001-people-servers-templates +pending/)
    expect(users.err).toBe('There is no database yet. Run innkeeper db migrate first.\n')
    expect(files).toEqual(['config.json'])
    expect(migrating.out).toContain('The database is up to date.')
    expect(JSON.parse(after.out)).toMatchObject({ kind: 'sqlite', pending: [] })
  })

  test('that is unreachable is reported, without its password', async ({ shell }) => {
    await writeFile(join(shell.dataDir, 'config.json'), '{"databaseUrl": "postgres://me:secret@127.0.0.1:1/panel"}')

    const { code, out, err } = await shell.run('user list')

    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^The database is not available\. .*ECONNREFUSED/)
    expect(err).not.toContain('secret')
  })
})

describe('users', () => {
  test('can be added, listed, changed and deleted while a panel is running', async ({ shell }) => {
    const panel = await panelAt(shell)

    const added = await shell.run('user add keeper keeper@example.org --admin', `${password}\n`)
    expect(added).toEqual({ code: 0, out: 'Added keeper as #1.\n', err: '' })
    expect(await panel.logIn('keeper@example.org', password)).toBe(200)
    await shell.run('user add guest guest@example.org', password)

    const listed = await shell.run('user list')
    const [head = '', ...lines] = listed.out.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringMatching(/^#2 +guest +guest@example\.org +\d{4}-\d\d-\d\d$/),
      expect.stringMatching(/^#1 +keeper +keeper@example\.org +administrator +\d{4}-\d\d-\d\d$/),
    ])
    expect(lines.map((line) => line.search(/\S+@/))).toEqual(lines.map(() => head.indexOf('EMAIL')))
    expect(lines.map((line) => line.search(/\d{4}-/))).toEqual(lines.map(() => head.indexOf('CREATED')))

    expect((await shell.run('user edit guest --username visitor --email Visitor@example.org --admin on')).code).toBe(0)
    expect((await shell.run('user passwd visitor@example.org', 'another long one\n')).code).toBe(0)
    expect(await panel.logIn('visitor@example.org', password)).toBe(400)
    expect(await panel.logIn('visitor@example.org', 'another long one')).toBe(200)

    expect((await shell.run('user delete #1 --yes')).out).toBe('Deleted keeper.\n')
    const { out } = await shell.run('user list --json')
    expect(JSON.parse(out)).toEqual([
      {
        id: 2,
        username: 'visitor',
        email: 'Visitor@example.org',
        isAdmin: true,
        hasTwoFactor: false,
        createdAt: expect.stringMatching(/^\d{4}-/),
      },
    ])
    await panel.close()
  })

  test('an error changes nothing and exits with 1; wrong usage exits with 2', async ({ shell }) => {
    await createDatabase(shell)
    await shell.run('user add keeper keeper@example.org --admin', password)

    const refused = await Promise.all([
      shell.run('user add ab ab@example.org', password),
      shell.run('user add Keeper other@example.org', password),
      shell.run('user add other KEEPER@example.org', password),
      shell.run('user add other nobody', password),
      shell.run('user add other other@example.org', 'short'),
      shell.run('user edit nobody --admin on'),
      shell.run('user edit keeper --admin off'),
      shell.run('user delete keeper --yes'),
    ])
    const wrong = await Promise.all([
      shell.run('user add other', password),
      shell.run('user add other other@example.org --password=typed-here', password),
      shell.run('user add other other@example.org', ''),
      shell.run('user edit keeper'),
      shell.run('user edit keeper --admin perhaps'),
      shell.run('user delete keeper'),
      shell.run('user'),
    ])

    expect(refused.map(({ code, out, err }) => [code, out, err.trim()])).toEqual([
      [1, '', expect.stringContaining('Username must be at least 3')],
      [1, '', 'This username is taken'],
      [1, '', 'This email address is taken'],
      [1, '', 'email is not a valid email'],
      [1, '', 'Password must be at least 8 characters'],
      [1, '', 'User not found'],
      [1, '', 'The last administrator cannot be removed'],
      [1, '', 'The last administrator cannot be removed'],
    ])
    expect(wrong.map(({ code, out }) => [code, out])).toEqual(wrong.map(() => [2, '']))
    const { out } = await shell.run('user list --json')
    expect(JSON.parse(out)).toMatchObject([{ username: 'keeper', isAdmin: true }])
  })
})

describe('nodes that are permanently offline', () => {
  const aServer = { name: 'lobby', node_id: 1, ip: '', port: 0, type: 'test', created_at: 0 }

  test('a node is deleted with its servers only by force, and a server without its node too', async ({ shell }) => {
    await createDatabase(shell)
    const database = new DatabaseSync(join(shell.dataDir, 'panel.db'))
    insert(database, 'nodes', { ...aNode, id: 1, name: 'far', name_key: 'far' })
    insert(database, 'servers', { ...aServer, id: 'deadbeef' })
    insert(database, 'servers', { ...aServer, id: 'cafebabe', name: 'hall', node_id: 0 })

    const listed = await shell.run('node list --json')
    const refused = await shell.run('node delete far --yes')
    const deleted = await shell.run('node delete far --force --yes')
    const unforced = await shell.run('server delete hall --yes')
    const server = await shell.run('server delete hall --force --yes')

    expect(JSON.parse(listed.out)).toEqual([{ id: 1, name: 'far', host: 'far.example', servers: 1 }])
    expect([refused.code, refused.err.trim()]).toEqual([1, 'The node still has servers'])
    expect([deleted.code, deleted.out]).toEqual([0, expect.stringContaining('Deleted far.')])
    expect([unforced.code, server.code, server.out]).toEqual([2, 0, 'Deleted hall.\n'])
    const rows = (of: string) => database.prepare(`SELECT * FROM ${of}`).all()
    expect([rows('nodes'), rows('servers')]).toEqual([[], []])
    // A panel deletes it on its node later.
    expect(rows('unfinished_servers')).toMatchObject([{ server_id: 'cafebabe', node_id: 0 }])
    database.close()
  })
})

describe('at a terminal', () => {
  test('a password is prompted twice without echo', async ({ shell }) => {
    await createDatabase(shell)
    const user = shell.sit('user add keeper keeper@example.org')

    await user.answer('Password: ', `${password}\r`)
    await user.answer('Password again: ', `${password}\r`)

    expect(await user.ended).toBe(0)
    expect(user.seen).toContain('Added keeper as #1.')
    expect(user.seen).not.toContain(password.slice(0, 4))
    const panel = await panelAt(shell)
    expect(await panel.logIn('keeper@example.org', password)).toBe(200)
    await panel.close()
  })

  test('different passwords and Ctrl-C create no user', async ({ shell }) => {
    await createDatabase(shell)
    const differing = shell.sit('user add keeper keeper@example.org')
    await differing.answer('Password: ', `${password}\r`)
    await differing.answer('Password again: ', 'another long one\r')
    const leaving = shell.sit('user add keeper keeper@example.org')
    await leaving.answer('Password: ', 'corr\u0003')

    expect(await differing.ended).toBe(2)
    expect(differing.seen).toContain('The two passwords are not the same.')
    expect(await leaving.ended).toBe(130)
    expect(JSON.parse((await shell.run('user list --json')).out)).toEqual([])
  })

  test('deleting asks for confirmation, and anything but yes cancels', async ({ shell }) => {
    await createDatabase(shell)
    await shell.run('user add keeper keeper@example.org', password)

    const no = shell.sit('user delete keeper')
    await no.answer('Delete keeper <keeper@example.org>? [y/N] ', '\r')
    expect(await no.ended).toBe(0)
    expect(no.seen).toContain('Nothing changed.')
    const yes = shell.sit('user delete keeper')
    await yes.answer('[y/N] ', 'y\r')
    expect(await yes.ended).toBe(0)

    expect(JSON.parse((await shell.run('user list --json')).out)).toEqual([])
  })
})

test.for([
  ['all', 'INNKEEPER_PORT'],
  ['node', 'INNKEEPER_NODE_PORT'],
] as const)('a port in use is reported with its setting in the role %s', async ([role, setting], { shell }) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const node = { panelUrl: 'http://127.0.0.1:1', panelKey: 'A'.repeat(43), nodeId: 1, nodeHost: '127.0.0.1' }
  const config = role === 'node' ? { role, ...node, nodePort: port } : { role, host: '127.0.0.1', port }
  await writeFile(join(shell.dataDir, 'config.json'), JSON.stringify({ ...config, sftpPort: await freePort() }))

  const { code, err } = await shell.run('run')

  expect([code, err]).toEqual([1, `Port ${port} is already in use. Choose another one with ${setting}.\n`])
  taken.close()
})

test('a first start logs no error', async ({ shell }) => {
  const [port, sftpPort] = [await freePort(), await freePort()]
  const env = { ...shell.env, INNKEEPER_PORT: String(port), INNKEEPER_SFTP_PORT: String(sftpPort) }
  const child = spawn(process.execPath, [main, 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part))
  await vi.waitFor(() => expect(output).toContain(' is at http'), 30_000)
  await Promise.all(Array.from({ length: 20 }, () => fetch(`http://localhost:${port}/readyz`)))

  child.kill('SIGINT')
  await once(child, 'exit')

  expect(output.split('\n').filter((line) => /"stack"|"level":[5-6]0|^\s+at /.test(line))).toEqual([])
})

test('a node prints an address that can be reached', async ({ shell }) => {
  const [nodePort, sftpPort] = [await freePort(), await freePort()]
  const node = { role: 'node', panelUrl: 'http://127.0.0.1:1', panelKey: 'A'.repeat(43), nodeId: 1, nodePort, sftpPort }
  await writeFile(join(shell.dataDir, 'config.json'), JSON.stringify(node))
  const child = spawn(process.execPath, [main, 'run'], { env: shell.env, stdio: ['ignore', 'pipe', 'ignore'] })
  let said = ''
  child.stdout.on('data', (part: Buffer) => (said += part))

  await vi.waitFor(() => expect(said).toContain(' is at http'), 30_000)

  expect(said).toContain(`is at https://localhost:${nodePort} (listens on all addresses)`)
  child.kill('SIGINT')
  await once(child, 'exit')
})

test('Ctrl-C shuts it down, also when nothing reads its output', async ({ shell }) => {
  const [port, sftpPort] = [await freePort(), await freePort()]
  const env = { ...shell.env, INNKEEPER_PORT: String(port), INNKEEPER_SFTP_PORT: String(sftpPort) }
  const child = spawn(process.execPath, [main, 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let output = ''
  for await (const part of child.stdout) {
    output += part
    if (output.includes(' is at http')) break
  }
  child.stdout.destroy()
  child.stderr.destroy()

  child.kill('SIGINT')

  expect(await exited).toEqual([0, null])
})

const aNode = {
  public_host: 'far.example',
  public_port: 8080,
  private_host: 'far.example',
  private_port: 5656,
  sftp_port: 5657,
  secret: '',
  certificate: '',
  created_at: 0,
}

function insert(database: DatabaseSync, into: string, row: Readonly<Record<string, string | number>>): void {
  const columns = Object.keys(row)
  const marks = columns.map(() => '?').join()
  database.prepare(`INSERT INTO ${into} (${columns.join()}) VALUES (${marks})`).run(...Object.values(row))
}
