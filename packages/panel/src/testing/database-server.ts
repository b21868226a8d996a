import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { chown, mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../database/database.ts'
import type { Database } from '../database/schema.ts'

const serverKinds = ['postgres', 'mariadb'] as const
export type ServerKind = (typeof serverKinds)[number]

/** How to install and run a kind of database server. */
interface Recipe {
  /** Its Debian package. */
  readonly package: string
  /** Folders of its programs. */
  readonly programs: string
  /** Commands that initialize an empty data folder. */
  prepare(folder: string): readonly (readonly string[])[]
  run(folder: string, port: number): readonly string[]
  /** Arguments for disposable data: no durability. */
  readonly noDurability: readonly string[]
  /** The signal for an immediate shutdown. */
  readonly endBy: NodeJS.Signals
  url(port: number, database: string): string
  /** A database that always exists. */
  readonly dataDir: string
}

const recipes: Readonly<Record<ServerKind, Recipe>> = {
  postgres: {
    package: 'postgresql',
    programs: '/usr/lib/postgresql/*/bin',
    prepare: (folder) => [
      ['initdb', '-D', join(folder, 'data'), '-U', 'innkeeper', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    ],
    run: (folder, port) => [
      'postgres',
      ...['-D', join(folder, 'data'), '-p', String(port), '-k', folder, '-h', '127.0.0.1'],
      ...['-c', 'max_connections=300', '-c', 'shared_buffers=64MB', '-c', 'log_min_messages=fatal'],
    ],
    noDurability: ['fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum'].flatMap((setting) => [
      '-c',
      `${setting}=off`,
    ]),
    endBy: 'SIGINT',
    url: (port, database) => `postgres://innkeeper@127.0.0.1:${port}/${database}`,
    dataDir: 'postgres',
  },
  mariadb: {
    package: 'mariadb-server-core',
    programs: '/usr/sbin',
    prepare: () => [],
    run: (folder, port) => [
      'mariadbd',
      '--no-defaults',
      '--skip-grant-tables',
      `--datadir=${join(folder, 'data')}`,
      `--socket=${join(folder, 'socket')}`,
      // Otherwise another server that starts would remove files from the shared folder.
      `--tmpdir=${folder}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${port}`,
      '--max-connections=300',
      '--skip-log-bin',
      '--innodb-buffer-pool-size=64M',
      '--innodb-log-file-size=32M',
    ],
    noDurability: ['--innodb-flush-log-at-trx-commit=0', '--innodb-flush-method=nosync', '--skip-innodb-doublewrite'],
    endBy: 'SIGTERM',
    url: (port, database) => `mariadb://innkeeper@127.0.0.1:${port}/${database}`,
    dataDir: 'information_schema',
  },
}

/** A database server with its own data folder, on loopback. */
export class DatabaseServer {
  readonly #recipe: Recipe
  readonly #folder: string
  readonly #programs: string
  readonly #port: number
  readonly #isLasting: boolean
  #process: ChildProcess | undefined

  private constructor(recipe: Recipe, folder: string, programs: string, port: number, isLasting: boolean) {
    this.#recipe = recipe
    this.#folder = folder
    this.#programs = programs
    this.#port = port
    this.#isLasting = isLasting
  }

  /**
   * Initializes and starts a server; a `lasting` one keeps its data after a crash.
   * @throws Error that names the Debian package when the server is not installed
   */
  static async create(kind: ServerKind, { lasting = false } = {}): Promise<DatabaseServer> {
    const recipe = recipes[kind]
    const [program = ''] = recipe.run('', 0)
    const found = globSync(join(recipe.programs, program)).sort().at(-1)
    if (!found) throw new Error(`These tests need '${program}' of the Debian package ${recipe.package}.`)
    const folder = await mkdtemp(join(tmpdir(), `innkeeper-${kind}-`))
    await mkdir(join(folder, 'data'))
    for (const path of [folder, join(folder, 'data')]) await giveToNobody(path)
    const server = new DatabaseServer(recipe, folder, dirname(found), await freePort(), lasting)
    for (const command of recipe.prepare(folder)) await server.#finish(command)
    await server.start()
    if (!lasting) return server
    // A new MariaDB is completely written only after its first shutdown.
    await server.stop()
    await server.start()
    return server
  }

  /** The URL of one of its databases. */
  url(database = this.#recipe.dataDir): string {
    return this.#recipe.url(this.#port, database)
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const { run, noDurability } = this.#recipe
    const command = [...run(this.#folder, this.#port), ...(this.#isLasting ? [] : noDurability)]
    this.#process = await this.#spawn(command)
    const db = await connect(this.url())
    const until = performance.now() + 10_000
    try {
      while (!(await answers(db))) {
        await pause(50)
        if (this.#process.exitCode === null) continue
        if (performance.now() > until) throw new Error(`The database server exited:\n${await this.#log()}`)
        // Processes of a killed server may still be exiting; the new one does not wait for them.
        this.#process = await this.#spawn(command)
      }
    } finally {
      await db.destroy()
    }
  }

  /** Kills the server; its data stay. */
  async stop(signal: NodeJS.Signals = this.#recipe.endBy): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    const ended = once(running, 'exit')
    running.kill(signal)
    await ended
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.stop('SIGKILL')
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #finish(command: readonly string[]): Promise<void> {
    const child = await this.#spawn(command)
    const [code] = (await once(child, 'exit')) as [number | null]
    if (code !== 0) throw new Error(`'${command[0]}' failed:\n${await this.#log()}`)
  }

  #spawn([program = '', ...args]: readonly string[]): Promise<ChildProcess> {
    return spawnAsNobody(this.#folder, [join(this.#programs, program), ...args])
  }

  #log(): Promise<string> {
    return readFile(join(this.#folder, 'log'), 'utf8')
  }
}

const nobodyUid = 65_534

/** Lets a program of `spawnAsNobody` use a folder or file. */
export async function giveToNobody(path: string): Promise<void> {
  if (isRoot()) await chown(path, nobodyUid, nobodyUid)
}

/** Database servers refuse to run as root, and must exit with the tests in any case. They write to `log` in their folder. */
export async function spawnAsNobody(folder: string, program: readonly string[]): Promise<ChildProcess> {
  const log = await open(join(folder, 'log'), 'a')
  const asOtherUser = isRoot() ? ['--reuid', String(nobodyUid), '--regid', String(nobodyUid), '--clear-groups'] : []
  const command = ['--pdeathsig', 'KILL', ...asOtherUser, '--', ...program]
  const child = spawn('setpriv', command, { cwd: folder, stdio: ['ignore', log.fd, log.fd] })
  await once(child, 'spawn')
  await log.close()
  return child
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

async function answers(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db)
    return true
  } catch {
    // Not ready yet.
    return false
  }
}

/** Below the ephemeral port range: an ephemeral port could be taken before it is used. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const probe = createServer().listen(port, '127.0.0.1')
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}
