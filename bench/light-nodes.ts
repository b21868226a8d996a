import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { dirname, join } from 'node:path'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { protocol, reportNode } from '@innkeeper/contract/node-link/node-to-panel'
import { statesPerMessage } from '@innkeeper/contract/node-link/server-states'
import { outputPurpose, socketPurpose, statesPurpose } from '@innkeeper/contract/node-link/ticket'
import type { NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { enrol } from '@innkeeper/daemon/panel-link/enrolment'
import { type Certificate, openNodeCertificate } from '@innkeeper/daemon/panel-link/node-certificate'
import { loadNodeKey } from '@innkeeper/daemon/panel-link/node-key'
import { type PanelLink, panelLink } from '@innkeeper/daemon/panel-link/panel-link'
import { MachineUsage } from '@innkeeper/daemon/proc/machine-usage'
import pino from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import { forEachConcurrent } from './async.ts'
import { printIntervalMs } from './fleet-viewers.ts'

/**
 * A program with many nodes that run nothing, for measurements of the panel. Its argument is a file with the
 * configurations of the nodes. Each enrols, reports, sends the states of its servers and answers requests as a real node does,
 * but believes every ticket, and prints only what a command asks for. Prints `ready` when all have enrolled.
 */

/** The configuration of a node, as far as it is used here. */
interface Config {
  readonly dataDir: string
  readonly panelUrl: string
  readonly nodeId: number
  readonly nodeSecret: string
  readonly nodePort: number
}

const enrolmentsAtOnce = 8

const features: NodeFeatures = {
  features: [],
  environments: ['standard'],
  os: 'linux',
  arch: 'amd64',
  version: '0.1.0',
}

const status: ServerStatus = { running: true, installing: false, state: 'online', since: new Date().toISOString() }

class LightNode {
  readonly #config: Config
  readonly #servers = new Set<string>()
  readonly #viewers = new Map<string, Set<WebSocket>>()
  readonly #states = new Set<WebSocket>()
  readonly #acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false })

  constructor(config: Config) {
    this.#config = config
  }

  async start({ key, cert }: Certificate): Promise<void> {
    const { dataDir, panelUrl, nodeId, nodeSecret, nodePort } = this.#config
    await mkdir(dataDir, { recursive: true })
    const server = createServer({ key, cert }, (request, response) => void this.#answer(request, response))
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => {})
      const [, purpose, id = ''] = /^\/daemon\/(\w+)(?:\/([0-9a-f]{8}))?$/.exec(request.url ?? '') ?? []
      // As a node that does not share the output of a server.
      if (purpose === outputPurpose) socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
      else
        this.#acceptor.handleUpgrade(request, socket, head, (opened) => {
          opened.on('error', () => {})
          if (purpose === statesPurpose) this.#sendStates(opened)
          else if (purpose === socketPurpose) this.#addViewer(id, opened)
        })
    })
    await new Promise<void>((resolve) => server.listen(nodePort, '127.0.0.1', resolve))
    const identity = await loadNodeKey(dataDir, nodeId)
    const panel = panelLink({ url: panelUrl }, identity)
    const { signal } = new AbortController()
    await enrol({ panel, identity, certificate: cert, secret: nodeSecret, log: pino({ level: 'silent' }), signal })
    await this.#report(panel)
    const reports = new PeriodicJob({
      everyMs: limits.nodeReportEveryMs,
      run: () => this.#report(panel),
      onError: (error) => console.error(`node ${nodeId}: ${error instanceof Error ? error.message : error}`),
    })
    setTimeout(() => reports.start(), Math.random() * limits.nodeReportEveryMs)
  }

  async #report(panel: PanelLink): Promise<void> {
    const machine = await new MachineUsage(this.#config.dataDir).sample()
    const body = { protocol, atMs: Date.now(), features, machine, servers: this.#usage(), keys: [] }
    await panel.request(reportNode, { body })
  }

  #usage(ids: Iterable<string> = this.#servers): ServerUsage[] {
    const usageOf = (id: string) => ({
      id,
      status,
      stats: { cpu: Math.round(Math.random() * 1_000) / 100, memory: 2 ** 30 },
    })
    return [...ids].filter((id) => this.#servers.has(id)).map(usageOf)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '' } = request
    const { pathname, searchParams } = new URL(url, 'http://node')
    const [, id = '', rest = ''] = /^\/daemon\/server\/([0-9a-f]{8})(.*)$/.exec(pathname) ?? []
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const send = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (pathname === '/daemon/session') {
      const key = randomBytes(32).toString('base64url')
      send({ id: randomBytes(12).toString('base64url'), key, lifeMs: limits.nodeSessionMs })
    } else if (pathname === '/daemon/features') send(features)
    else if (pathname === '/daemon/usage') send(this.#usage((searchParams.get('ids') ?? '').split(',')))
    else if (/^\/daemon\/(ports|ports\/servers|servers|backups)$/.test(pathname)) send([])
    else if (id && rest === '' && method === 'PUT') {
      this.#servers.add(id)
      for (const socket of this.#states) this.#sendTo(socket, [id])
      send({ id })
    } else if (rest === '/status') send(status)
    else if (rest === '/stats') send({ cpu: 1, memory: 2 ** 30 })
    else if (rest === '/console') send({ epoch: 0, logs: '', from: 0, to: 0 })
    else response.writeHead(204).end()
  }

  #sendStates(socket: WebSocket): void {
    this.#states.add(socket)
    socket.once('close', () => this.#states.delete(socket))
    const ids = [...this.#servers]
    while (ids.length > 0) this.#sendTo(socket, ids.splice(0, statesPerMessage))
  }

  #sendTo(socket: WebSocket, ids: readonly string[]): void {
    socket.send(JSON.stringify({ servers: this.#usage(ids), removed: [] }))
  }

  #addViewer(id: string, socket: WebSocket): void {
    const viewers = this.#viewers.get(id) ?? new Set()
    this.#viewers.set(id, viewers.add(socket))
    socket.once('close', () => viewers.delete(socket))
    socket.on('message', (data, isBinary) => {
      if (isBinary) return
      const { type, command = '' } = JSON.parse(String(data)) as { type: string; command?: string }
      if (type === 'console') this.#print(viewers, command)
    })
  }

  /** Prints lines as the program of `fleet-viewers.ts` does. */
  #print(viewers: ReadonlySet<WebSocket>, command: string): void {
    const [turn = 0, count = 0] = command.split(' ').map(Number)
    let at = 0
    const timer = setInterval(() => {
      const line = `tick ${turn} ${at} ${process.hrtime.bigint()}\n`
      const message = JSON.stringify({ type: 'console', data: { epoch: 0, logs: [line], from: 0, to: 0 } })
      for (const viewer of viewers) viewer.send(message)
      if (++at === count) clearInterval(timer)
    }, printIntervalMs)
  }
}

const path = process.argv[2] ?? ''
const configs = JSON.parse(await readFile(path, 'utf8')) as readonly Config[]
const certificates = join(dirname(path), 'light-nodes')
await mkdir(certificates, { recursive: true })
const certificate = await openNodeCertificate(certificates)
await forEachConcurrent(configs, enrolmentsAtOnce, (config) => new LightNode(config).start(certificate))
console.log('ready')
