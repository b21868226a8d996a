import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { killServer, startServer } from '@innkeeper/contract/servers/node-servers'
import { deleteServer } from '@innkeeper/contract/servers/servers'
import WebSocket from 'ws'
import { Delays } from './statistics.ts'
import type { TestInstallation } from './test-installation.ts'

/** Longer than the interval in which output is batched, so that each line is sent on its own. */
const intervalMs = 40
const program = `setInterval(() => console.log(String(process.hrtime.bigint())), ${intervalMs})`

/** A server that prints the time, and a viewer of its console, to measure the latency of the console. */
export class ConsoleLatency implements AsyncDisposable {
  readonly #installation: TestInstallation
  readonly #server: string
  readonly #socket: WebSocket
  #delays: number[] = []

  private constructor(installation: TestInstallation, server: string, socket: WebSocket) {
    this.#installation = installation
    this.#server = server
    this.#socket = socket
    socket.on('message', (data) => this.#receive(String(data)))
  }

  static async start(installation: TestInstallation): Promise<ConsoleLatency> {
    const body = {
      name: 'console-latency',
      type: 'bench',
      run: { command: `${process.execPath} tick.mjs`, stopCode: 15 },
      data: {},
    }
    const { id } = await installation.send<{ id: string }>(createServer, { body })
    await writeFile(join(installation.folder, '..', id, 'tick.mjs'), program)
    const socket = new WebSocket(`${installation.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${installation.token}` },
    })
    const latency = new ConsoleLatency(installation, id, socket)
    await once(socket, 'open')
    await installation.send(startServer, { params: { id }, query: { wait: true } })
    return latency
  }

  /** Measures the time from the process to the viewer for each line while `run` runs. */
  async measureDuring(run: () => Promise<unknown>): Promise<Delays> {
    this.#delays = []
    await run()
    return new Delays(this.#delays)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
    const params = { id: this.#server }
    await this.#installation.send(killServer, { params, query: { wait: true } })
    await this.#installation.send(deleteServer, { params })
  }

  #receive(text: string): void {
    const now = process.hrtime.bigint()
    const { type, data } = JSON.parse(text) as { type: string; data: { logs?: readonly string[] } }
    if (type !== 'console') return
    for (const printed of (data.logs ?? []).join('').matchAll(/^\d+$/gm)) {
      this.#delays.push(Number(now - BigInt(printed[0])) / 1e6)
    }
  }
}
