import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { bundleEntry as main, root } from '../../tools/commands.ts'
import { stopKeepers } from '../../tools/stop-keepers.ts'
import type { Api } from './api.ts'

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
    const [nodePort, sftpPort] = [await freePort(), await freePort()]
    const added = await api.post('/api/nodes', { name, publicHost: '127.0.0.1', privatePort: nodePort, sftpPort })
    const { id } = added as { id: number }
    const { config } = (await api.get(`/api/nodes/${id}/deployment`)) as { config: string }
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-e2e-node-'))
    const settings = { ...JSON.parse(config), dataDir, nodeHost: '127.0.0.1', nodePort, sftpHost: '127.0.0.1' }
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
