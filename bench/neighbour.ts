import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { getStatus, startServer } from '@innkeeper/contract/node-servers'
import { createServer } from '@innkeeper/contract/servers'
import WebSocket from 'ws'
import type { Product } from './product.ts'

/** How long single things took, in milliseconds. */
export interface Waits {
  readonly status: readonly number[]
  readonly echo: readonly number[]
}

const everyMs = 25
/** A line that has not come back by then never comes: the server is not well. */
const lostMs = 10_000

/** A server that says what it is told, with somebody before its console behind the panel. */
export class Neighbour implements AsyncDisposable {
  readonly #product: Product
  readonly #id: string
  readonly #socket: WebSocket
  #heard: ((text: string) => void) | undefined
  #said = 0

  private constructor(product: Product, id: string, socket: WebSocket) {
    this.#product = product
    this.#id = id
    this.#socket = socket
    socket.on('message', (data) => this.#heard?.(String(data)))
  }

  static async start(product: Product): Promise<Neighbour> {
    const body = { name: 'neighbour', type: 'bench', run: { command: 'cat', stopCode: 15 }, data: {} }
    const { id } = await product.ask<{ id: string }>(createServer, { body })
    await product.ask(startServer, { params: { id }, query: { wait: true } })
    const socket = new WebSocket(`${product.url.replace('http', 'ws')}/proxy/daemon/socket/${id}`, {
      headers: { authorization: `Bearer ${product.token}` },
    })
    await once(socket, 'open')
    return new Neighbour(product, id, socket)
  }

  /** How long its status takes through the panel, and a line from the keyboard to the screen, one after the other. */
  async watch(ms: number): Promise<Waits> {
    const until = performance.now() + ms
    const repeat = async (act: () => Promise<unknown>): Promise<readonly number[]> => {
      const took: number[] = []
      while (performance.now() < until) {
        const from = performance.now()
        await act()
        took.push(performance.now() - from)
        await pause(everyMs)
      }
      return took
    }
    const [status, echo] = await Promise.all([repeat(() => this.isRunning()), repeat(() => this.#echo())])
    return { status, echo }
  }

  async isRunning(): Promise<boolean> {
    const { running } = await this.#product.ask<{ running: boolean }>(getStatus, { params: { id: this.#id } })
    return running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }

  async #echo(): Promise<void> {
    this.#said += 1
    const words = `said ${this.#said}.`
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const lost = setTimeout(() => reject(new Error(`The neighbour does not say '${words}'`)), lostMs)
    this.#heard = (text) => {
      if (text.includes(words)) resolve()
    }
    this.#socket.send(JSON.stringify({ type: 'console', command: words }))
    await promise.finally(() => clearTimeout(lost))
  }
}
