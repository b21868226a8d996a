import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { login } from '@innkeeper/contract/accounts/auth'
import { type Endpoint, getPanelUrl, type RequestOf, type ResponseOf } from '@innkeeper/contract/api/endpoint'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { freePort } from './free-port.ts'
import { InnkeeperProcess } from './innkeeper-process.ts'

/** The administrator of a test installation. */
export const admin = { email: 'mara@example.net', username: 'mara', password: 'a lantern at night' }

/** A panel with its node, started like an operator does, and its administrator. */
export class TestInstallation implements AsyncDisposable {
  readonly folder: string
  readonly port: number
  readonly sftpPort: number
  #program: InnkeeperProcess
  #token = ''

  private constructor(folder: string, port: number, sftpPort: number, program: InnkeeperProcess) {
    this.folder = folder
    this.port = port
    this.sftpPort = sftpPort
    this.#program = program
  }

  /** `settings` are its configuration file, `command` starts it. */
  static async start(
    sftp?: number,
    settings: Readonly<Record<string, unknown>> = {},
    command?: readonly string[],
  ): Promise<TestInstallation> {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-inn-'))
    const [port, sftpPort] = [await freePort(), sftp ?? (await freePort())]
    await writeFile(join(folder, 'config.json'), JSON.stringify(settings))
    const installation = new TestInstallation(
      folder,
      port,
      sftpPort,
      await InnkeeperProcess.start(getEnvironment(folder, port, sftpPort), command),
    )
    await installation.logIn()
    return installation
  }

  /** An installation that runs already; the caller ends its program. */
  static at(folder: string, port: number, sftpPort: number, program: InnkeeperProcess): TestInstallation {
    return new TestInstallation(folder, port, sftpPort, program)
  }

  /** Logs in as the administrator; later calls use that session. */
  async logIn(): Promise<void> {
    this.#token = ''
    this.#token = (await this.send(login, { body: { email: admin.email, password: admin.password } })).session ?? ''
  }

  /** The output so far. */
  get output(): string {
    return this.#program.output
  }

  get residentBytes(): number {
    return this.#program.residentBytes
  }

  get env(): Record<string, string> {
    return getEnvironment(this.folder, this.port, this.sftpPort)
  }

  /** The administrator's token. */
  get token(): string {
    return this.#token
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program.stop(signal)
  }

  /** Restarts it with its data and ports. */
  async restart(): Promise<void> {
    this.#program = await InnkeeperProcess.start(this.env)
  }

  /** Calls an endpoint as the administrator; throws refusals. */
  async send<C extends Endpoint>(call: C, request: RequestOf<C>): Promise<ResponseOf<C>> {
    const { body } = request as { body?: unknown }
    const reply = await this.fetch(getPanelUrl(call, request as Parameters<typeof getPanelUrl>[1]), {
      method: call.method,
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(body === undefined || typeof body === 'string' ? {} : { headers: { 'content-type': 'application/json' } }),
    })
    const text = await reply.text()
    if (!reply.ok) throw refusalFrom(JSON.parse(text)) ?? new Error(`${call.path}: ${reply.status} ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as ResponseOf<C>
  }

  /** Sends any request as the administrator. */
  async fetch(path: string, { headers, ...options }: RequestInit & { headers?: Record<string, string> } = {}) {
    const authorization = this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` }
    return await fetch(this.url + path, { ...options, headers: { ...headers, ...authorization } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#program.stop('SIGINT')
    // A killed process may have a child that compiles for a moment.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** The environment of an installation in a folder. */
export function getEnvironment(folder: string, port: number, sftpPort: number): Record<string, string> {
  return {
    INNKEEPER_CONFIG: join(folder, 'config.json'),
    INNKEEPER_DATA_DIR: join(folder, 'data'),
    INNKEEPER_HOST: '127.0.0.1',
    INNKEEPER_PORT: String(port),
    INNKEEPER_SFTP_HOST: '127.0.0.1',
    INNKEEPER_SFTP_PORT: String(sftpPort),
    INNKEEPER_ADMIN_EMAIL: admin.email,
    INNKEEPER_ADMIN_USERNAME: admin.username,
    INNKEEPER_ADMIN_PASSWORD: admin.password,
  }
}
