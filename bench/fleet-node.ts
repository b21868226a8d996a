import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createNode, getNodeDeployment, type Node, type NodeDeployment } from '@innkeeper/contract/nodes'
import { ControlGroups } from '@innkeeper/daemon/isolation/control-groups'
import { RunFolder, runFolderOf } from '@innkeeper/daemon/keeper/run-folder'
import { readStates } from '@innkeeper/daemon/keeper/state-file'
import { createTreeKiller } from '@innkeeper/daemon/proc/kill-tree'
import { sendSignal } from '@innkeeper/daemon/proc/signal'
import { endKeepers } from '../tools/end-keepers.ts'
import { hasEnded, type Product, spawnInnkeeper } from './product.ts'
import { within } from './waiting.ts'

const endMs = 45_000

/** Where a node is, what its servers may be, and whether it is to be killed. */
export interface Place {
  readonly name: string
  readonly folder: string
  readonly nodePort: number
  readonly sftpPort: number
  readonly uids: string
  readonly isDoomed: boolean
}

/** A node in a process of its own. */
export class FleetNode implements AsyncDisposable {
  readonly id: number
  readonly name: string
  readonly dataDir: string
  readonly isDoomed: boolean
  readonly #config: string
  #child: ChildProcess | undefined
  #isOver = false

  private constructor(id: number, { name, folder, isDoomed }: Place) {
    this.id = id
    this.name = name
    this.dataDir = join(folder, name)
    this.isDoomed = isDoomed
    this.#config = join(folder, `${name}.json`)
  }

  /** Describes it to the panel, and writes down what the panel then says of it, as an operator does. */
  static async describe(product: Product, place: Place): Promise<FleetNode> {
    const { name, nodePort, sftpPort, uids } = place
    const body = { name, publicHost: '127.0.0.1', privatePort: nodePort, sftpPort }
    const { id } = await product.ask<Node>(createNode, { body })
    const { config } = await product.ask<NodeDeployment>(getNodeDeployment, { params: { id } })
    const node = new FleetNode(id, place)
    const here = { dataDir: node.dataDir, nodeHost: '127.0.0.1', sftpHost: '127.0.0.1', logLevel: 'error' }
    const said = JSON.parse(config) as object
    await writeFile(node.#config, JSON.stringify({ ...said, ...here, serverUids: uids }), { mode: 0o600 })
    return node
  }

  get isRunning(): boolean {
    return this.#child !== undefined && !hasEnded(this.#child)
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error(`${this.name} did not start`)
    return this.#child.pid
  }

  start(): void {
    if (this.#isOver) throw new Error(`${this.name} is not wanted any more`)
    this.#child = spawnInnkeeper({ INNKEEPER_CONFIG: this.#config })
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    if (!this.#child) return
    // It stops its servers first; should it not come to its end, we do.
    await within(`${this.name} ends`, endMs, this.#end('SIGINT')).catch(() => this.kill())
    await this.#endRest()
  }

  async #end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (!this.#child || hasEnded(this.#child)) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }

  /** Servers whose node is gone, and their keeper. */
  async #endRest(): Promise<void> {
    using folder = new RunFolder(runFolderOf(this.dataDir))
    const groups = ControlGroups.open({ dataDir: this.dataDir })
    const killTree = createTreeKiller({ groupControl: groups })
    for (const { keeper, runs } of await readStates(folder, () => {})) {
      await Promise.all(runs.map(async ({ id, process }) => process && (await killTree({ id, process }))))
      for (const { id } of runs) await groups.destroy(id)
      // One that holds servers does not leave when it is asked.
      if (runs.length > 0) sendSignal(keeper, 'SIGKILL')
    }
    groups.sweep(new Set())
    groups.close()
    await endKeepers(folder.path)
  }
}
