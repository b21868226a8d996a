import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export interface HttpReceived {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** An HTTP server that stores received requests, and answers with the given statuses, then with 200. */
export class HttpReceiver {
  readonly received: HttpReceived[] = []
  readonly statuses: number[] = []
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        const { url: path = '', headers } = request
        this.received.push({ path, headers, body: Buffer.concat(parts).toString('utf8') })
        response.writeHead(this.statuses.shift() ?? 200).end('ok')
      })
    })
  }

  static async start(): Promise<HttpReceiver> {
    const receiver = new HttpReceiver()
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening')
    return receiver
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `http://${this.address}`
  }

  /** Received bodies, parsed. */
  get messages(): Record<string, unknown>[] {
    return this.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
