import { globSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { connect } from '@innkeeper/panel/database/database'
import { sql } from 'kysely'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { nobodyUid, runToCompletion, Service, setupTimeout } from './service.ts'

const database = 'innkeeper'

/** A PostgreSQL primary with a synchronous standby. */
export class PostgresPair {
  readonly primaryPort: number
  readonly standbyPort: number
  readonly #programs: string
  readonly #folder: string
  readonly #primary: Service
  readonly #standby: Service

  private constructor(suite: Suite, programs: string, folder: string, primaryPort: number, standbyPort: number) {
    this.#programs = programs
    this.#folder = folder
    this.primaryPort = primaryPort
    this.standbyPort = standbyPort
    const server = (name: string, port: number) => {
      const data = join(folder, name)
      const options = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1']
      const command = [join(programs, 'postgres'), ...options, '-c', 'max_connections=60', '-c', 'shared_buffers=64MB']
      return new Service(suite, { command, folder })
    }
    this.#primary = server('primary', primaryPort)
    this.#standby = server('standby', standbyPort)
  }

  static async start(suite: Suite, folder: string): Promise<PostgresPair> {
    const programs = globSync('/usr/lib/postgresql/*/bin/postgres').sort().at(-1)
    if (!programs) throw new Error('This suite needs the Debian package postgresql.')
    await mkdir(folder)
    await chown(folder, nobodyUid, nobodyUid)
    const pair = new PostgresPair(suite, dirname(programs), folder, await freePort(), await freePort())
    const program = (name: string, ...args: string[]) =>
      runToCompletion({ command: [join(pair.#programs, name), ...args], folder })
    await program('initdb', '-D', join(folder, 'primary'), '-U', 'innkeeper', '-A', 'trust', '-E', 'UTF8', '--locale=C')
    await pair.#primary.start()
    await waitUntil('the primary accepts queries', () => pair.#query('postgres', 'select 1'), setupTimeout)
    await pair.#query('postgres', `create database ${database}`)

    const source = ['-h', '127.0.0.1', '-p', String(pair.primaryPort), '-U', 'innkeeper']
    await program('pg_basebackup', '-D', join(folder, 'standby'), '-R', '-X', 'stream', '-c', 'fast', ...source)
    await pair.#standby.start()
    await pair.#query('postgres', "alter system set synchronous_standby_names = '*'")
    await pair.#query('postgres', 'select pg_reload_conf()')
    const isSynchronous = "select 1 / count(*) from pg_stat_replication where sync_state = 'sync'"
    await waitUntil('the standby is synchronous', () => pair.#query('postgres', isSynchronous), setupTimeout)
    return pair
  }

  /** The URL of the database on the server with this port. */
  url(port: number): string {
    return `postgres://innkeeper@127.0.0.1:${port}/${database}`
  }

  crash(): Promise<void> {
    return this.#primary.crash()
  }

  /** Promotes the standby once the primary has been unreachable for three seconds, as a failover manager does. */
  async failOver(): Promise<void> {
    for (let failures = 0; failures < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      failures = (await this.#query('postgres', 'select 1').catch(() => false)) ? 0 : failures + 1
    }
    const data = join(this.#folder, 'standby')
    await runToCompletion({
      command: [join(this.#programs, 'pg_ctl'), 'promote', '-w', '-D', data],
      folder: this.#folder,
    })
  }

  /** Runs a statement on the primary. */
  async #query(name: string, statement: string): Promise<boolean> {
    const db = await connect(`postgres://innkeeper@127.0.0.1:${this.primaryPort}/${name}`)
    try {
      await sql.raw(statement).execute(db)
      return true
    } finally {
      await db.destroy()
    }
  }
}
