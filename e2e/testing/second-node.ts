import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { bundleEntry as main, root } from '../../tools/commands.ts'
import { stopKeepers } from '../../tools/stop-keepers.ts'
import type { Api } from './api.ts'

type Ports = readonly [nodePort: number, sftpPort: number]

export const freePorts = async (): Promise<Ports> => [await freePort(), await freePort()]

/** Another node of an installation, in a separate process. */
export class SecondNode implements AsyncDisposable {
  readonly dataDir: string
  readonly #process: ChildProcess

  private constructor(dataDir: string, process: ChildProcess) {
    this.dataDir = dataDir
    this.#process = process
  }

  /** Adds it to the panel, and starts it with the configuration of its page. */
  static async join(api: Api, name: string): Promise<SecondNode> {
    const [nodePort, sftpPort] = await freePorts()
    const added = await api.post('/api/nodes', { name, publicHost: '127.0.0.1', privatePort: nodePort, sftpPort })
    const { id } = added as { id: number }
    const { config } = (await api.get(`/api/nodes/${id}/deployment`)) as { config: string }
    return await SecondNode.start(JSON.parse(config), [nodePort, sftpPort])
  }

  /** Starts it with a configuration that the panel has shown. */
  static async start(config: object, [nodePort, sftpPort]: Ports): Promise<SecondNode> {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-e2e-node-'))
    const settings = { ...config, dataDir, nodeHost: '127.0.0.1', nodePort, sftpHost: '127.0.0.1', sftpPort }
    await writeFile(join(dataDir, 'config.json'), JSON.stringify(settings))
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
      INNKEEPER_CONFIG: join(dataDir, 'config.json'),
    }
    const child = spawn(process.execPath, [main, 'run'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (part: Buffer) => {
          output += part
          if (output.includes(' is at http')) resolve()
        })
      }
      child.once('exit', (code) => reject(new Error(`the node exited with code ${code}:\n${output}`)))
    })
    return new SecondNode(dataDir, child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.kill('SIGINT')
    await exited
    await stopKeepers(join(this.dataDir, 'run'))
    await rm(this.dataDir, { recursive: true, force: true })
  }
}
