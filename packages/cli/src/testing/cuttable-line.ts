import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine that can be cut: nothing passes any more, and neither side is told. */
export class CuttableLine implements AsyncDisposable {
  readonly #open = new Set<Socket>()
  readonly #server = createServer((near) => this.#join(near))
  #to = 0
  #isCut = false

  /** Leads nowhere until it is told where. */
  static async lay(): Promise<CuttableLine> {
    const line = new CuttableLine()
    line.#server.listen(0, '127.0.0.1')
    await once(line.#server, 'listening')
    return line
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  leadTo(port: number): void {
    this.#to = port
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#open) socket.pause()
  }

  /** What was on its way is lost; new connections pass. */
  mend(): void {
    this.#isCut = false
    for (const socket of this.#open) socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mend()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket): void {
    const far = this.#isCut ? undefined : connect(this.#to, '127.0.0.1')
    for (const socket of [near, ...(far ? [far] : [])]) {
      this.#open.add(socket)
      // Its other end hears of it when it closes.
      socket.on('error', () => {})
      socket.once('close', () => this.#open.delete(socket))
    }
    if (!far) {
      near.pause()
      return
    }
    this.#pass(near, far)
    this.#pass(far, near)
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
