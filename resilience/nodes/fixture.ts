import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { InnkeeperProcess } from '@innkeeper/cli/testing/innkeeper-process'
import { createNode, getNode, getNodeDeployment, type Node } from '@innkeeper/contract/nodes/nodes'
import { DatabaseServer } from '@innkeeper/panel/testing/database-server'
import type { Machine, Network } from '../harness/network.ts'
import { type Suite, waitUntil } from '../harness/suite.ts'
import { ApiClient, admin } from './api-client.ts'

const execFileAsync = promisify(execFile)
const repository = fileURLToPath(new URL('../..', import.meta.url))
const loadBalancerAddress = '10.99.0.10'
export const caddyAddress = '10.99.0.13'

/** The command line of `innkeeper run` from the checkout in this folder. */
export const innkeeperCommand = (folder: string): readonly string[] => [
  process.execPath,
  join(folder, 'packages/cli/src/main.ts'),
  'run',
]

/** A panel on its own machine. */
export class PanelMachine {
  readonly machine: Machine
  readonly #databaseUrl: string
  #program: InnkeeperProcess | undefined

  constructor(machine: Machine, databaseUrl: string) {
    this.machine = machine
    this.#databaseUrl = databaseUrl
  }

  get url(): string {
    return `http://${this.machine.address}:8080`
  }

  async start(): Promise<void> {
    const env = {
      INNKEEPER_ROLE: 'panel',
      INNKEEPER_DATA_DIR: '/var/lib/innkeeper',
      INNKEEPER_DATABASE_URL: this.#databaseUrl,
      INNKEEPER_MASTER_URL: `https://${loadBalancerAddress}`,
      INNKEEPER_TRUST_PROXY: loadBalancerAddress,
      INNKEEPER_ADMIN_EMAIL: admin.email,
      INNKEEPER_ADMIN_USERNAME: admin.username,
      INNKEEPER_ADMIN_PASSWORD: admin.password,
    }
    this.#program = await InnkeeperProcess.start(env, this.machine.command(...innkeeperCommand(repository)))
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal)
  }

  get output(): string {
    return this.#program?.output ?? ''
  }
}

/** A node on its own machine. */
export class NodeMachine {
  readonly machine: Machine
  readonly id: number
  readonly name: string
  readonly #certDir: string
  #program: InnkeeperProcess | undefined

  private constructor(machine: Machine, id: number, certDir: string) {
    this.machine = machine
    this.id = id
    this.name = machine.name
    this.#certDir = certDir
  }

  /** Adds the machine as a node in the panel. */
  static async register(
    client: ApiClient,
    machine: Machine,
    certDir: string,
    { isBehindNat = false } = {},
  ): Promise<NodeMachine> {
    const body = { name: machine.name, publicHost: machine.address, privateHost: machine.address, isBehindNat }
    const { id } = await client.send(createNode, { body })
    return new NodeMachine(machine, id, certDir)
  }

  /** Runs the command that the page of the node shows. */
  async configure(client: ApiClient): Promise<void> {
    const { config } = await client.send(getNodeDeployment, { params: { id: this.id } })
    const file = '/etc/innkeeper/config.json'
    const command = `install -d -m 700 /etc/innkeeper && tee ${file} > /dev/null <<'CONFIG'\n${config}CONFIG\nchmod 600 ${file}`
    await this.machine.exec('sh', '-c', command)
  }

