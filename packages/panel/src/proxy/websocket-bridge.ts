import { parseShareResponse, type ShareResponse, shareRequest } from '@innkeeper/contract/servers/shared-output'
import { limits } from '@innkeeper/contract/text/limits'
import WebSocket, { type RawData } from 'ws'

/** Timeout of the closing handshake. */
const closingMs = 2_000
/** A viewer is disconnected after this many unanswered pings. */
const maxMissedPongs = 2

interface Options {
  /** Whether to forward a text frame of the viewer. */
  readonly acceptsFrame: (frame: string) => boolean
  /** Bytes to buffer for the viewer before reading from the node, or of shared output, is paused. */
  readonly backlogBytes: () => number
  /** Called when the node begins or ends to leave the console output to the panel. */
  readonly onShare: (response: ShareResponse) => void
  /** The next message with such output, if the viewer may get it now. */
  readonly nextOutput: () => Buffer | undefined
}

/**
 * Connects a viewer's WebSocket with the node's: forwards text frames both ways with backpressure. Binary frames are
 * between panel and node.
 */
export class WebSocketBridge {
  readonly drained: Promise<void>
  readonly #viewer: WebSocket
  readonly #node: WebSocket
  readonly #options: Options
  #missedPongs = 0
  #isEnding = false
  /** Resolves when the last frame of the node was sent to the viewer. */
  #passedOn: Promise<void> = Promise.resolve()

  /** The node's socket must be paused and without automatic pongs; it is resumed here. */
  constructor(viewer: WebSocket, node: WebSocket, options: Options) {
    this.#viewer = viewer
    this.#node = node
    this.#options = options
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
      if (this.#isEnding || isBinary) return
      if (options.acceptsFrame(String(data))) void forward(data, viewer, node, limits.viewerBacklogBytes)
    })
    node.on('message', (data, isBinary) => {
      if (isBinary) this.#onNodeMessage(data as Buffer)
      else this.#passedOn = forward(data, node, viewer, options.backlogBytes()).then(() => this.flush())
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

  /** Asks the node to leave the console output to the panel. */
  requestShare(): void {
    this.#node.send(shareRequest)
  }

  /** Sends shared output as long as the viewer reads. */
  flush(): void {
    // While the node waits for the viewer, its messages are next.
    while (
      !this.#isEnding &&
      !this.#node.isPaused &&
      this.#viewer.readyState === WebSocket.OPEN &&
      this.#viewer.bufferedAmount < this.#options.backlogBytes()
    ) {
      const message = this.#options.nextOutput()
      if (!message) return
      this.#viewer.send(message, { binary: false }, this.#onOutputSent)
    }
  }

  readonly #onOutputSent = () => {
    resumeWhenSent(this.#node, this.#viewer, this.#options.backlogBytes())
    this.flush()
  }

  #onNodeMessage(message: Buffer): void {
    const response = parseShareResponse(message)
    if (response && !this.#isEnding) this.#options.onShare(response)
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
function forward(data: RawData, from: WebSocket, to: WebSocket, mostBytes: number): Promise<void> {
  if (to.readyState !== WebSocket.OPEN) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  to.send(data as Buffer, { binary: false }, () => {
    resolve()
    resumeWhenSent(from, to, mostBytes)
  })
  if (to.bufferedAmount > mostBytes) from.pause()
  return promise
}

function resumeWhenSent(from: WebSocket, to: WebSocket, mostBytes: number): void {
  if (from.isPaused && to.bufferedAmount < mostBytes / 4) from.resume()
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
