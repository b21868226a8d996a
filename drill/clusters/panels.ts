import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { createNode, getNode, getNodeDeployment } from '@innkeeper/contract/nodes'
import { getReadiness } from '@innkeeper/contract/panel'
import { postSettings } from '@innkeeper/contract/settings'
import { createUser, putUserPermissions } from '@innkeeper/contract/users'
import { MailServer } from '@innkeeper/panel/testing/mail-server'
import { endKeepers } from '../../tools/end-keepers.ts'
import { type Drill, until } from '../stage/drill.ts'
import { Client, type Person } from './client.ts'
import { type Entrance, startHaproxy } from './haproxy.ts'
import { patiently, Service } from './service.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))
/** The first administrator. */
export const keeper: Person = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** Two panels on one cluster as an operator sets them up: HAProxy before them, and before the database. */
export class TwoPanels {
  /** Where people come in. */
  readonly url: string
  /** Past the proxy, for who wants to know of one of them. */
  readonly urls: readonly string[]
  readonly databaseUrls: readonly string[]
  readonly mail: MailServer
  readonly #drill: Drill
  readonly #folder: string
  readonly #panels: Service[] = []

  private constructor(
    drill: Drill,
    folder: string,
    ports: readonly number[],
    databases: readonly string[],
    mail: MailServer,
  ) {
    const [own = 0, ...panels] = ports
    this.#drill = drill
    this.#folder = folder
    this.url = `http://127.0.0.1:${own}`
    this.urls = panels.map((port) => `http://127.0.0.1:${port}`)
    this.databaseUrls = databases
    this.mail = mail
  }

  /**
   * Starts both at the same moment. `toDatabase` are what each of them reaches its database through, `urlOf` how it names
   * the database behind such a port.
   */
  static async start(
    drill: Drill,
    folder: string,
    toDatabase: readonly Omit<Entrance, 'port'>[],
    urlOf: (port: number) => string,
  ): Promise<TwoPanels> {
    const ports = [await freePort(), await freePort(), await freePort()]
    const [own = 0, ...panels] = ports
    const databases: Entrance[] = []
    for (const entrance of toDatabase) databases.push({ ...entrance, port: await freePort() })
    const web: Entrance = { name: 'panels', port: own, kind: 'web', servers: panels }
    await startHaproxy(drill, join(folder, 'haproxy'), [web, ...databases])
    const mail = await MailServer.start()
    drill.atEnd(() => mail.stop())
    const two = new TwoPanels(
      drill,
      folder,
      ports,
      databases.map(({ port }) => urlOf(port)),
      mail,
    )
    for (const [at, port] of panels.entries()) two.#panels.push(await two.#panel(`panel-${at + 1}`, port, at))
    await Promise.all(two.#panels.map((panel) => panel.start()))
    const ready = until('both panels are ready', () => two.#areReadyOrGone(), patiently)
    await ready.catch(async (cause: unknown) => {
      throw new Error(`the panels did not start:\n${(await two.said()).slice(-4_000)}`, { cause })
    })
    return two
  }

  async #areReadyOrGone(): Promise<boolean> {
    if (this.#panels.some(({ isRunning }) => !isRunning)) throw new Error('a panel ended')
    return this.areReady()
  }

  async areReady(): Promise<boolean> {
    const replies = await Promise.all(this.urls.map((url) => new Client(url).send(getReadiness, {})))
    return replies.every(({ status }) => status === 200)
  }

  /** {@link keeper}, who sets up mail. */
  async administrator(): Promise<Client> {
    const isThere = async () => (await new Client(this.url).send(getReadiness, {})).status === 200
    await until('the proxy has found the panels', isThere, patiently)
    const admin = await new Client(this.url).logIn(keeper)
    const host = `smtp://127.0.0.1:${this.mail.port}`
    const body = { 'panel.email.provider': 'smtp', 'panel.email.host': host, 'panel.email.from': 'panel@example.org' }
    await admin.must(postSettings, { body } as never)
    return admin
  }

  /** Administrators, each of whom may cause as much mail as one person may. */
  async people(admin: Client, count: number): Promise<Client[]> {
    const made = Array.from({ length: count }, async (_, at) => {
      const who = { email: `admin-${at}@example.net`, username: `admin-${at}`, password: 'a lantern at night' }
      const { id } = await admin.must(createUser, { body: who })
      await admin.must(putUserPermissions, { params: { id }, body: { admin: true } } as never)
      return await new Client(this.url).logIn(who)
    })
    return await Promise.all(made)
  }

  /** A node that joins as the panel's page of it says. */
  async node(admin: Client): Promise<number> {
    const [privatePort, sftpPort] = [await freePort(), await freePort()]
    const { id } = await admin.must(createNode, {
      body: { name: 'far', publicHost: '127.0.0.1', privatePort, sftpPort },
    })
    const { config } = await admin.must(getNodeDeployment, { params: { id } })
    const folder = join(this.#folder, 'node')
    await mkdir(folder)
    const given = { ...JSON.parse(config), dataDir: join(folder, 'data'), nodeHost: '127.0.0.1', sftpHost: '127.0.0.1' }
    await writeFile(join(folder, 'config.json'), JSON.stringify(given))
    const env = { INNKEEPER_CONFIG: join(folder, 'config.json') }
    // They outlive their node; what was put up last goes first.
    const running = join(folder, 'data', 'run')
    this.#drill.atEnd(() => (existsSync(running) ? endKeepers(running) : undefined))
    const command = [process.execPath, main, 'run']
    const node = new Service(this.#drill, { command, folder, asRoot: true, env, endBy: 'SIGINT' })
    await node.start()
    const isOnline = async () => (await admin.must(getNode, { params: { id } })).health?.state === 'online'
    await until('the node has joined', isOnline, patiently)
    return id
  }

  /** Everything that both have written. */
  async said(): Promise<string> {
    return (await Promise.all(this.#panels.map((panel) => panel.log()))).join('\n')
  }

  async #panel(name: string, port: number, at: number): Promise<Service> {
    const folder = join(this.#folder, name)
    await mkdir(folder)
    const env = {
      INNKEEPER_ROLE: 'panel',
      INNKEEPER_DATA_DIR: join(folder, 'data'),
      INNKEEPER_DATABASE_URL: this.databaseUrls[at % this.databaseUrls.length] ?? '',
      INNKEEPER_HOST: '127.0.0.1',
      INNKEEPER_PORT: String(port),
      INNKEEPER_MASTER_URL: this.url,
      INNKEEPER_TRUST_PROXY: '127.0.0.1',
      INNKEEPER_ADMIN_EMAIL: keeper.email,
      INNKEEPER_ADMIN_USERNAME: keeper.username,
      INNKEEPER_ADMIN_PASSWORD: keeper.password,
    }
    return new Service(this.#drill, { command: [process.execPath, main, 'run'], folder, asRoot: true, env })
  }
}
