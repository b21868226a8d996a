import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ClientLimits, createAccountClient, createServerClient } from '@innkeeper/contract/accounts/oauth2'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { PanelScope, ServerPermission } from '@innkeeper/contract/api/permissions'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import type { JWK } from 'jose'
import pino from 'pino'
import { test as base } from 'vitest'
import { formatPermissions } from '../access/access.ts'
import { passwords } from '../auth/passwords.ts'
import { sessionsService } from '../auth/sessions.ts'
import { connect } from '../database/database.ts'
import { runTransaction } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { nameColumns } from '../database/server-name.ts'
import { addUser } from '../database/users.ts'
import { createPanel, type Panel, type PanelOptions } from '../panel.ts'
import { expectDocumented } from './assert-documented.ts'
import { checkedSerializer } from './checked-serializer.ts'
import { freshDatabase, type TestDatabase } from './databases.ts'
import { FakeNode } from './fake-node.ts'
import { memoryFolder } from './memory-folder.ts'

/** A user with a session. */
export interface TestUser {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly token: string
}

/** The response, or the code of the error. */
export interface Reply<C extends Endpoint> {
  readonly status: number
  readonly answer: ResponseOf<C>
  readonly refusal: string | undefined
  readonly metadata: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** The password of all test users. */
export const password = 'everybody knows it'
/** Fast hashes, because tests log in hundreds of times. */
const passwordCost = { memory: 64, passes: 1 }
const hash = passwords({ cost: passwordCost }).hash(password)

/** A panel on a fresh database with a fake node, and direct access to its database. */
export class TestPanel {
  readonly panel: Panel
  readonly node: FakeNode
  readonly db: Database
  readonly folder: string
  readonly #database: TestDatabase
  #userCount = 0

  private constructor(
    panel: Panel,
    node: FakeNode,
    { db, ...database }: TestDatabase & { db: Database },
    folder: string,
  ) {
    this.panel = panel
    this.node = node
    this.#database = database
    this.db = db
    this.folder = folder
  }

  /**
   * With a `databaseUrl` it uses that database and keeps it. `nodeKey` is the public key of the local node, for tests
   * in which it sends requests.
   */
  static async start(options: Partial<PanelOptions> = {}, nodeKey?: JWK): Promise<TestPanel> {
    const folder = await memoryFolder('innkeeper-panel-')
    const node = await FakeNode.start(join(folder, 'node.sock'))
    const { databaseUrl } = options
    const database = databaseUrl ? { url: databaseUrl, release: async () => {} } : await freshDatabase(folder)
    const panel = await createPanel({
      databaseUrl: database.url,
      host: '127.0.0.1',
      port: 0,
      localNode: {
        name: 'LocalNode',
        socketPath: node.socketPath,
        sftpPort: 5657,
        publicKey: nodeKey,
      },
      templatesDir: join(folder, 'templates'),
      version: '0.0.0-test',
      log: pino({ level: 'error' }),
      passwordCost,
      serializerFor: checkedSerializer,
      ...options,
    })
    await node.trust(panel.publicJwk)
    return new TestPanel(panel, node, { ...database, db: await connect(database.url) }, folder)
  }

  get databaseUrl(): string {
    return this.#database.url
  }

  async stop(): Promise<void> {
    await this.panel.close()
    await this.db.destroy()
    await this.node.stop()
    await this.#database.release()
    await rm(this.folder, { recursive: true, force: true })
  }

  async admin(): Promise<TestUser> {
    return this.createUser({ scopes: ['servers.admin'] })
  }

  /** Creates a user with a session; `on` are permissions on servers. */
  async createUser({
    scopes = [],
    on = {},
  }: {
    scopes?: readonly PanelScope[]
    on?: Readonly<Record<string, readonly ServerPermission[]>>
  } = {}): Promise<TestUser> {
    const username = `person${++this.#userCount}`
    const email = `${username}@example.org`
    const who = { username, email, password: await hash, isEmailConfirmed: true, scopes }
    const id = await runTransaction(this.db, (transaction) => addUser(transaction, who, Date.now()))
    for (const [server, permissions] of Object.entries(on)) await this.grant(id, server, permissions)
    const token = await sessionsService({ db: this.db, now: Date.now }).open(id)
    return { id, username, email, token }
  }

