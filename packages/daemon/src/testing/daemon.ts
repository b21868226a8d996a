import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Endpoint, getUrl } from '@innkeeper/contract/api/endpoint'
import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import {
  getAudience,
  type outputPurpose,
  requestPurpose,
  socketPurpose,
  type Ticket,
} from '@innkeeper/contract/node-link/ticket'
import type { ServerMessage } from '@innkeeper/contract/servers/live'
import { killServer } from '@innkeeper/contract/servers/node-servers'
import type { ShareResponse } from '@innkeeper/contract/servers/shared-output'
import { limits } from '@innkeeper/contract/text/limits'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { pino } from 'pino'
import { Agent, type Dispatcher } from 'undici'
import { WebSocket } from 'ws'
import { createDaemon, type Daemon, type DaemonOptions } from '../daemon.ts'
import { ControlGroups } from '../isolation/control-groups.ts'
import { getRunFolder, RunFolder } from '../keeper/protocol.ts'
import { readStates } from '../keeper/state-file.ts'
import { compileCacheEnv } from '../workers/start-worker.ts'

/** The PATH of servers in tests: starts with the Node.js of the tests. */
export const testPath = `${fileURLToPath(new URL('.', `file://${process.execPath}`))}:/usr/local/bin:/usr/bin:/bin`

/** A program of `testing/programs` as a command line. */
export function program(name: string, ...args: readonly (string | number)[]): string {
  return ['node', fileURLToPath(new URL(`./programs/${name}.mjs`, import.meta.url)), ...args].join(' ')
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects of a response
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

export interface BytesAnswered extends Pick<Answer, 'status' | 'headers'> {
  readonly body: Dispatcher.ResponseData['body']
}

interface FetchJsonOptions {
  readonly permissions?: Ticket['rights']
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  /** Overrides of the ticket. */
  readonly ticket?: Partial<Ticket>
  readonly signal?: AbortSignal
  /** Replaces the ticket. */
  readonly authorization?: string
}

function sentBody(body: unknown): string | Uint8Array | Readable | null {
  if (body === undefined) return null
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Readable) return body
  return JSON.stringify(body)
}

interface WatchOptions {
  readonly sub?: string
  readonly username?: string
  readonly autoPong?: boolean
  /** With `output`, the shared output of the server. */
  readonly purpose?: typeof socketPurpose | typeof outputPurpose
}

/** Signs tickets like a panel and sends requests to a node over its Unix socket. */
export class NodeClient {
  readonly #socketPath: string
  readonly #key: CryptoKey
  readonly #nodeId: number
  readonly #agent: Agent

  constructor({ socketPath, key, nodeId }: { socketPath: string; key: CryptoKey; nodeId: number }) {
    this.#socketPath = socketPath
    this.#key = key
    this.#nodeId = nodeId
    this.#agent = new Agent({ connect: { socketPath }, headersTimeout: 0, bodyTimeout: 0 })
  }

