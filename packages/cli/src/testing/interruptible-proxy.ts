import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on loopback that can be cut: it stops forwarding, and neither side is notified. */
export class InterruptibleProxy implements AsyncDisposable {
  readonly #open = new Set<Socket>()
  readonly #server = createServer((incoming) => this.#join(incoming))
  #to = 0
  #isCut = false

  /** Has no target until `forwardTo`. */
  static async listen(): Promise<InterruptibleProxy> {
    const line = new InterruptibleProxy()
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  forwardTo(port: number): void {
    this.#to = port
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#open) socket.pause()
  }

  /** Data in transit is lost; new connections work. */
  restore(): void {
    this.#isCut = false
    for (const socket of this.#open) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.restore()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(incoming: Socket): void {
    const outgoing = this.#isCut ? undefined : connect(this.#to, '127.0.0.1')
    for (const socket of [incoming, ...(outgoing ? [outgoing] : [])]) {
      this.#open.add(socket)
      // The other side is closed as well.
      socket.on('error', () => {})
      socket.once('close', () => this.#open.delete(socket))
    }
    if (!outgoing) {
      incoming.pause()
      return
    }
    this.#pass(incoming, outgoing)
    this.#pass(outgoing, incoming)
  }

  #pass(from: Socket, to: Socket): void {
    from.on('data', (part) => {
      if (!this.#isCut) to.write(part)
    })
    from.once('close', () => {
      if (!this.#isCut) to.destroy()
    })
  }
}
