import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { login } from '@innkeeper/contract/auth'
import { type Endpoint, panelUrlOf } from '@innkeeper/contract/endpoint'
import { createServer } from '@innkeeper/contract/servers'
import { requestPurpose, type Ticket } from '@innkeeper/contract/ticket'
import Database from 'better-sqlite3'
import { importJWK, type JWK, SignJWT } from 'jose'
import { product as main } from '../tools/commands.ts'
import { endKeepers } from '../tools/end-keepers.ts'

const admin = { email: 'bench@example.net', username: 'bench', password: 'a stopwatch in the night' }

/** `innkeeper run` as `npm start` runs it, with these settings. */
export function spawnInnkeeper(settings: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, ['--max-semi-space-size=4', main, 'run'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

type Role = 'all' | 'panel'

/** The whole product in a process of its own, with an administrator and one server to work on; or its panel alone. */
export class Product implements AsyncDisposable {
  readonly dataDir: string
  readonly port: number
  readonly sftpPort: number
  readonly #role: Role
  #child: ChildProcess
  #token = ''
  #server = ''

  private constructor(role: Role, dataDir: string, ports: readonly [number, number]) {
    this.#role = role
    this.dataDir = dataDir
    ;[this.port, this.sftpPort] = ports
    this.#child = this.#spawn()
  }

  static async start(role: Role = 'all'): Promise<Product> {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'))
    const product = new Product(role, dataDir, [await freePort(), await freePort()])
    try {
      await product.#ready()
      product.#token = (await product.ask<{ session: string }>(login, { body: admin })).session
      if (role === 'all') {
        const body = { name: 'bench', type: 'bench', run: { command: 'sleep 3600', stopCode: 15 }, data: {} }
        product.#server = (await product.ask<{ id: string }>(createServer, { body })).id
      }
    } catch (error) {
      await product[Symbol.asyncDispose]()
      throw error
    }
    return product
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

  /** The id of its server. */
  get server(): string {
    return this.#server
  }

  /** The folder of its server on this machine. */
  get folder(): string {
    return join(this.dataDir, 'servers', this.#server)
  }

  /** Where its node listens. */
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

  /** Makes a call of the panel, or of the node through it. */
  async ask<T>(
    call: Endpoint,
    given: { params?: Record<string, unknown>; query?: object; body?: unknown } = {},
  ): Promise<T> {
    const { body, ...rest } = given
    const answer = await fetch(`${this.url}${panelUrlOf(call, rest as Parameters<typeof panelUrlOf>[1])}`, {
      method: call.method,
      headers: { 'content-type': 'application/json', ...(this.#token && { authorization: `Bearer ${this.#token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${call.method} ${call.path}: ${answer.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** A ticket as the panel signs it, for one request straight to the node. */
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

  /** Stops its servers and itself, and starts it again. */
  async restart(): Promise<void> {
    await this.#end()
    this.#child = this.#spawn()
    await this.#ready()
  }

  /** Ends it, and the keeper that outlives it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end()
    const runDir = join(this.dataDir, 'run')
    if (existsSync(runDir)) await endKeepers(runDir)
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
    })
  }

  async #end(): Promise<void> {
    if (hasEnded(this.#child)) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGINT')
    await ended
  }

  async #ready(): Promise<void> {
    const until = Date.now() + 60_000
    while (Date.now() < until) {
      const answer = await fetch(`${this.url}/readyz`).catch(() => undefined)
      if (answer?.ok) return
      if (this.#child.exitCode !== null) throw new Error(`Innkeeper ended with code ${this.#child.exitCode}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error('Innkeeper did not start within a minute')
  }
}

function openDatabase(path: string): { db: Database.Database } & Disposable {
  const db = new Database(path, { readonly: true })
  return { db, [Symbol.dispose]: () => void db.close() }
}
