import { existsSync } from 'node:fs'
import { chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { connect } from '@innkeeper/panel/database/database'
import { sql } from 'kysely'
import { type Drill, until } from '../stage/drill.ts'
import { finish, nobody, patiently, Service } from './service.ts'

const provider = '/usr/lib/galera/libgalera_smm.so'
const database = 'innkeeper'

interface Ports {
  readonly sql: number
  /** Between the nodes: what is committed, and what one has missed. */
  readonly group: number
  readonly missed: number
}

/** A MariaDB that is one of three, each of which can be written to. */
export class GaleraNode {
  readonly port: number
  readonly #folder: string
  readonly #options: readonly string[]
  readonly #drill: Drill
  #service: Service

  constructor(drill: Drill, folder: string, own: Ports, all: readonly Ports[]) {
    this.port = own.sql
    this.#drill = drill
    this.#folder = folder
    const at = (port: number) => `127.0.0.1:${port}`
    const between = [`gmcast.listen_addr=tcp://${at(own.group)}`, `ist.recv_addr=${at(own.missed)}`, 'gcache.size=64M']
    this.#options = [
      '--no-defaults',
      '--skip-grant-tables',
      `--datadir=${join(folder, 'data')}`,
      `--socket=${join(folder, 'socket')}`,
      `--tmpdir=${folder}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      `--port=${own.sql}`,
      '--max-connections=100',
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      '--innodb-buffer-pool-size=64M',
      '--innodb-log-file-size=32M',
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      '--wsrep-cluster-name=drill',
      `--wsrep-cluster-address=gcomm://${all.map(({ group }) => at(group)).join(',')}`,
      `--wsrep-node-address=${at(own.group)}`,
      `--wsrep-provider-options=${between.join(';')}`,
      // All begin with the same data: nothing but what was missed is ever to be sent.
      '--wsrep-sst-method=skip',
    ]
    this.#service = this.#serviceOf([])
  }

  url(name = database): string {
    return `mariadb://innkeeper@127.0.0.1:${this.port}/${name}`
  }

  /** `isFirst` begins the cluster; the others join it. */
  async start({ isFirst = false } = {}): Promise<void> {
    this.#service = this.#serviceOf(isFirst ? ['--wsrep-new-cluster'] : [])
    await this.#service.start()
    const isReady = async () => (await this.status('wsrep_ready')) === 'ON'
    await until('the node of the cluster is ready', isReady, patiently).catch(async (cause: unknown) => {
      throw new Error(`MariaDB is not ready:\n${(await this.#service.log()).slice(-3_000)}`, { cause })
    })
  }

  /** One value of `show status`. */
  async status(name: string): Promise<string | undefined> {
    const { rows } = await this.ask<{ Value: string }>(`show global status like '${name}'`)
    return rows[0]?.Value
  }

  async ask<T>(statement: string): Promise<{ readonly rows: readonly T[] }> {
    const db = connect(this.url('information_schema'))
    try {
      return await sql.raw<T>(statement).execute(db)
    } finally {
      await db.destroy()
    }
  }

  stop(): Promise<void> {
    return this.#service.end('SIGTERM')
  }

  crash(): Promise<void> {
    return this.#service.crash()
  }

  /** Makes another one that has the same data, and nothing of the cluster. */
  async copyTo(other: GaleraNode): Promise<void> {
    const data = join(other.#folder, 'data')
    await rm(data, { recursive: true })
    await cp(join(this.#folder, 'data'), data, { recursive: true, preserveTimestamps: true })
    // A copy is made by root.
    await finish({ command: ['/bin/chown', '-R', `${nobody}:${nobody}`, data], folder: other.#folder, asRoot: true })
  }

  /** Says that it has what the cluster has by now; that is true until somebody writes. */
  async claimToHave(seen: GaleraNode): Promise<void> {
    const path = join(this.#folder, 'data', 'grastate.dat')
    const state = await readFile(path, 'utf8')
    await writeFile(path, state.replace(/^seqno: .*$/m, `seqno: ${await seen.status('wsrep_last_committed')}`))
  }

  #serviceOf(more: readonly string[]): Service {
    const command = ['/usr/sbin/mariadbd', ...this.#options, ...more]
    return new Service(this.#drill, { command, folder: this.#folder })
  }
}

/** Three nodes on loopback, of which none knows more than the others. */
export async function startGalera(
  drill: Drill,
  folder: string,
): Promise<readonly [GaleraNode, GaleraNode, GaleraNode]> {
  if (!existsSync(provider)) throw new Error('This drill needs the Debian package galera-4.')
  const ports: Ports[] = []
  for (let at = 0; at < 3; at++)
    ports.push({ sql: await freePort(), group: await freePort(), missed: await freePort() })
  const nodes = []
  for (const [at, own] of ports.entries()) {
    const home = join(folder, `galera-${at + 1}`)
    // Where the cluster keeps what it knows of itself; nobody logs in, so nothing else is needed there.
    const system = join(home, 'data', 'mysql')
    await mkdir(system, { recursive: true })
    for (const path of [home, join(home, 'data'), system]) await chown(path, nobody, nobody)
    nodes.push(new GaleraNode(drill, home, own, ports))
  }
  const [first, second, third] = nodes as [GaleraNode, GaleraNode, GaleraNode]
  await first.start({ isFirst: true })
  await first.ask(`create database ${database}`)
  await first.stop()
  for (const other of [second, third]) await first.copyTo(other)
  await first.start({ isFirst: true })
  for (const joining of [second, third]) {
    await joining.claimToHave(first)
    await joining.start()
  }
  await until('the cluster has three nodes', async () => (await first.status('wsrep_cluster_size')) === '3', patiently)
  return [first, second, third]
}