  /** Creates an OAuth2 client of a user, for the account or one server, and returns its token as a credential. */
  async createClient(
    user: TestUser,
    server?: string,
    body: { readonly limits?: ClientLimits; readonly until?: string } = {},
  ): Promise<{ id: string; secret: string; client: TestUser }> {
    const { answer } = server
      ? await this.send(createServerClient, { params: { id: server }, body }, user)
      : await this.send(createAccountClient, { body }, user)
    const form = { grant_type: 'client_credentials', client_id: answer.id, client_secret: answer.secret }
    const payload = new URLSearchParams(form).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await this.panel.app.inject({ method: 'POST', url: '/oauth2/token', headers, payload })
    const { access_token: token } = reply.json<{ access_token: string }>()
    return { ...answer, client: { ...user, token } }
  }

  /** Sets a user's permissions on a server. */
  async grant(userId: number, server: string, permissions: readonly ServerPermission[]): Promise<void> {
    await this.db.deleteFrom('server_users').where('server_id', '=', server).where('user_id', '=', userId).execute()
    const row = { server_id: server, user_id: userId, rights: formatPermissions(permissions) }
    await this.db.insertInto('server_users').values(row).execute()
  }

  /** Creates a server in the database and on the node. */
  async server(options: { name?: string; ip?: string; port?: number } = {}): Promise<string> {
    const id = Math.floor(Math.random() * 0xffffffff)
      .toString(16)
      .padStart(8, '0')
    const name = nameColumns(options.name ?? id)
    const row = { id, ...name, node_id: 0, ip: options.ip ?? '0.0.0.0', port: options.port ?? 0 }
    await this.db
      .insertInto('servers')
      .values({ ...row, type: 'test', created_at: 0 })
      .execute()
    this.node.definitions.set(id, { type: 'test', data: {}, run: {} })
    return id
  }

  /** Marks a node as one that has connected before. */
  async hasReported(nodeId: number): Promise<void> {
    const row = { node_id: nodeId, since: 1, seen_at: 1, skew: 0, reached_at: 0, is_reachable: 1 }
    await this.db
      .insertInto('node_reports')
      .values({ ...row, body: '{}', servers: '[]' })
      .execute()
  }

  /** The node has just reported 16 GiB of memory, of which `memoryUsed` are used, and 100 GiB of free disk space. */
  async hasResources(nodeId: number, memoryUsed = 4): Promise<void> {
    const gibibyte = 1024 ** 3
    const body = {
      features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
      machine: {
        startedAt: '2026-01-01T00:00:00.000Z',
        cpu: { cores: 2, used: 10 },
        memory: { total: 16 * gibibyte, used: memoryUsed * gibibyte },
        disk: { total: 100 * gibibyte, used: 0 },
      },
    }
    const at = Date.now()
    const row = { node_id: nodeId, since: at, seen_at: at, skew: 0, reached_at: 0, is_reachable: 1, servers: '[]' }
    await this.db
      .insertInto('node_reports')
      .values({ ...row, body: JSON.stringify(body) })
      .execute()
  }

  /** Calls an endpoint as a user or anonymously. */
  async send<C extends Endpoint>(
    call: C,
    request: RequestOf<C>,
    as?: TestUser,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply<C>> {
    const parts = request as { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }
    const reply = await this.request<C>(call.method, getPanelUrl(call, parts), parts.body, as, headers)
    expectDocumented(call, reply.status)
    return reply
  }

  /** Sends any request to the panel. */
  async request<C extends Endpoint = Endpoint>(
    method: Endpoint['method'],
    url: string,
    body?: unknown,
    as?: TestUser,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply<C>> {
    const isText = typeof body === 'string'
    const response = await this.panel.app.inject({
      method,
      url,
      headers: {
        ...headers,
        ...(as ? { authorization: `Bearer ${as.token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': isText ? 'text/plain' : 'application/json' }),
      },
      payload: body === undefined ? undefined : isText ? body : JSON.stringify(body),
    })
    const isJson = response.headers['content-type']?.toString().includes('json') && response.body !== ''
    const answer: unknown = isJson ? response.json() : response.body
    const refusal = refusalFrom(answer)
    return {
      status: response.statusCode,
      answer: answer as ResponseOf<C>,
      refusal: refusal?.code,
      metadata: refusal?.metadata ?? {},
      headers: response.headers,
    }
  }
}

/** A test with its own panel. */
export const test = testWith({})

/** A test with its own panel and options, for example shorter intervals. */
export function testWith(options: Partial<PanelOptions>) {
  return base.extend<{ testPanel: TestPanel }>({
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
    testPanel: async ({}, use) => {
      const testPanel = await TestPanel.start(options)
      await use(testPanel)
      await testPanel.stop()
    },
  })
}