  async ticket(ticket: Pick<Ticket, 'purpose' | 'rights'> & Partial<Ticket>): Promise<string> {
    const iat = Math.floor(Date.now() / 1000)
    const whole: Ticket = {
      aud: getAudience(this.#nodeId),
      jti: randomBytes(16).toString('base64url'),
      iat,
      exp: iat + limits.ticketLifeMs / 1000,
      sub: 'user:1',
      ...ticket,
    }
    return await new SignJWT({ ...whole }).setProtectedHeader({ alg: 'EdDSA' }).sign(this.#key)
  }

  /** Calls a server endpoint as an administrator, or with the given permissions. */
  async send(call: Endpoint, { params, query, ...asking }: FetchJsonOptions): Promise<Answer> {
    return await this.ask(call.method, getUrl(call, { params: params ?? {}, query: query ?? {} }), {
      ...asking,
      ticket: { server: String(params?.id), ...asking.ticket },
    })
  }

  /** Calls a node endpoint as the panel. */
  async asPanel(method: Endpoint['method'], path: string, body?: unknown): Promise<Answer> {
    return await this.ask(method, path, { permissions: ['node'], body })
  }

  async ask(method: string, path: string, asking: FetchJsonOptions = {}): Promise<Answer> {
    const { body, ...answer } = await this.transfer(method, path, asking)
    const told = await body.text()
    const isJson = String(answer.headers['content-type']).includes('json') && told !== ''
    return { ...answer, body: isJson ? JSON.parse(told) : told }
  }

  /** Like `send`, for a response that the test reads itself. */
  async fetch(call: Endpoint, { params, query, ...asking }: FetchJsonOptions): Promise<BytesAnswered> {
    return await this.transfer(call.method, getUrl(call, { params: params ?? {}, query: query ?? {} }), {
      ...asking,
      ticket: { server: String(params?.id), ...asking.ticket },
    })
  }

  async transfer(method: string, path: string, asking: FetchJsonOptions = {}): Promise<BytesAnswered> {
    const { permissions = ['admin'], ticket, headers, body, signal } = asking
    const authorization =
      asking.authorization ??
      `Bearer ${await this.ticket({ purpose: requestPurpose(method, path), rights: permissions, ...ticket })}`
    const answer = await this.#agent.request({
      origin: 'http://node',
      path,
      method: method as Endpoint['method'],
      headers: { ...headers, authorization },
      body: sentBody(body),
      signal: signal ?? null,
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.body }
  }

  /** Creates a server that runs a command. */
  async create(id: string, run: object | string, more: object = {}): Promise<void> {
    const definition = { type: 'test', run: typeof run === 'string' ? { command: run, stop: 'stop' } : run, ...more }
    const { status, body } = await this.asPanel('PUT', `/daemon/server/${id}`, definition)
    if (status !== 204) throw new Error(`no server: ${status} ${JSON.stringify(body)}`)
  }

  /** `autoPong: false` creates a viewer that never confirms reading. */
  async watch(
    id: string,
    permissions: readonly RequiredPermission[] = ['admin'],
    { sub = 'user:1', username, autoPong = true, purpose = socketPurpose }: WatchOptions = {},
  ): Promise<Watcher> {
    const ticket = await this.ticket({ purpose, rights: [...permissions], server: id, sub, username })
    const socket = new WebSocket(`ws+unix:${this.#socketPath}:/daemon/${purpose}/${id}`, {
      headers: { authorization: `Bearer ${ticket}` },
      perMessageDeflate: false,
      autoPong,
    })
    const watcher = new Watcher(socket)
    await once(socket, 'open')
    return watcher
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

/** A live socket that records what it received. */
export class Watcher {
  readonly socket: WebSocket
  readonly received: (ServerMessage | ShareResponse | { error: string })[] = []
  /** The console output received so far. */
  text = ''
  readonly #waiting = new Set<() => void>()

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ServerMessage | ShareResponse
      if (message.type === 'console') this.text += message.data.logs.join('')
      this.received.push(message)
      for (const look of this.#waiting) look()
    })
    socket.on('close', () => {
      for (const look of this.#waiting) look()
    })
  }

  send(message: object | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** Waits until the received messages satisfy a condition. */
  async until(description: string, isSo: (watcher: Watcher) => boolean, withinMs = 15_000): Promise<void> {
    if (isSo(this)) return
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const look = () => {
      if (isSo(this)) resolve()
    }
    const late = setTimeout(
      () => reject(new Error(`not seen: ${description}; the console ends with ${this.text.slice(-500)}`)),
      withinMs,
    )
    this.#waiting.add(look)
    try {
      await promise
    } finally {
      clearTimeout(late)
      this.#waiting.delete(look)
    }
  }

  untilText(text: string, withinMs?: number): Promise<void> {
    return this.until(`the text ${text}`, (watcher) => watcher.text.includes(text), withinMs)
  }

  untilHeard<T extends ServerMessage['type']>(type: T, part: object = {}): Promise<void> {
    return this.until(`${type} ${JSON.stringify(part)}`, ({ received }) =>
      received.some((message) => 'data' in message && message.type === type && contains(message.data, part)),
    )
  }
}

function contains(whole: object, part: object): boolean {
  return Object.entries(part).every(([name, value]) => (whole as Record<string, unknown>)[name] === value)
}

type NodeOptions = Omit<
  DaemonOptions,
  'dataDir' | 'nodeId' | 'publicKey' | 'version' | 'path' | 'dockerSockets' | 'downloads'
>

/** A log, a panel and metrics are only for a daemon in the test's process. */
interface Options extends Partial<NodeOptions> {
  readonly downloads?: Partial<DaemonOptions['downloads']>
  /** Starts the daemon in a separate process, so that it can be killed. */
  readonly apart?: boolean
  /** Permissions by server of `person1@example.org`, whose password is `long enough`. Serves SFTP; only with `apart`. */
  readonly sftpPermissions?: Readonly<Record<string, readonly RequiredPermission[]>>
  /** Docker sockets; none by default, whatever this host has. */
  readonly dockerSocket?: string
  /** The folder in which the data folder is created. */
  readonly parentDir?: string
}

/** A node with its own data directory, which a test starts, stops and starts again. Nothing is left on disposal. */
export class TestNode implements AsyncDisposable {
  readonly nodeId = 0
  readonly dataDir: string
  readonly socketPath: string
  readonly client: NodeClient
  sftpPort = 0
  readonly #publicKey: JWK
  readonly #options: Options
  #daemon: Daemon | undefined
  #process: ChildProcess | undefined

  private constructor(dataDir: string, keys: { publicKey: JWK; privateKey: CryptoKey }, options: Options) {
    this.dataDir = dataDir
    this.socketPath = join(dataDir, 'node.sock')
    this.client = new NodeClient({ socketPath: this.socketPath, key: keys.privateKey, nodeId: this.nodeId })
    this.#publicKey = keys.publicKey
    this.#options = options
  }

  static async start(options: Options = {}): Promise<TestNode> {
    const dataDir = await realpath(await mkdtemp(join(options.parentDir ?? tmpdir(), 'innkeeper-node-')))
    const { publicKey, privateKey } = await generateKeyPair('Ed25519', { extractable: true })
    const node = new TestNode(dataDir, { publicKey: await exportJWK(publicKey), privateKey }, options)
    await node.start()
    return node
  }

  get daemon(): Daemon {
    if (!this.#daemon) throw new Error('the daemon does not run in this process')
    return this.#daemon
  }

  /** The daemon's process, when it is separate. */
  get pid(): number {
    const pid = this.#process?.pid
    if (pid === undefined) throw new Error('the daemon has no process of its own')
    return pid
  }

  /** The process of a run key, according to the keeper. */
  async findProcess(key: string): Promise<number | undefined> {
    const states = await this.#keepers()
    return states.flatMap(({ runs }) => runs).find((run) => run.key === key)?.process?.pid
  }

  /** The keys of all live processes. */
  async liveKeys(): Promise<string[]> {
    const states = await this.#keepers()
    return states.flatMap(({ runs }) => runs).flatMap(({ key, process, exit }) => (process && !exit ? [key] : []))
  }

  async start(): Promise<void> {
    const { apart, sftpPermissions, dockerSocket, log, panel, metrics, parentDir: _, ...options } = this.#options
    const deps = {
      ...options,
      dataDir: this.dataDir,
      nodeId: this.nodeId,
      publicKey: this.#publicKey,
      version: '0',
      path: testPath,
      dockerSockets: [dockerSocket ?? join(this.dataDir, 'no-engine.sock')],
      downloads: { allow: [], retryMs: 20, ...options.downloads },
      http: { requestsEndMs: 1_000, ...options.http },
    }
    if (!apart) {
      this.#daemon = await createDaemon({
        ...deps,
        log: log ?? pino({ level: 'silent' }),
        metrics,
        ...(panel && { panel, tasks: { permissionsMs: 200, ...options.tasks } }),
      })
      await this.#daemon.listen({ socketPath: this.socketPath })
      return
    }
    const script = fileURLToPath(new URL('./daemon-process.ts', import.meta.url))
    // With the Node.js options of `npm start`.
    const args = [this.socketPath, JSON.stringify(deps), ...(sftpPermissions ? [JSON.stringify(sftpPermissions)] : [])]
    const child = spawn(process.execPath, ['--max-semi-space-size=4', '--max-old-space-size=1024', script, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...compileCacheEnv() },
    })
    this.#process = child
    const [messages] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
    const [, port] = /^listening (\d+)/.exec(String(messages)) ?? []
    if (port === undefined) throw new Error(`the daemon did not come up: ${messages}`)
    this.sftpPort = Number(port)
  }

  /** Kills the daemon like a crash; its servers continue. */
  async kill(): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Closes the daemon; its servers continue. */
  async detach(): Promise<void> {
    await this.#daemon?.detach()
    this.#daemon = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#killServers()
    await this.detach()
    await this.kill()
    await this.client.close()
    await this.#endKeepers()
    ControlGroups.open({ dataDir: this.dataDir }).close()
    await rm(this.dataDir, { recursive: true, force: true })
  }

  async #killServers(): Promise<void> {
    const states = await this.#keepers()
    const ids = new Set(states.flatMap(({ runs }) => runs.map(({ key }) => key.split('/')[0] ?? '')))
    if (ids.size > 0 && !this.#daemon && (this.#process?.exitCode ?? this.#process?.signalCode) !== null)
      await this.start()
    const kills = [...ids].map((id) => this.client.send(killServer, { params: { id }, query: { wait: true } }))
    await Promise.race([Promise.all(kills), pause(limits.nodeCallMs, undefined, { ref: false })])
  }

  async #endKeepers(): Promise<void> {
    for (const { keeper } of await this.#keepers()) {
      try {
        process.kill(keeper.pid, 'SIGKILL')
      } catch (cause) {
        // It exited with its last server.
        if ((cause as NodeJS.ErrnoException).code !== 'ESRCH') throw cause
      }
    }
  }

  async #keepers() {
    using folder = new RunFolder(getRunFolder(this.dataDir))
    return await readStates(folder, () => {})
  }
}
