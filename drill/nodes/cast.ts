import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Program } from '@innkeeper/cli/testing/program'
import { createNode, getNode, getNodeDeployment, type Node } from '@innkeeper/contract/nodes'
import { DatabaseServer } from '@innkeeper/panel/testing/database-server'
import { type Drill, until } from '../stage/drill.ts'
import type { Machine, Network } from '../stage/network.ts'
import { admin, Operator } from './operator.ts'

const ran = promisify(execFile)
const repository = fileURLToPath(new URL('../..', import.meta.url))
const gateAddress = '10.99.0.10'

/** The programs that a machine runs `innkeeper` from. */
export const runFrom = (folder: string): readonly string[] => [
  process.execPath,
  join(folder, 'packages/cli/src/main.ts'),
  'run',
]

/** A panel on a machine of its own. */
export class PanelMachine {
  readonly machine: Machine
  readonly #databaseUrl: string
  #program: Program | undefined

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
      INNKEEPER_MASTER_URL: `https://${gateAddress}`,
      INNKEEPER_TRUST_PROXY: gateAddress,
      INNKEEPER_ADMIN_EMAIL: admin.email,
      INNKEEPER_ADMIN_USERNAME: admin.username,
      INNKEEPER_ADMIN_PASSWORD: admin.password,
    }
    this.#program = await Program.start(env, this.machine.inside(...runFrom(repository)))
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.end(signal)
  }

  get said(): string {
    return this.#program?.output ?? ''
  }
}

/** A node on a machine of its own. */
export class NodeMachine {
  readonly machine: Machine
  readonly id: number
  readonly name: string
  readonly #ca: string
  #program: Program | undefined

  private constructor(machine: Machine, id: number, ca: string) {
    this.machine = machine
    this.id = id
    this.name = machine.name
    this.#ca = ca
  }

  /** Describes a machine to the panel. */
  static async describe(operator: Operator, machine: Machine, ca: string): Promise<NodeMachine> {
    const body = { name: machine.name, publicHost: machine.address, privateHost: machine.address }
    const { id } = await operator.send(createNode, { body })
    return new NodeMachine(machine, id, ca)
  }

  /** Types the command that the page of the node shows. */
  async configure(operator: Operator): Promise<void> {
    const { config } = await operator.send(getNodeDeployment, { params: { id: this.id } })
    const file = '/etc/innkeeper/config.json'
    const command = `install -d -m 700 /etc/innkeeper && tee ${file} > /dev/null <<'CONFIG'\n${config}CONFIG\nchmod 600 ${file}`
    await this.machine.do('sh', '-c', command)
  }

  /** Starts it as it was configured; further variables are for what surrounds it. */
  async start(env: Readonly<Record<string, string>> = {}, folder = repository): Promise<void> {
    const surroundings = { NODE_EXTRA_CA_CERTS: this.#ca, ...env }
    this.#program = await Program.start(surroundings, this.machine.inside(...runFrom(folder)))
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.end(signal)
  }

  get said(): string {
    return this.#program?.output ?? ''
  }

  /** Its data folder, as everybody else sees it. */
  get data(): string {
    return join(this.machine.lib, 'innkeeper')
  }

  async seenBy(operator: Operator): Promise<Node> {
    return operator.send(getNode, { params: { id: this.id } })
  }

  async untilSeen(operator: Operator, state: string, withinMs = 60_000): Promise<void> {
    let last: string | undefined
    await until(
      `the node ${this.name} is seen as ${state}, not as ${last}`,
      async () => {
        last = (await this.seenBy(operator)).health?.state
        return last === state
      },
      { withinMs, everyMs: 250 },
    )
  }
}

/** All that takes part: two panels behind one gate on one database, and two nodes. */
export interface Cast {
  readonly operator: Operator
  readonly panels: readonly [PanelMachine, PanelMachine]
  /** The one to be tormented, and one to which nothing is done. */
  readonly far: NodeMachine
  readonly near: NodeMachine
  /** Where the certificate and the key of what stands before the panels are. */
  readonly gate: string
}

/** Database, panels and the gate before them; what is not there yet are the nodes. */
export async function openHouse(drill: Drill, network: Network) {
  const database = await DatabaseServer.create('postgres')
  drill.atEnd(() => database.remove())
  const way = await relayTo(Number(new URL(database.url()).port))
  drill.atEnd(() => way.close())
  const databaseUrl = `postgres://innkeeper@10.99.0.1:${way.port}/postgres`
  const [one, two] = [await network.machine('panel-1', 11), await network.machine('panel-2', 12)]
  const panels = [new PanelMachine(one, databaseUrl), new PanelMachine(two, databaseUrl)] as const
  for (const panel of panels) {
    drill.atEnd(() => panel.end('SIGKILL'))
    await panel.start()
  }
  const ca = await openGate(drill, await network.machine('gate', 10), panels)
  const operator = new Operator(`https://${gateAddress}`, readFileSync(ca, 'utf8'))
  drill.atEnd(() => operator.close())
  return { operator, panels, ca }
}

/** nginx, as the documentation says it stands before several panels. Answers where its certificate is. */
async function openGate(drill: Drill, machine: Machine, panels: readonly PanelMachine[]): Promise<string> {
  const folder = join(tmpdir(), 'gate')
  await mkdir(folder)
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const names = ['-subj', '/CN=panel.example.org', '-addext', `subjectAltName=IP:${gateAddress}`]
  const making = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '9']
  // Made some days ago: a clock that is behind must not make it one of the future.
  await ran('faketime', ['-f', '-3d', 'openssl', ...making, ...names, '-keyout', key, '-out', cert])
  const site = (await documentedSite())
    .replace('10.0.0.11:8080', `${panels[0]?.machine.address}:8080`)
    .replace('10.0.0.12:8080', `${panels[1]?.machine.address}:8080`)
    .replace('/etc/ssl/panel.pem', cert)
    .replace('/etc/ssl/panel.key', key)
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder}/${what};`,
  )
  const head = `daemon off; user root; worker_processes 1; pid ${folder}/pid; events { worker_connections 512; }`
  await writeFile(join(folder, 'conf'), `${head}\nhttp { access_log off; ${temp.join(' ')}\n${site}\n}\n`)
  const nginx = machine.spawn(['/usr/sbin/nginx', '-c', join(folder, 'conf'), '-e', join(folder, 'log')], {
    stdio: 'inherit',
  })
  drill.atEnd(() => nginx.kill('SIGKILL'))
  await until('the gate opens', () => answersAt(gateAddress, 443))
  return cert
}

/** The documented nginx configuration, with the documented upstream for several panels. */
async function documentedSite(): Promise<string> {
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

export function answersAt(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, host)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** The database listens for this machine alone; this is where the others reach it. */
async function relayTo(port: number): Promise<{ readonly port: number; close(): void }> {
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = dial(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.setNoDelay(true)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.once('close', () => {
        other.destroy()
        open.delete(one)
      })
    }
  })
  server.listen(5432, '10.99.0.1')
  await once(server, 'listening')
  return {
    port: 5432,
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
