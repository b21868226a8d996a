import { limits } from '@innkeeper/contract/limits'
import WebSocket from 'ws'

/** Reading goes on when less than this waits to be sent. */
const fewBytes = limits.viewerBacklogBytes / 4
/** How long the other side may take to answer a close. */
const closingMs = 2_000
/** So many pings without a sign of life, and the viewer is gone. */
const silentPings = 2

/** A viewer's socket and the node's, joined: frames pass both ways, and neither is read faster than the other takes. */
export class Pipe {
  readonly ended: Promise<void>
  readonly #viewer: WebSocket
  readonly #node: WebSocket
  #silent = 0

  /** The node's socket comes paused and begins here. */
  constructor(viewer: WebSocket, node: WebSocket) {
    this.#viewer = viewer
    this.#node = node
    const ended = Promise.withResolvers<void>()
    this.ended = ended.promise

    viewer.on('pong', () => this.#hear())
    viewer.on('message', () => this.#hear())
    viewer.once('close', (code, reason) => {
      ended.resolve()
      endSocket(node, code, reason.toString())
    })
    node.once('close', (code, reason) => endSocket(viewer, code, reason.toString()))
    // The close that follows says all there is to say.
    viewer.on('error', () => viewer.terminate())
    node.on('error', () => node.terminate())

    join(viewer, node)
    join(node, viewer)
    node.resume()
  }

  /** Ends it from here; the node's side at once, so that nothing more reaches the viewer. */
  end(code: number, reason: string): void {
    endSocket(this.#viewer, code, reason)
    this.#node.terminate()
  }

  /** Asks the viewer for a sign of life; one that gave none for long is let go. */
  ping(): void {
    // While the node does not keep up we do not read, and so would not hear the viewer either.
    if (this.#viewer.isPaused) return
    this.#silent++
    if (this.#silent > silentPings) this.#viewer.terminate()
    else this.#viewer.ping()
  }

  #hear(): void {
    this.#silent = 0
  }
}

/** Passes frames on; while the receiver has much to take, the sender is not read. */
function join(from: WebSocket, to: WebSocket): void {
  from.on('message', (data, isBinary) => {
    if (to.readyState !== WebSocket.OPEN) return
    to.send(data as Buffer, { binary: isBinary }, () => {
      if (from.isPaused && to.bufferedAmount < fewBytes) from.resume()
    })
    if (to.bufferedAmount > limits.viewerBacklogBytes) from.pause()
  })
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
