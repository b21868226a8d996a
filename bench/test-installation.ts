import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { login } from '@innkeeper/contract/accounts/auth'
import { type Endpoint, getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { requestPurpose, type Ticket } from '@innkeeper/contract/node-link/ticket'
import { createServer } from '@innkeeper/contract/servers/new-server'
import Database from 'better-sqlite3'
import { importJWK, type JWK, SignJWT } from 'jose'
import { bundleEntry as main } from '../tools/commands.ts'
import { stopKeepers } from '../tools/stop-keepers.ts'

const admin = { email: 'bench@example.net', username: 'bench', password: 'a stopwatch in the night' }

/** Small, because the start is measured. */
const pollMs = 5

/** Spawns `innkeeper run` as `npm start` does, with these settings. */
export function spawnInnkeeper(settings: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ['--max-semi-space-size=4', '--max-old-space-size=1024', main, 'run'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

export function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

type Role = 'all' | 'panel'

/** A panel with its node, an administrator and one server, in a separate process; or only a panel. */
export class TestInstallation implements AsyncDisposable {
  readonly dataDir: string
  readonly port: number
  readonly sftpPort: number
  readonly #role: Role
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess
  #token = ''
  #server = ''

  private constructor(
    role: Role,
    dataDir: string,
    ports: readonly [number, number],
    settings: Readonly<Record<string, string>>,
  ) {
    this.#role = role
    this.#settings = settings
    this.dataDir = dataDir
    ;[this.port, this.sftpPort] = ports
    this.#child = this.#spawn()
  }

  static async start(role: Role = 'all', settings: Readonly<Record<string, string>> = {}): Promise<TestInstallation> {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'))
    const installation = new TestInstallation(role, dataDir, [await freePort(), await freePort()], settings)
    try {
      await installation.#waitUntilReady()
      installation.#token = (await installation.send<{ session: string }>(login, { body: admin })).session
      if (role === 'all') {
        const body = { name: 'bench', type: 'bench', run: { command: 'sleep 3600', stopCode: 15 }, data: {} }
        installation.#server = (await installation.send<{ id: string }>(createServer, { body })).id
      }
    } catch (error) {
      await installation[Symbol.asyncDispose]()
      throw error
    }
    return installation
  }

  get email(): string {
    return admin.email
  }

  get password(): string {
    return admin.password
  }

  get token(): string {
    return this.#token
  }

  /** The ID of its server. */
  get server(): string {
    return this.#server
  }

  /** The folder of its server. */
  get folder(): string {
    return join(this.dataDir, 'servers', this.#server)
  }

  /** The socket on which its node listens. */
  get nodeSocket(): string {
    return join(this.dataDir, 'run', 'node.sock')
  }

  /** The process of panel and node. */
  get pid(): number {
    if (this.#child.pid === undefined) throw new Error('Innkeeper did not start')
    return this.#child.pid
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Calls an endpoint of the panel, or of the node through it. */
  async send<T>(
    call: Endpoint,
    request: { params?: Record<string, unknown>; query?: object; body?: unknown } = {},
  ): Promise<T> {
    const { body, ...rest } = request
    const response = await fetch(`${this.url}${getPanelUrl(call, rest as Parameters<typeof getPanelUrl>[1])}`, {
      method: call.method,
      headers: { 'content-type': 'application/json', ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${call.method} ${call.path}: ${response.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Signs a ticket for one direct request to the node, as the panel does. */
  async ticket(method: string, path: string): Promise<string> {
    using database = openDatabase(join(this.dataDir, 'panel.db'))
    const { id, jwk } = database.db.prepare('select id, jwk from signing_keys').get() as {
      id: string
      jwk: string
    }
    const iat = Math.floor(Date.now() / 1000)
    const ticket: Ticket = {
      aud: 'node:0',
      jti: randomBytes(16).toString('base64url'),
      iat,
      exp: iat + 60,
      sub: 'user:1',
      server: this.#server,
      rights: ['admin'],
      purpose: requestPurpose(method, path),
    }
    const key = await importJWK(JSON.parse(jwk) as JWK, 'EdDSA')
    return new SignJWT({ ...ticket }).setProtectedHeader({ alg: 'EdDSA', kid: id }).sign(key)
  }

  /**
   * Stops servers and installation, and starts the installation again. Returns the milliseconds from the start of the
   * process until it is ready.
   */
  async restart(): Promise<number> {
    await this.#stop()
    const startedAt = performance.now()
    this.#child = this.#spawn()
    await this.#waitUntilReady()
    return performance.now() - startedAt
  }

  /** Stops it and its keeper, and removes the data. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop()
    const runDir = join(this.dataDir, 'run')
    if (existsSync(runDir)) await stopKeepers(runDir)
    await rm(this.dataDir, { recursive: true, force: true, maxRetries: 10 })
  }

  #spawn(): ChildProcess {
    return spawnInnkeeper({
      INNKEEPER_ROLE: this.#role,
      INNKEEPER_DATA_DIR: this.dataDir,
      INNKEEPER_HOST: '127.0.0.1',
      INNKEEPER_PORT: String(this.port),
      INNKEEPER_SFTP_HOST: '127.0.0.1',
      INNKEEPER_SFTP_PORT: String(this.sftpPort),
      INNKEEPER_ADMIN_EMAIL: admin.email,
      INNKEEPER_ADMIN_USERNAME: admin.username,
      INNKEEPER_ADMIN_PASSWORD: admin.password,
      INNKEEPER_LOG_LEVEL: 'error',
      ...this.#settings,
    })
  }

  async #stop(): Promise<void> {
    if (hasExited(this.#child)) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGINT')
    await exited
  }

  async #waitUntilReady(): Promise<void> {
    const deadline = Date.now() + 60_000
    while (Date.now() < deadline) {
      const response = await fetch(`${this.url}/readyz`).catch(() => undefined)
      if (response?.ok) return
      if (this.#child.exitCode !== null) throw new Error(`Innkeeper exited with code ${this.#child.exitCode}`)
      await pause(pollMs)
    }
    throw new Error('Innkeeper did not start within a minute')
  }
}

function openDatabase(path: string): { db: Database.Database } & Disposable {
  const db = new Database(path, { readonly: true })
  return { db, [Symbol.dispose]: () => void db.close() }
}
