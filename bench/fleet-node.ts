import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode, getNodeDeployment, type Node, type NodeDeployment } from '@innkeeper/contract/nodes/nodes'
import { ControlGroups } from '@innkeeper/daemon/isolation/control-groups'
import { getRunFolder, RunFolder } from '@innkeeper/daemon/keeper/protocol'
import { readStates } from '@innkeeper/daemon/keeper/state-file'
import { createTreeKiller } from '@innkeeper/daemon/proc/kill-tree'
import { sendSignal } from '@innkeeper/daemon/proc/process-stat'
import { stopKeepers } from '../tools/stop-keepers.ts'
import { withTimeout } from './async.ts'
import { hasExited, spawnInnkeeper, type TestInstallation } from './test-installation.ts'

const stopTimeoutMs = 45_000

/** Location of a node, the user IDs of its servers, and whether the benchmark kills it. */
export interface NodeOptions {
  readonly name: string
  readonly folder: string
  readonly nodePort: number
  readonly sftpPort: number
  readonly uids: string
  readonly willBeKilled: boolean
}

/** A node in a separate process. */
export class FleetNode implements AsyncDisposable {
  readonly id: number
  readonly name: string
  readonly dataDir: string
  readonly willBeKilled: boolean
  readonly #config: string
  #child: ChildProcess | undefined
  #isDisposed = false

  private constructor(id: number, { name, folder, willBeKilled }: NodeOptions) {
    this.id = id
    this.name = name
    this.dataDir = join(folder, name)
    this.willBeKilled = willBeKilled
    this.#config = join(folder, `${name}.json`)
  }

  /** Adds the node to the panel and writes its configuration, as an operator does. */
  static async register(installation: TestInstallation, options: NodeOptions): Promise<FleetNode> {
    const { name, nodePort, sftpPort, uids } = options
    const body = { name, publicHost: '127.0.0.1', privatePort: nodePort, sftpPort }
    const { id } = await installation.send<Node>(createNode, { body })
    const { config } = await installation.send<NodeDeployment>(getNodeDeployment, { params: { id } })
    const node = new FleetNode(id, options)
    const overrides = { dataDir: node.dataDir, nodeHost: '127.0.0.1', sftpHost: '127.0.0.1', logLevel: 'error' }
    const deployment = JSON.parse(config) as object
    await writeFile(node.#config, JSON.stringify({ ...deployment, ...overrides, serverUids: uids }), { mode: 0o600 })
    return node
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !hasExited(this.#child)
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.name} did not start`)
    return this.#child.pid
  }

  start(): void {
    if (this.#isDisposed) throw new Error(`${this.name} is disposed already`)
    this.#child = spawnInnkeeper({ INNKEEPER_CONFIG: this.#config })
  }

  async kill(): Promise<void> {
    await this.#stop('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    if (!this.#child) return
    // SIGINT stops its servers first. After the timeout it is killed.
    await withTimeout(`${this.name} stops`, stopTimeoutMs, this.#stop('SIGINT')).catch(() => this.kill())
    await this.#killOrphans()
  }

  async #stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (!this.#child || hasExited(this.#child)) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }

  /** Kills servers that the node left running, and their keeper. */
  async #killOrphans(): Promise<void> {
    using folder = new RunFolder(getRunFolder(this.dataDir))
    const groups = ControlGroups.open({ dataDir: this.dataDir })
    const killTree = createTreeKiller({ groupControl: groups })
    for (const { keeper, runs } of await readStates(folder, () => {})) {
      await Promise.all(runs.map(async ({ id, process }) => process && (await killTree({ id, process }))))
      for (const { id } of runs) await groups.destroy(id)
      // A keeper with running servers does not exit on request.
      if (runs.length > 0) sendSignal(keeper, 'SIGKILL')
    }
    groups.sweep(new Set())
    groups.close()
    await stopKeepers(folder.path)
  }
}
