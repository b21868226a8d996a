import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { createUser, putUserPermissions } from '@innkeeper/contract/accounts/users'
import { createNode, getNode, getNodeDeployment } from '@innkeeper/contract/nodes/nodes'
import { getReadiness } from '@innkeeper/contract/settings/panel'
import { postSettings } from '@innkeeper/contract/settings/settings'
import { MailServer } from '@innkeeper/panel/testing/mail-server'
import { stopKeepers } from '../../tools/stop-keepers.ts'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { type Account, Client } from './client.ts'
import { type Listener, startHaproxy } from './haproxy.ts'
import { Service, setupTimeout } from './service.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))
/** The first administrator, created at startup. */
export const adminAccount: Account = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** Two panels on one database cluster, set up as in docs/several-panels.md, with HAProxy for panels and databases. */
export class PanelPair {
  /** The URL of HAProxy. */
  readonly url: string
  /** The URLs of the panels themselves. */
  readonly urls: readonly string[]
  readonly databaseUrls: readonly string[]
  readonly mail: MailServer
  readonly #suite: Suite
  readonly #folder: string
  readonly #panels: Service[] = []

  private constructor(
    suite: Suite,
    folder: string,
    ports: readonly number[],
    databaseUrls: readonly string[],
    mail: MailServer,
  ) {
    const [proxyPort = 0, ...panelPorts] = ports
    this.#suite = suite
    this.#folder = folder
    this.url = `http://127.0.0.1:${proxyPort}`
    this.urls = panelPorts.map((port) => `http://127.0.0.1:${port}`)
    this.databaseUrls = databaseUrls
    this.mail = mail
  }

  /**
   * Starts both panels at the same time. Panel i connects to the database through the i-th of `databaseListeners`;
   * `databaseUrl` returns the database URL for a port.
   */
  static async start(
    suite: Suite,
    folder: string,
    databaseListeners: readonly Omit<Listener, 'port'>[],
    databaseUrl: (port: number) => string,
  ): Promise<PanelPair> {
    const ports = [await freePort(), await freePort(), await freePort()]
    const [proxyPort = 0, ...panelPorts] = ports
    const databases: Listener[] = []
    for (const listener of databaseListeners) databases.push({ ...listener, port: await freePort() })
    const web: Listener = { name: 'panels', port: proxyPort, type: 'web', servers: panelPorts }
    await startHaproxy(suite, join(folder, 'haproxy'), [web, ...databases])
    const mail = await MailServer.start()
    suite.onCleanup(() => mail.stop())
    const pair = new PanelPair(
      suite,
      folder,
      ports,
      databases.map(({ port }) => databaseUrl(port)),
      mail,
    )
    for (const [index, port] of panelPorts.entries())
      pair.#panels.push(await pair.#createPanel(`panel-${index + 1}`, port, index))
    await Promise.all(pair.#panels.map((panel) => panel.start()))
    const ready = waitUntil('both panels are ready', () => pair.#areReadyOrThrow(), setupTimeout)
    await ready.catch(async (cause: unknown) => {
      throw new Error(`the panels did not start:\n${(await pair.logs()).slice(-4_000)}`, { cause })
    })
    return pair
  }

  async #areReadyOrThrow(): Promise<boolean> {
    if (this.#panels.some(({ isRunning }) => !isRunning)) throw new Error('a panel has exited')
    return this.areReady()
  }

  async areReady(): Promise<boolean> {
    const replies = await Promise.all(this.urls.map((url) => new Client(url).send(getReadiness, {})))
    return replies.every(({ status }) => status === 200)
  }

  /** Logs in as {@link adminAccount} and configures mail. */
  async logInAsAdmin(): Promise<Client> {
    const isReachable = async () => (await new Client(this.url).send(getReadiness, {})).status === 200
    await waitUntil('HAProxy reaches a panel', isReachable, setupTimeout)
    const admin = await new Client(this.url).logIn(adminAccount)
    const host = `smtp://127.0.0.1:${this.mail.port}`
    const body = { 'panel.email.provider': 'smtp', 'panel.email.host': host, 'panel.email.from': 'panel@example.org' }
    await admin.sendOrThrow(postSettings, { body } as never)
    return admin
  }

  /** Creates administrators. Each has a mail limit of their own. */
  async createAdmins(admin: Client, count: number): Promise<Client[]> {
    const clients = Array.from({ length: count }, async (_, index) => {
      const account = {
        email: `admin-${index}@example.net`,
        username: `admin-${index}`,
        password: 'a lantern at night',
      }
      const { id } = await admin.sendOrThrow(createUser, { body: account })
      await admin.sendOrThrow(putUserPermissions, { params: { id }, body: { admin: true } } as never)
      return await new Client(this.url).logIn(account)
    })
    return await Promise.all(clients)
  }

  /** Starts a node with the configuration that its page shows. Resolves with its id. */
  async joinNode(admin: Client): Promise<number> {
    const [privatePort, sftpPort] = [await freePort(), await freePort()]
    const { id } = await admin.sendOrThrow(createNode, {
      body: { name: 'node', publicHost: '127.0.0.1', privatePort, sftpPort },
    })
    const { config } = await admin.sendOrThrow(getNodeDeployment, { params: { id } })
    const folder = join(this.#folder, 'node')
    await mkdir(folder)
    const completeConfig = {
      ...JSON.parse(config),
      dataDir: join(folder, 'data'),
      nodeHost: '127.0.0.1',
      sftpHost: '127.0.0.1',
    }
    await writeFile(join(folder, 'config.json'), JSON.stringify(completeConfig))
    const env = { INNKEEPER_CONFIG: join(folder, 'config.json') }
    // The keepers outlive the node. This cleanup runs after the one that stops the node.
    const runDir = join(folder, 'data', 'run')
    this.#suite.onCleanup(() => (existsSync(runDir) ? stopKeepers(runDir) : undefined))
    const command = [process.execPath, main, 'run']
    const node = new Service(this.#suite, { command, folder, asRoot: true, env, stopSignal: 'SIGINT' })
    await node.start()
    const isOnline = async () => (await admin.sendOrThrow(getNode, { params: { id } })).health?.state === 'online'
    await waitUntil('the node has joined', isOnline, setupTimeout)
    return id
  }

  /** The output of both panels. */
  async logs(): Promise<string> {
    return (await Promise.all(this.#panels.map((panel) => panel.log()))).join('\n')
  }

  async #createPanel(name: string, port: number, index: number): Promise<Service> {
    const folder = join(this.#folder, name)
    await mkdir(folder)
    const env = {
      INNKEEPER_ROLE: 'panel',
      INNKEEPER_DATA_DIR: join(folder, 'data'),
      INNKEEPER_DATABASE_URL: this.databaseUrls[index % this.databaseUrls.length] ?? '',
      INNKEEPER_HOST: '127.0.0.1',
      INNKEEPER_PORT: String(port),
      INNKEEPER_MASTER_URL: this.url,
      INNKEEPER_TRUST_PROXY: '127.0.0.1',
      INNKEEPER_ADMIN_EMAIL: adminAccount.email,
      INNKEEPER_ADMIN_USERNAME: adminAccount.username,
      INNKEEPER_ADMIN_PASSWORD: adminAccount.password,
    }
    return new Service(this.#suite, { command: [process.execPath, main, 'run'], folder, asRoot: true, env })
  }
}
