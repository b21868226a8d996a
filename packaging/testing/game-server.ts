import { globSync, readFileSync, readlinkSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '../../e2e/testing/api.ts'
import { run } from '../build/run.ts'
import { waitUntil } from './wait-until.ts'

const script = 'echo Ready; while read -r line; do echo "You typed: $line"; done\n'

/** A server of a bundled template, with a program that is uploaded as an archive. */
export class GameServer {
  readonly #api: Api
  readonly #id: string

  private constructor(api: Api, id: string) {
    this.#api = api
    this.#id = id
  }

  /** Creates and installs it; node 0 is the local one. */
  static async install(api: Api, name: string, environment: 'standard' | 'tty', node = 0): Promise<GameServer> {
    const template = (await api.get('/api/templates/generic-command')) as { data: { command: object } }
    const { id } = (await api.post('/api/servers', {
      ...template,
      name,
      node,
      environment: { type: environment },
      install: [{ type: 'extract', source: 'game.7z' }],
      data: { ...template.data, command: { ...template.data.command, value: 'sh game.sh' } },
    })) as { id: string }
    await api.put(`/proxy/daemon/server/${id}/file/game.7z`, await archive())
    await api.post(`/proxy/daemon/server/${id}/install?wait=true`)
    return new GameServer(api, id)
  }

  async start(): Promise<void> {
    await this.#api.post(`/proxy/daemon/server/${this.#id}/start?wait=true`)
    await this.#printed('Ready')
  }

  /** Sends a line and waits for the response of the program. */
  async sendAndExpectEcho(line: string): Promise<void> {
    await this.#api.post(`/proxy/daemon/server/${this.#id}/console`, line)
    await this.#printed(`You typed: ${line}`)
  }

  async stop(): Promise<void> {
    await this.#api.post(`/proxy/daemon/server/${this.#id}/stop?wait=true`)
    await waitUntil('the server is offline', async () => (await this.#status()).state === 'offline')
  }

  /** Its processes, each with the time of its start: equal texts are the same processes. */
  processes(): string {
    return globSync('/proc/[0-9]*/cwd')
      .filter((cwd) => readLink(cwd).endsWith(`/servers/${this.#id}`))
      .map((cwd) => {
        const stat = readFileSync(cwd.replace(/cwd$/, 'stat'), 'latin1')
        return `${cwd} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`
      })
      .sort()
      .join('\n')
  }

  async #status(): Promise<{ readonly state: string }> {
    return (await this.#api.get(`/proxy/daemon/server/${this.#id}/status`)) as { state: string }
  }

  async #printed(text: string): Promise<void> {
    await waitUntil(`the console shows '${text}'`, async () => {
      const { logs } = (await this.#api.get(`/proxy/daemon/server/${this.#id}/console`)) as { logs: string }
      return logs.includes(text)
    })
  }
}

/** The target of a link of a process; empty when it has ended. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // The process has ended.
    return ''
  }
}

async function archive(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-game-'))
  try {
    await writeFile(join(folder, 'game.sh'), script)
    run(['7z', 'a', '-bd', 'game.7z', 'game.sh'], { cwd: folder })
    return await readFile(join(folder, 'game.7z'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
