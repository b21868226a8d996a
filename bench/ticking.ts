import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startServer } from '@innkeeper/contract/node-servers'
import { createServer } from '@innkeeper/contract/servers'
import WebSocket from 'ws'
import { Delays } from './figures.ts'
import type { Product } from './product.ts'

/** Longer than output is gathered, so that each line comes to a quiet console. */
const everyMs = 40
const program = `setInterval(() => console.log(String(process.hrtime.bigint())), ${everyMs})`

/** A server that prints the time, and one viewer of its console behind the panel. */
export class Ticking implements AsyncDisposable {
  readonly #socket: WebSocket
  #delays: number[] = []

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.#hear(String(data)))
  }

  static async start(product: Product): Promise<Ticking> {
    const body = {
      name: 'ticking',
      type: 'bench',
      run: { command: `${process.execPath} tick.mjs`, stopCode: 15 },
      data: {},
    }
    const { id } = await product.ask<{ id: string }>(createServer, { body })
    await writeFile(join(product.folder, '..', id, 'tick.mjs'), program)
    const socket = new WebSocket(`${product.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${product.token}` },
    })
    const ticking = new Ticking(socket)
    await once(socket, 'open')
    await product.ask(startServer, { params: { id }, query: { wait: true } })
    return ticking
  }

  /** How long lines take from the process to the viewer while something is done. */
  async during(act: () => Promise<unknown>): Promise<Delays> {
    this.#delays = []
    await act()
    return new Delays(this.#delays)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  #hear(text: string): void {
    const now = process.hrtime.bigint()
    const { type, data } = JSON.parse(text) as { type: string; data: { logs?: readonly string[] } }
    if (type !== 'console') return
    for (const printed of (data.logs ?? []).join('').matchAll(/^\d+$/gm)) {
      this.#delays.push(Number(now - BigInt(printed[0])) / 1e6)
    }
  }
}
