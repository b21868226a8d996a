import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../build/run.ts'
import { waitUntil } from './wait-until.ts'

/** A Docker Engine with its own folders and socket. Its containers share the network of this process. */
export class DockerEngine implements AsyncDisposable {
  readonly #socket: string
  readonly #end: () => Promise<void>

  private constructor(socket: string, end: () => Promise<void>) {
    this.#socket = socket
    this.#end = end
  }

  /** Keeps images and containers in memory, because building and starting them calls fsync often. */
  static async start(folder: string): Promise<DockerEngine> {
    mkdirSync(folder)
    run(['mount', '-t', 'tmpfs', '-o', 'mode=711', 'innkeeper-test', folder])
    const socket = `unix://${join(folder, 'docker.sock')}`
    const options = {
      host: socket,
      'data-root': join(folder, 'data'),
      'exec-root': join(folder, 'exec'),
      pidfile: join(folder, 'pid'),
      iptables: 'false',
      ip6tables: 'false',
      bridge: 'none',
      'log-level': 'error',
    }
    const command = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    // In a file, because its shims write notes whatever the level is.
    const logPath = join(folder, 'log')
    const daemon = spawn('dockerd', command, { stdio: ['ignore', 'ignore', openSync(logPath, 'w')] })
    const engine = new DockerEngine(socket, async () => {
      if (daemon.exitCode !== null) return
      const ended = once(daemon, 'exit')
      daemon.kill()
      await ended
    })
    await waitUntil('the Docker Engine responds', () => {
      if (daemon.exitCode !== null) throw new Error(`dockerd has ended: ${readFileSync(logPath, 'utf8')}`)
      return engine.docker(['version', '--format', '{{.Server.Version}}'])
    })
    return engine
  }

  /**
   * Runs a command of the Docker client and returns what it prints.
   * @throws Error when it fails.
   */
  docker(args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
    return run(['docker', ...args], { env: { ...env, ...this.environment } })
  }

  /** Selects this engine, and the builder that is part of the engine. */
  get environment(): Readonly<Record<string, string>> {
    return { DOCKER_HOST: this.#socket, DOCKER_BUILDKIT: '0' }
  }

  /** Waits until the health check of a container succeeds. */
  async waitUntilHealthy(container: string): Promise<void> {
    await waitUntil(`the container ${container} is healthy`, () => {
      const state = this.docker(['inspect', '--format', '{{.State.Status}} {{.State.Health.Status}}', container]).trim()
      return state === 'running healthy'
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.docker(['ps', '--all', '--quiet']).split('\n').filter(Boolean))
      this.docker(['rm', '--force', '--volumes', id])
    await this.#end()
  }
}
