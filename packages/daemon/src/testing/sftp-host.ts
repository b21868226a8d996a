import { type SpawnOptions, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connectionLimits } from '@innkeeper/contract/http/connection-limiter'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import { pino } from 'pino'
import ssh2 from 'ssh2'
import { test as base } from 'vitest'
import { DeniedFiles } from '../files/path/denied-files.ts'
import { RootFs } from '../files/root.ts'
import { DiskLimit } from '../files/space/disk-limit.ts'
import { FileChanges } from '../panel-link/file-changes.ts'
import { SftpServer } from '../sftp/sftp-server.ts'
import { openHostKeys } from '../sftp/ssh/host-key.ts'
import { defaultTrash, Trash } from '../trash/trash.ts'
import { FakePanel } from './fake-panel.ts'

export const theServer = '9f3c21a0'
export const otherServer = '11111111'

interface Ran {
  readonly code: number | null
  readonly out: string
}

/** Client settings that suppress prompts. */
const quiet = [
  'StrictHostKeyChecking=no',
  'UserKnownHostsFile=/dev/null',
  'LogLevel=ERROR',
  'NumberOfPasswordPrompts=1',
]

/** Overrides of limits; see `SftpServer`. */
type SftpHostOptions = Pick<
  Partial<ConstructorParameters<typeof SftpServer>[0]>,
  'maxUnconfirmedMs' | 'connectionLimits' | 'handleLimits' | 'loginTimeoutMs'
>

/** An SFTP server on a test directory, with a fake panel. */
export class SftpHost {
  readonly panel = new FakePanel()
  readonly folder: string
  readonly trash: Trash
  readonly changes: FileChanges
  /** Whether the trash keeps what is deleted over SFTP. */
  keepsFiles = true
  server: SftpServer
  port = 0
  /** Whether the server is being removed. */
  isBeingRemoved = false
  /** What the template keeps from users. */
  deniedFiles: readonly string[] = []
  /** The limit of the disk space of the servers. */
  limitBytes: number | undefined
  readonly diskLimit = new DiskLimit(() => this.limitBytes)
  readonly #leavers = new Set<() => void>()
  readonly #options: SftpHostOptions

  private constructor(
    folder: string,
    hostKeys: readonly string[],
    { trash, changes }: { readonly trash: Trash; readonly changes: FileChanges },
    options: SftpHostOptions,
  ) {
    this.folder = folder
    this.trash = trash
    this.changes = changes
    this.#options = options
    this.server = this.#serverWith(hostKeys)
  }

