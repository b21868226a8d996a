import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import WebSocket from 'ws'
import type { TestInstallation } from './test-installation.ts'

/** Response times in milliseconds. */
export interface ResponseTimes {
  readonly status: readonly number[]
  readonly echo: readonly number[]
}

const intervalMs = 25
/** A line without an echo after this time is lost. */
const echoTimeoutMs = 10_000

/** A server that echoes its input, with a viewer of its console, to measure the effect of other servers on it. */
export class ColocatedServer implements AsyncDisposable {
  readonly #installation: TestInstallation
  readonly #id: string
  readonly #socket: WebSocket
  #onMessage: ((text: string) => void) | undefined
  #commands = 0

  private constructor(installation: TestInstallation, id: string, socket: WebSocket) {
    this.#installation = installation
    this.#id = id
    this.#socket = socket
    socket.on('message', (data) => this.#onMessage?.(String(data)))
  }

  static async start(installation: TestInstallation): Promise<ColocatedServer> {
    const body = { name: 'colocated', type: 'bench', run: { command: 'cat', stopCode: 15 }, data: {} }
    const { id } = await installation.send<{ id: string }>(createServer, { body })
    await installation.send(startServer, { params: { id }, query: { wait: true } })
    const socket = new WebSocket(`${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${installation.token}` },
    })
    await once(socket, 'open')
    return new ColocatedServer(installation, id, socket)
  }

  /** Measures status requests and echoed commands through the panel, each repeated for `ms`. */
  async measure(ms: number): Promise<ResponseTimes> {
    const deadline = performance.now() + ms
    const repeat = async (run: () => Promise<unknown>): Promise<readonly number[]> => {
      const times: number[] = []
      while (performance.now() < deadline) {
        const startedAt = performance.now()
        await run()
        times.push(performance.now() - startedAt)
        await pause(intervalMs)
      }
      return times
    }
    const [status, echo] = await Promise.all([repeat(() => this.isRunning()), repeat(() => this.#echo())])
    return { status, echo }
  }

  async isRunning(): Promise<boolean> {
    const { running } = await this.#installation.send<{ running: boolean }>(getStatus, { params: { id: this.#id } })
    return running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  async #echo(): Promise<void> {
    this.#commands += 1
    const line = `command ${this.#commands}.`
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => reject(new Error(`The server did not echo '${line}'`)), echoTimeoutMs)
    this.#onMessage = (text) => {
      if (text.includes(line)) resolve()
    }
    this.#socket.send(JSON.stringify({ type: 'console', command: line }))
    await promise.finally(() => clearTimeout(timer))
  }
}
