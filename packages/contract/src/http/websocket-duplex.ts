import { Duplex } from 'node:stream'

/** A WebSocket, as ws has it. */
interface Socket {
  readonly isPaused: boolean
  pause(): void
  resume(): void
  send(data: Buffer, options: { binary: true }, callback: (error?: Error | null) => void): void
  close(): void
  terminate(): void
  on(event: 'message', listener: (data: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'close', listener: () => void): unknown
}

/** The bytes of a WebSocket's binary messages, in both directions. */
export class WebSocketDuplex extends Duplex {
  readonly #socket: Socket

  constructor(socket: Socket) {
    super({ allowHalfOpen: false })
    this.#socket = socket
    socket.on('message', (data) => {
      if (!this.push(data)) socket.pause()
    })
    socket.on('error', (error) => this.destroy(error))
    // HTTP/2 ends with a message of its own: without it, something is missing.
    socket.on('close', () => this.destroy(this.writableEnded ? undefined : new Error('The WebSocket was closed.')))
  }

  override _read(): void {
    if (this.#socket.isPaused) this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#socket.send(chunk, { binary: true }, callback)
  }

  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), { binary: true }, callback)
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.close()
    callback()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.terminate()
    callback(error)
  }
}
