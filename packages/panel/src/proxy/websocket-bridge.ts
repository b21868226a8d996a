import { limits } from '@innkeeper/contract/limits'
import WebSocket, { type RawData } from 'ws'

/** Timeout of the closing handshake. */
const closingMs = 2_000
/** A viewer is disconnected after this many unanswered pings. */
const maxMissedPongs = 2

interface Options {
  /** Whether to forward a text frame of the viewer. */
  readonly acceptsFrame: (frame: string) => boolean
  /** Bytes to buffer for the viewer before reading from the node is paused. */
  readonly backlogBytes: () => number
}

/** Connects a viewer's WebSocket with the node's: forwards frames both ways with backpressure. */
export class WebSocketBridge {
  readonly drained: Promise<void>
  readonly #viewer: WebSocket
  readonly #node: WebSocket
  #missedPongs = 0
  #isEnding = false
  /** Resolves when the last frame of the node was sent to the viewer. */
  #passedOn: Promise<void> = Promise.resolve()

  /** The node's socket must be paused and without automatic pongs; it is resumed here. */
  constructor(viewer: WebSocket, node: WebSocket, { acceptsFrame, backlogBytes }: Options) {
    this.#viewer = viewer
    this.#node = node
    const ended = Promise.withResolvers<void>()
    this.drained = ended.promise

    viewer.on('pong', () => this.#onActivity())
    viewer.on('message', () => this.#onActivity())
    viewer.once('close', (code, reason) => {
      ended.resolve()
      endSocket(node, code, reason.toString())
    })
    node.once('close', (code, reason) => endSocket(viewer, code, reason.toString()))
    // The close event that follows is handled.
    viewer.on('error', () => viewer.terminate())
    node.on('error', () => node.terminate())

    viewer.on('message', (data, isBinary) => {
      if (this.#isEnding) return
      if (isBinary || acceptsFrame(String(data))) void forward(data, isBinary, viewer, node, limits.viewerBacklogBytes)
    })
    node.on('message', (data, isBinary) => {
      this.#passedOn = forward(data, isBinary, node, viewer, backlogBytes())
    })
    // The pong means that the viewer has received the data before the node's ping.
    node.on('ping', (data) => {
      void this.#passedOn.then(() => {
        if (node.readyState === WebSocket.OPEN) node.pong(data)
      })
    })
    node.resume()
  }

  /** Closes both sides; the node's immediately, so that nothing more reaches the viewer. */
  end(code: number, reason: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    endSocket(this.#viewer, code, reason)
    this.#node.terminate()
  }

  /** Sends a message of the panel to the viewer. */
  notify(message: string): void {
    if (!this.#isEnding) this.#viewer.send(message)
  }

  /** Pings the viewer; disconnects one that has not responded to the last pings. */
  ping(): void {
    // While the viewer's socket is paused because the node is slow, its pongs are not read either.
    if (this.#viewer.isPaused) return
    this.#missedPongs++
    if (this.#missedPongs > maxMissedPongs) this.#viewer.terminate()
    else this.#viewer.ping()
  }

  #onActivity(): void {
    this.#missedPongs = 0
  }
}

/**
 * Forwards a frame and resolves when it was written; while more than `mostBytes` are buffered, the sender is paused.
 */
function forward(data: RawData, isBinary: boolean, from: WebSocket, to: WebSocket, mostBytes: number): Promise<void> {
  if (to.readyState !== WebSocket.OPEN) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  to.send(data as Buffer, { binary: isBinary }, () => {
    resolve()
    if (from.isPaused && to.bufferedAmount < mostBytes / 4) from.resume()
  })
  if (to.bufferedAmount > mostBytes) from.pause()
  return promise
}

function endSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === WebSocket.CLOSED) return
  const timer = setTimeout(() => socket.terminate(), closingMs)
  socket.once('close', () => clearTimeout(timer))
  // A paused socket would not receive the close frame.
  socket.resume()
  socket.close(mayBeSent(code) ? code : 1011, reason)
}

/** Reserved codes such as 1006 must not be sent. */
function mayBeSent(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
}