  /** With `maxUnconfirmedMs` sessions end this long after the panel became unreachable. */
  static async start(options: SftpHostOptions = {}): Promise<SftpHost> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'innkeeper-sftp-')))
    for (const id of [theServer, otherServer]) await mkdir(join(folder, 'servers', id), { recursive: true })
    const trash = new Trash({ dataDir: folder, options: defaultTrash, log: pino({ level: 'silent' }) })
    const changes = await FileChanges.open({ dataDir: folder, log: pino({ level: 'silent' }) })
    const host = new SftpHost(folder, await openHostKeys(folder), { trash, changes }, options)
    host.port = await host.server.listen('127.0.0.1', 0)
    return host
  }

  /** The user name of a new user with all file permissions. */
  userWithFiles(): string {
    const { email } = this.panel.addUser({ permissions: { [theServer]: ['sftpServer', 'putServerFiles'] } })
    return `${email}#${theServer}`
  }

  /** Restarts the server on the same directory. */
  async restart(): Promise<void> {
    await this.server.close()
    this.server = this.#serverWith(await openHostKeys(this.folder))
    this.port = await this.server.listen('127.0.0.1', 0)
  }

  /** A path in the directory of the server. */
  inside(...names: readonly string[]): string {
    return join(this.folder, 'servers', theServer, ...names)
  }

  /** A path in the test's own directory. */
  own(...names: readonly string[]): string {
    return join(this.folder, ...names)
  }

  /** Notifies the listeners like the removal of the server. */
  removeServer(): void {
    for (const leave of this.#leavers) leave()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close()
    await this.trash.close()
    await this.changes.close()
    // Sessions that have just ended may still write the records of their entries.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }

  /** Runs the commands in OpenSSH's client. */
  async sftp(
    user: string,
    commands: readonly string[],
    { password = 'long enough', options = [], program = 'sftp' }: Typing = {},
  ): Promise<Ran> {
    // The first option wins.
    const all = [...options, 'BatchMode=no', ...quiet, `User=${user}`, `Port=${this.port}`]
    const args = all.flatMap((option) => ['-o', option])
    const input = `${commands.join('\n')}\n`
    const env = await this.#askpass(password)
    return await run(program, [...args, ...(program === 'sftp' ? ['-b', '-'] : []), '127.0.0.1'], { env }, input)
  }

  /** Runs another program and answers its prompts. */
  async run(program: string, args: readonly string[], password = 'long enough', env: object = {}): Promise<Ran> {
    return await run(program, args, { env: { ...(await this.#askpass(password)), ...env } })
  }

  /** A controllable client with everything it received. */
  async connect({ answers, ...config }: Connecting): Promise<Session> {
    const client = new ssh2.Client()
    client.on('keyboard-interactive', (_name, _instructions, _language, prompts, answer) => {
      answer(prompts.map((prompt) => answers?.(prompt) ?? ''))
    })
    const ended = new Promise<void>((resolve) => client.once('close', () => resolve()))
    client.on('error', () => {})
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve)
      client.once('error', reject)
      client.once('close', () => reject(new Error('the connection ended')))
      client.connect({
        host: '127.0.0.1',
        port: this.port,
        password: 'long enough',
        tryKeyboard: answers !== undefined,
        ...config,
      })
      // Like OpenSSH: with Nagle's algorithm each request would wait 40 ms for a delayed acknowledgement.
      client.setNoDelay(true)
    })
    return new Session(client, ended)
  }

  #serverWith(hostKeys: readonly string[]): SftpServer {
    const isBeingRemoved = () => this.isBeingRemoved
    return new SftpServer({
      panel: this.panel,
      hostKeys,
      changes: this.changes,
      log: pino({ level: 'silent' }),
      refreshEveryMs: 50,
      maxUnconfirmedMs: 2_000,
      connectionLimits: connectionLimits().sftp,
      handleLimits: connectionLimits().sftpHandles,
      ...this.#options,
      find: (id) => ({
        get isBeingRemoved() {
          return isBeingRemoved()
        },
        openFilesForSftp: (author, permissions) =>
          RootFs.open(join(this.folder, 'servers', id), {
            discarded: this.trash.sink(id, { author, isKept: this.keepsFiles }),
            budget: this.diskLimit,
            denied: () => (hasPermission(permissions(), 'admin') ? undefined : DeniedFiles.of(this.deniedFiles)),
          }),
        suspension: undefined,
        onSuspended: () => () => {},
        onRemoved: (leave) => {
          this.#leavers.add(leave)
          return () => this.#leavers.delete(leave)
        },
      }),
    })
  }

  async #askpass(password: string): Promise<Record<string, string>> {
    const path = join(this.folder, `askpass-${Math.random().toString(36).slice(2)}`)
    await writeFile(path, `#!/bin/sh\ncat <<'END'\n${password}\nEND\n`)
    await chmod(path, 0o700)
    return {
      PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
      HOME: this.folder,
      SSH_ASKPASS: path,
      SSH_ASKPASS_REQUIRE: 'force',
    }
  }
}

interface Connecting extends Partial<ssh2.ConnectConfig> {
  readonly username: string
  readonly answers?: (prompt: ssh2.Prompt) => string
}

interface Typing {
  readonly password?: string
  readonly options?: readonly string[]
  readonly program?: 'sftp' | 'ssh'
}

/** A logged-in client. */
export class Session implements AsyncDisposable {
  readonly client: ssh2.Client
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>

  constructor(client: ssh2.Client, ended: Promise<void>) {
    this.client = client
    this.ended = ended
  }

  files(): Promise<ssh2.SFTPWrapper> {
    return toPromise((done) => this.client.sftp(done))
  }

  /** The names in a directory. */
  async list(path: string): Promise<string[]> {
    const files = await this.files()
    const entries = await toPromise<ssh2.FileEntryWithStats[]>((done) => files.readdir(path, done))
    return entries.map(({ filename }) => filename).toSorted()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.end()
    await this.ended
  }
}

/** Promisifies a function with a callback. */
export function toPromise<T>(ask: (done: (error: Error | null | undefined, answer: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    ask((error, answer) => (error ? reject(error) : resolve(answer)))
  })
}

/** The same for a callback without a result. */
export function toVoidPromise(ask: (done: (error?: Error | null) => void) => void): Promise<void> {
  return toPromise((done) => ask((error) => done(error, undefined)))
}

/** Runs a program, and returns its exit code and its output. */
export async function run(file: string, args: readonly string[], options: SpawnOptions, input = ''): Promise<Ran> {
  const child = spawn(file, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
  })
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) return await failed
  stdin.on('error', () => {})
  stdin.end(input)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const [code, out, err] = await Promise.race([Promise.all([ended, text(stdout), text(stderr)]), failed])
  return { code, out: out + err }
}

/** A test with an SFTP server of its own, and a user with all file permissions. */
export const test = base.extend<{ host: SftpHost; user: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  host: async ({}, use) => {
    await using host = await SftpHost.start()
    await use(host)
  },
  user: async ({ host }, use) => {
    await use(host.userWithFiles())
  },
})
