import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connect } from '../database/database.ts'
import { freePort, giveToNobody, spawnAsNobody } from './database-server.ts'

const program = '/usr/sbin/pgbouncer'

/** PgBouncer on loopback, in front of a PostgreSQL server. Everything that it does not need to run has its default. */
export class PgBouncer implements AsyncDisposable {
  /** The URL of the same database by way of PgBouncer. */
  readonly url: string
  readonly #process: ChildProcess
  readonly #folder: string

  private constructor(url: string, process: ChildProcess, folder: string) {
    this.url = url
    this.#process = process
    this.#folder = folder
  }

  /**
   * Resolves when it accepts connections. `settings` are lines of its configuration.
   * @throws Error that names the Debian package when it is not installed
   */
  static async start(databaseUrl: string, settings: readonly string[] = []): Promise<PgBouncer> {
    if (!existsSync(program)) throw new Error(`These tests need '${program}' of the Debian package pgbouncer.`)
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-pgbouncer-'))
    const [server, url] = [new URL(databaseUrl), new URL(databaseUrl)]
    url.port = String(await freePort())
    const lines = [
      '[databases]',
      `* = host=${server.hostname} port=${server.port}`,
      '[pgbouncer]',
      `listen_addr = ${url.hostname}`,
      `listen_port = ${url.port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      'auth_file = users',
      ...settings,
    ]
    await writeFile(join(folder, 'users'), `"${server.username}" ""\n`)
    await writeFile(join(folder, 'pgbouncer.ini'), `${lines.join('\n')}\n`)
    for (const path of ['.', 'users', 'pgbouncer.ini']) await giveToNobody(join(folder, path))
    const child = await spawnAsNobody(folder, [program, 'pgbouncer.ini'])
    const pooler = new PgBouncer(url.href, child, folder)
    await pooler.#untilReady()
    return pooler
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit')
      this.#process.kill('SIGKILL')
      await ended
    }
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #untilReady(): Promise<void> {
    const db = await connect(this.url)
    try {
      for (const until = performance.now() + 10_000; ; await pause(50)) {
        const error = await sql`select 1`.execute(db).then(
          () => undefined,
          (reason: unknown) => reason,
        )
        if (!error) return
        if (this.#process.exitCode === null && performance.now() < until) continue
        const log = await readFile(join(this.#folder, 'log'), 'utf8')
        throw new Error(`PgBouncer does not accept connections:\n${log}`, { cause: error })
      }
    } finally {
      await db.destroy()
    }
  }
}
