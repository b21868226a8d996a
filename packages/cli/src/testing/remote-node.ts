import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNode, getNode, getNodeDeployment } from '@innkeeper/contract/nodes/nodes'
import { expect, vi } from 'vitest'
import { freePort } from './free-port.ts'
import { InnkeeperProcess } from './innkeeper-process.ts'
import { InterruptibleProxy } from './interruptible-proxy.ts'
import type { TestInstallation } from './test-installation.ts'

/** A remote node, configured with the page of the node in the panel. */
export class RemoteNode implements AsyncDisposable {
  readonly id: number
  readonly folder: string
  /** The panel's connection to it. */
  readonly line: InterruptibleProxy
  readonly sftpPort: number
  /** The port that it listens on. */
  port = 0
  readonly #settings: Readonly<Record<string, unknown>>
  readonly #command: readonly string[] | undefined
  #program: InnkeeperProcess | undefined

  private constructor(
    id: number,
    folder: string,
    line: InterruptibleProxy,
    sftpPort: number,
    settings: Readonly<Record<string, unknown>>,
    command: readonly string[] | undefined,
  ) {
    this.id = id
    this.folder = folder
    this.line = line
    this.sftpPort = sftpPort
    this.#settings = settings
    this.#command = command
  }

  /** `settings` are added to its configuration, `command` starts it. */
  static async join(
    installation: TestInstallation,
    settings: Readonly<Record<string, unknown>> = {},
    command?: readonly string[],
    described: { readonly name?: string; readonly isBehindNat?: boolean } = {},
  ): Promise<RemoteNode> {
    const [line, sftpPort] = [await InterruptibleProxy.listen(), await freePort()]
    const body = { name: 'far', publicHost: '127.0.0.1', privatePort: line.port, sftpPort, ...described }
    const { id } = await installation.send(createNode, { body })
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-node-'))
    const node = new RemoteNode(id, folder, line, sftpPort, settings, command)
    await using parts = new AsyncDisposableStack()
    parts.use(node)
    await node.configure(installation)
    await node.start()
    await vi.waitFor(() => node.expectNoProblem(installation), { timeout: 30_000 })
    parts.move()
    return node
  }

  /** Writes the configuration as an operator copies it. */
  async configure(installation: TestInstallation): Promise<void> {
    const { config } = await installation.send(getNodeDeployment, { params: { id: this.id } })
    this.port = await freePort()
    const ownPlaces = { dataDir: join(this.folder, 'data'), nodeHost: '127.0.0.1', nodePort: this.port }
    const overrides = { ...ownPlaces, sftpHost: '127.0.0.1', ...this.#settings }
    await writeFile(join(this.folder, 'config.json'), JSON.stringify({ ...JSON.parse(config), ...overrides }))
    this.line.forwardTo(this.port)
  }

  async start(): Promise<void> {
    this.#program = await InnkeeperProcess.start({ INNKEEPER_CONFIG: join(this.folder, 'config.json') }, this.#command)
  }

  get output(): string {
    return this.#program?.output ?? ''
  }

  async stateSeenBy(installation: TestInstallation): Promise<string | undefined> {
    return (await installation.send(getNode, { params: { id: this.id } })).health?.state
  }

  /** It is online for the panel; its version may be another one. */
  async expectNoProblem(installation: TestInstallation): Promise<void> {
    const { health } = await installation.send(getNode, { params: { id: this.id } })
    const problems = health?.problems.filter((problem) => problem !== 'otherVersion')
    expect({ isOnline: ['online', 'degraded'].includes(health?.state ?? ''), problems }).toEqual({
      isOnline: true,
      problems: [],
    })
  }

  async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.#program?.stop(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGINT')
    await this.line[Symbol.asyncDispose]()
    // A killed process may have a child that compiles for a moment.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