  /** Starts the node with the configuration of {@link configure} and additional environment variables. */
  async start(env: Readonly<Record<string, string>> = {}, folder = repository): Promise<void> {
    const allVariables = { NODE_EXTRA_CA_CERTS: join(this.#certDir, 'cert.pem'), ...env }
    this.#program = await InnkeeperProcess.start(allVariables, this.machine.command(...innkeeperCommand(folder)))
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal)
  }

  get output(): string {
    return this.#program?.output ?? ''
  }

  /** The host path of its data folder. */
  get dataDir(): string {
    return join(this.machine.lib, 'innkeeper')
  }

  async fetch(client: ApiClient): Promise<Node> {
    return client.send(getNode, { params: { id: this.id } })
  }

  async waitForState(client: ApiClient, state: string, timeoutMs = 60_000): Promise<void> {
    const isInState = async () => (await this.fetch(client)).health?.state === state
    await waitUntil(`the panel shows ${this.name} as ${state}`, isInState, { timeoutMs, intervalMs: 250 })
  }
}

/** The started product: two panels behind one load balancer, on one database, and two nodes. */
export interface Fixture {
  /** Sends requests through the load balancer. */
  readonly client: ApiClient
  readonly panels: readonly [PanelMachine, PanelMachine]
  readonly firstNode: NodeMachine
  readonly secondNode: NodeMachine
  /** Contains `cert.pem` and `key.pem` of the load balancer. */
  readonly certDir: string
}

/** Starts the database, the panels and the load balancer. */
export async function startPanels(suite: Suite, network: Network) {
  const database = await DatabaseServer.create('postgres')
  suite.onCleanup(() => database.remove())
  const forwarder = await forwardDatabasePort(Number(new URL(database.url()).port))
  suite.onCleanup(() => forwarder.close())
  const databaseUrl = `postgres://innkeeper@10.99.0.1:${forwarder.port}/postgres`
  const [one, two] = [await network.addMachine('panel-1', 11), await network.addMachine('panel-2', 12)]
  const panels = [new PanelMachine(one, databaseUrl), new PanelMachine(two, databaseUrl)] as const
  for (const panel of panels) {
    suite.onCleanup(() => panel.stop('SIGKILL'))
    await panel.start()
  }
  const certDir = await startLoadBalancer(suite, await network.addMachine('balancer', 10), panels)
  const client = new ApiClient(`https://${loadBalancerAddress}`, readFileSync(join(certDir, 'cert.pem'), 'utf8'))
  suite.onCleanup(() => client.close())
  return { client, panels, certDir }
}

/** Starts nginx with the documented configuration for several panels. Resolves with the folder of its certificate. */
async function startLoadBalancer(suite: Suite, machine: Machine, panels: readonly PanelMachine[]): Promise<string> {
  const folder = join(tmpdir(), 'load-balancer')
  await mkdir(folder)
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const names = [
    '-subj',
    '/CN=panel.example.org',
    '-addext',
    `subjectAltName=IP:${loadBalancerAddress},IP:${caddyAddress}`,
  ]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '9']
  // Valid since three days ago: a machine whose clock is behind must accept it too.
  await execFileAsync('faketime', ['-f', '-3d', 'openssl', ...request, ...names, '-keyout', key, '-out', cert])
  const site = (await documentedNginxConfig())
    .replace('10.0.0.11:8080', `${panels[0]?.machine.address}:8080`)
    .replace('10.0.0.12:8080', `${panels[1]?.machine.address}:8080`)
    .replace('/etc/ssl/panel.pem', cert)
    .replace('/etc/ssl/panel.key', key)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const head = `daemon off; user root; worker_processes 1; pid ${folder}/pid; events { worker_connections 512; }`
  await writeFile(join(folder, 'conf'), `${head}\nhttp { access_log off; ${temp.join(' ')}\n${site}\n}\n`)
  const nginx = machine.spawn(['/usr/sbin/nginx', '-c', join(folder, 'conf'), '-e', join(folder, 'log')], {
    stdio: 'inherit',
  })
  suite.onCleanup(() => nginx.kill('SIGKILL'))
  await waitUntil('the load balancer accepts connections', () => acceptsConnections(loadBalancerAddress, 443))
  return folder
}

/** Starts Caddy with the documented configuration for several panels. */
export async function startCaddy(
  suite: Suite,
  machine: Machine,
  { panels, certDir }: Pick<Fixture, 'panels' | 'certDir'>,
): Promise<void> {
  const page = await readFile(join(repository, 'docs/reverse-proxy.md'), 'utf8')
  const [, section = ''] = page.split('For panels on other machines:\n')
  const lines = (section.split('\nCaddy')[0] ?? '').split('\n').map((line) => line.replace(/^ {4}/, ''))
  const site = lines
    .join('\n')
    .replace('10.0.0.11:8080', `${panels[0].machine.address}:8080`)
    .replace('10.0.0.12:8080', `${panels[1].machine.address}:8080`)
    .replace('panel.example.org {', `https://${caddyAddress} {\n  tls ${certDir}/cert.pem ${certDir}/key.pem`)
  const file = join(certDir, 'Caddyfile')
  await writeFile(file, `{\n  auto_https off\n  admin off\n}\n${site}`)
  const command = ['env', `HOME=${certDir}`, '/usr/bin/caddy', 'run', '--adapter', 'caddyfile', '--config', file]
  const caddy = machine.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] })
  suite.onCleanup(() => caddy.kill('SIGKILL'))
  await waitUntil('Caddy accepts connections', () => acceptsConnections(caddyAddress, 443))
}

/** The documented nginx configuration, with the documented upstream for several panels. */
async function documentedNginxConfig(): Promise<string> {
  const page = await readFile(join(repository, 'docs/reverse-proxy.md'), 'utf8')
  const [, section = ''] = page.split('## nginx\n')
  const lines = (section.split('\n## ')[0] ?? '').split('\n')
  const examples = lines.filter((line) => line.startsWith('    ')).join('\n')
  const upstream = /^ {4}upstream innkeeper \{\n(?: {8}.*\n)+ {4}\}\n?/gm
  const [local, severalPanels] = examples.match(upstream) ?? []
  if (!local || !severalPanels)
    throw new Error('docs/reverse-proxy.md needs an nginx upstream for one panel and one for several.')
  return examples.replace(severalPanels, '').replace(local, severalPanels)
}

export function acceptsConnections(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Forwards 10.99.0.1:5432 to the database, which listens on loopback only. */
async function forwardDatabasePort(port: number): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(one)
      one.setNoDelay(true)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        other.destroy()
        sockets.delete(one)
      })
    }
  })
  server.listen(5432, '10.99.0.1')
  await once(server, 'listening')
  return {
    port: 5432,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
