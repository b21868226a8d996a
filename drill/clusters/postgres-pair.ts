import { globSync } from 'node:fs'
import { chown, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { connect } from '@innkeeper/panel/database/database'
import { sql } from 'kysely'
import { type Drill, until } from '../stage/drill.ts'
import { finish, nobody, patiently, Service } from './service.ts'

const database = 'innkeeper'

/** A PostgreSQL server and a standby that has everything before it is acknowledged. */
export class PostgresPair {
  readonly primaryPort: number
  readonly standbyPort: number
  readonly #programs: string
  readonly #folder: string
  readonly #primary: Service
  readonly #standby: Service

  private constructor(drill: Drill, programs: string, folder: string, primaryPort: number, standbyPort: number) {
    this.#programs = programs
    this.#folder = folder
    this.primaryPort = primaryPort
    this.standbyPort = standbyPort
    const server = (name: string, port: number) => {
      const data = join(folder, name)
      const where = ['-D', data, '-p', String(port), '-k', folder, '-h', '127.0.0.1']
      const command = [join(programs, 'postgres'), ...where, '-c', 'max_connections=60', '-c', 'shared_buffers=64MB']
      return new Service(drill, { command, folder })
    }
    this.#primary = server('primary', primaryPort)
    this.#standby = server('standby', standbyPort)
  }

  static async start(drill: Drill, folder: string): Promise<PostgresPair> {
    const programs = globSync('/usr/lib/postgresql/*/bin/postgres').sort().at(-1)
    if (!programs) throw new Error('This drill needs the Debian package postgresql.')
    await mkdir(folder)
    await chown(folder, nobody, nobody)
    const pair = new PostgresPair(drill, dirname(programs), folder, await freePort(), await freePort())
    const program = (name: string, ...args: string[]) =>
      finish({ command: [join(pair.#programs, name), ...args], folder })
    await program('initdb', '-D', join(folder, 'primary'), '-U', 'innkeeper', '-A', 'trust', '-E', 'UTF8', '--locale=C')
    await pair.#primary.start()
    await until('the primary answers', () => pair.#ask('postgres', 'select 1'), patiently)
    await pair.#ask('postgres', `create database ${database}`)

    const from = ['-h', '127.0.0.1', '-p', String(pair.primaryPort), '-U', 'innkeeper']
    await program('pg_basebackup', '-D', join(folder, 'standby'), '-R', '-X', 'stream', '-c', 'fast', ...from)
    await pair.#standby.start()
    await pair.#ask('postgres', "alter system set synchronous_standby_names = '*'")
    await pair.#ask('postgres', 'select pg_reload_conf()')
    const follows = "select 1 / count(*) from pg_stat_replication where sync_state = 'sync'"
    await until('the standby follows', () => pair.#ask('postgres', follows), patiently)
    return pair
  }

  /** Where the database is on one of the two. */
  url(port: number): string {
    return `postgres://innkeeper@127.0.0.1:${port}/${database}`
  }

  crash(): Promise<void> {
    return this.#primary.crash()
  }

  /** Does what watches over such a pair: when the primary says nothing for three seconds, the standby takes its place. */
  async failOver(): Promise<void> {
    for (let silent = 0; silent < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      silent = (await this.#ask('postgres', 'select 1').catch(() => false)) ? 0 : silent + 1
    }
    const data = join(this.#folder, 'standby')
    await finish({ command: [join(this.#programs, 'pg_ctl'), 'promote', '-w', '-D', data], folder: this.#folder })
  }

  /** Asks the primary. */
  async #ask(name: string, statement: string): Promise<boolean> {
    const db = connect(`postgres://innkeeper@127.0.0.1:${this.primaryPort}/${name}`)
    try {
      await sql.raw(statement).execute(db)
      return true
    } finally {
      await db.destroy()
    }
  }
}
