import { existsSync } from 'node:fs'
import { chown, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { connect } from '@innkeeper/panel/database/database'
import { sql } from 'kysely'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { nobodyUid, runToCompletion, Service, setupTimeout } from './service.ts'

const provider = '/usr/lib/galera/libgalera_smm.so'
const database = 'innkeeper'
/** As in docs/several-panels.md. */
export const lockWaitSeconds = 3

interface Ports {
  readonly sql: number
  /** Group communication between the nodes. */
  readonly group: number
  /** Incremental state transfer. */
  readonly ist: number
}

/** One of the three MariaDB servers of a Galera cluster. */
export class GaleraNode {
  readonly port: number
  readonly #folder: string
  readonly #options: readonly string[]
  readonly #suite: Suite
  #service: Service

  constructor(suite: Suite, folder: string, own: Ports, all: readonly Ports[]) {
    this.port = own.sql
    this.#suite = suite
    this.#folder = folder
    const address = (port: number) => `127.0.0.1:${port}`
    const providerOptions = [
      `gmcast.listen_addr=tcp://${address(own.group)}`,
      `ist.recv_addr=${address(own.ist)}`,
      'gcache.size=64M',
    ]
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
      `--innodb-lock-wait-timeout=${lockWaitSeconds}`,
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      '--wsrep-cluster-name=resilience',
      `--wsrep-cluster-address=gcomm://${all.map(({ group }) => address(group)).join(',')}`,
      `--wsrep-node-address=${address(own.group)}`,
      `--wsrep-provider-options=${providerOptions.join(';')}`,
      // All nodes start with the same data, so a full state transfer is never needed.
      '--wsrep-sst-method=skip',
    ]
    this.#service = this.#createService([])
  }

  url(name = database): string {
    return `mariadb://innkeeper@127.0.0.1:${this.port}/${name}`
  }

  /** `isFirst` bootstraps the cluster; the other nodes join it. */
  async start({ isFirst = false } = {}): Promise<void> {
    this.#service = this.#createService(isFirst ? ['--wsrep-new-cluster'] : [])
    await this.#service.start()
    const isReady = async () => (await this.status('wsrep_ready')) === 'ON'
    await waitUntil('the Galera node is ready', isReady, setupTimeout).catch(async (cause: unknown) => {
      throw new Error(`MariaDB is not ready:\n${(await this.#service.log()).slice(-3_000)}`, { cause })
    })
  }

  /** The value of a status variable. */
  async status(name: string): Promise<string | undefined> {
    const { rows } = await this.query<{ Value: string }>(`show global status like '${name}'`)
    return rows[0]?.Value
  }

  async query<T>(statement: string): Promise<{ readonly rows: readonly T[] }> {
    const db = await connect(this.url('information_schema'))
    try {
      return await sql.raw<T>(statement).execute(db)
    } finally {
      await db.destroy()
    }
  }

  stop(): Promise<void> {
    return this.#service.stop('SIGTERM')
  }

  crash(): Promise<void> {
    return this.#service.crash()
  }

  /** Copies the data of this stopped node to another one. */
  async copyTo(other: GaleraNode): Promise<void> {
    const data = join(other.#folder, 'data')
    await rm(data, { recursive: true })
    await cp(join(this.#folder, 'data'), data, { recursive: true, preserveTimestamps: true })
    // The copy belongs to root.
    await runToCompletion({
      command: ['/bin/chown', '-R', `${nobodyUid}:${nobodyUid}`, data],
      folder: other.#folder,
      asRoot: true,
    })
  }

  /** Records in `grastate.dat` that this node has every transaction of `other`, so that it joins without a transfer. */
  async markAsCaughtUpWith(other: GaleraNode): Promise<void> {
    const path = join(this.#folder, 'data', 'grastate.dat')
    const state = await readFile(path, 'utf8')
    await writeFile(path, state.replace(/^seqno: .*$/m, `seqno: ${await other.status('wsrep_last_committed')}`))
  }

  #createService(extraOptions: readonly string[]): Service {
    const command = ['/usr/sbin/mariadbd', ...this.#options, ...extraOptions]
    return new Service(this.#suite, { command, folder: this.#folder })
  }
}

/** Starts a cluster of three nodes on loopback. */
export async function startGalera(
  suite: Suite,
  folder: string,
): Promise<readonly [GaleraNode, GaleraNode, GaleraNode]> {
  if (!existsSync(provider)) throw new Error('This suite needs the Debian package galera-4.')
  const ports: Ports[] = []
  for (let index = 0; index < 3; index++)
    ports.push({ sql: await freePort(), group: await freePort(), ist: await freePort() })
  const nodes = []
  for (const [index, own] of ports.entries()) {
    const nodeDir = join(folder, `galera-${index + 1}`)
    // The cluster stores its state in this schema. Without logins, no other system table is needed.
    const system = join(nodeDir, 'data', 'mysql')
    await mkdir(system, { recursive: true })
    for (const path of [nodeDir, join(nodeDir, 'data'), system]) await chown(path, nobodyUid, nobodyUid)
    nodes.push(new GaleraNode(suite, nodeDir, own, ports))
  }
  const [first, second, third] = nodes as [GaleraNode, GaleraNode, GaleraNode]
  await first.start({ isFirst: true })
  await first.query(`create database ${database}`)
  await first.stop()
  for (const other of [second, third]) await first.copyTo(other)
  await first.start({ isFirst: true })
  for (const node of [second, third]) {
    await node.markAsCaughtUpWith(first)
    await node.start()
  }
  await waitUntil(
    'the cluster has three nodes',
    async () => (await first.status('wsrep_cluster_size')) === '3',
    setupTimeout,
  )
  return [first, second, third]
}
