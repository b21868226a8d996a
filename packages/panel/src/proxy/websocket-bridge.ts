import { limits } from '@innkeeper/contract/limits'
import WebSocket, { type RawData } from 'ws'

/** How long the other side may take to answer a close. */
const closingMs = 2_000
/** So many pings without a sign of life, and the viewer is gone. */
const maxMissedPongs = 2

interface Options {
  /** Whether a text frame of the viewer is passed on. */
  readonly acceptsFrame: (frame: string) => boolean
  /** How many bytes may wait for the viewer before the node is not read any more. */
  readonly backlogBytes: () => number
}

/** A viewer's socket and the node's, joined: frames pass both ways, and neither is read faster than the other takes. */
export class WebSocketBridge {
  readonly drained: Promise<void>
  readonly #viewer: WebSocket
  readonly #node: WebSocket
  #missedPongs = 0
  #isEnding = false
  /** Resolves when the last frame of the node was passed on to the viewer. */
  #passedOn: Promise<void> = Promise.resolve()

  /** The node's socket comes paused, does not answer pings by itself, and begins here. */
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
    // The close that follows says all there is to say.
    viewer.on('error', () => viewer.terminate())
    node.on('error', () => node.terminate())

    viewer.on('message', (data, isBinary) => {
      if (this.#isEnding) return
      if (isBinary || acceptsFrame(String(data))) void forward(data, isBinary, viewer, node, limits.viewerBacklogBytes)
    })
    node.on('message', (data, isBinary) => {
      this.#passedOn = forward(data, isBinary, node, viewer, backlogBytes())
    })
    // The node asks in this way whether the viewer has taken what was sent before.
    node.on('ping', (data) => {
      void this.#passedOn.then(() => {
        if (node.readyState === WebSocket.OPEN) node.pong(data)
      })
    })
    node.resume()
  }

  /** Ends it from here; the node's side at once, so that nothing more reaches the viewer. */
  end(code: number, reason: string): void {
    if (this.#isEnding) return
    this.#isEnding = true
    endSocket(this.#viewer, code, reason)
    this.#node.terminate()
  }

  /** Asks the viewer for a sign of life; one that gave none for long is let go. */
  ping(): void {
    // While the node does not keep up we do not read, and so would not hear the viewer either.
    if (this.#viewer.isPaused) return
    this.#missedPongs++
    if (this.#missedPongs > maxMissedPongs) this.#viewer.terminate()
    else this.#viewer.ping()
  }

  #onActivity(): void {
    this.#missedPongs = 0
  }
}

/** Passes a frame on, and resolves when it has left; while more than `mostBytes` wait, the sender is not read. */
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
  // What is paused would not hear the answer.
  socket.resume()
  socket.close(mayBeSent(code) ? code : 1011, reason)
}

/** Codes such as 1006 stand for what happened, and are never sent. */
function mayBeSent(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999)
}
