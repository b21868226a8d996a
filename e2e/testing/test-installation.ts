import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { bundleEntry as main, root } from '../../tools/commands.ts'
import { stopKeepers } from '../../tools/stop-keepers.ts'

/** A panel with its node in a separate process, with an empty data folder and free ports. */
export class TestInstallation {
  readonly dataDir: string
  readonly port: number
  readonly sftpPort: number
  #process: ChildProcess | undefined
  #output = ''

  /** Further environment variables. */
  readonly #settings: NodeJS.ProcessEnv

  private constructor(dataDir: string, port: number, sftpPort: number, settings: NodeJS.ProcessEnv) {
    this.dataDir = dataDir
    this.port = port
    this.sftpPort = sftpPort
    this.#settings = settings
  }

  /** Creates and starts it, with further environment variables. */
  static async start(settings: NodeJS.ProcessEnv = {}): Promise<TestInstallation> {
    const installation = new TestInstallation(
      await mkdtemp(join(tmpdir(), 'innkeeper-e2e-')),
      await freePort(),
      await freePort(),
      settings,
    )
    await installation.start()
    return installation
  }

  get url(): string {
    return `http://localhost:${this.port}`
  }

  /** The output since the last start. */
  get output(): string {
    return this.#output
  }

  /** The setup code for the first administrator, from the output. */
  get setupCode(): string {
    const code = /setup code:\s+(\S+)/.exec(this.#output)?.[1]
    if (!code) throw new Error(`No setup code was printed:\n${this.#output}`)
    return code
  }

  async start(): Promise<void> {
    this.#output = ''
    const env = {
      ...withoutSettings(process.env),
      ...this.#settings,
      // The default is in the data folder, which is empty at the start of each test.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
      INNKEEPER_DATA_DIR: this.dataDir,
      INNKEEPER_PORT: String(this.port),
      INNKEEPER_SFTP_PORT: String(this.sftpPort),
    }
    const child = spawn(process.execPath, [main, 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#process = child
    const ready = new Promise<void>((resolve, reject) => {
      const listen = (data: Buffer) => {
        this.#output += data
        if (this.#output.includes(' is at http')) resolve()
      }
      child.stdout.on('data', listen)
      child.stderr.on('data', listen)
      child.once('exit', (code) => reject(new Error(`Innkeeper exited with code ${code}:\n${this.#output}`)))
    })
    await ready
  }

  /** `SIGKILL` simulates a crash; servers keep running. */
  async stop(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    const child = this.#process
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }

  /** Stops servers, Innkeeper and its keeper, and removes the data. */
  async remove(): Promise<void> {
    await this.stop('SIGINT')
    await stopKeepers(join(this.dataDir, 'run'))
    await rm(this.dataDir, { recursive: true, force: true })
  }
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('INNKEEPER_')))
}
