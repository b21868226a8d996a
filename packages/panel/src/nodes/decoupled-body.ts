import type { Socket } from 'node:net'
import { type Readable, Transform } from 'node:stream'

/** Buffer size between a user and a node. */
const highWaterMarkBytes = 256 * 1024

/** Chunks of bodies on their way to a node. A reader that keeps one must copy it. */
const passing = new WeakSet<Uint8Array>()

/**
 * Decouples a body from its connection: a node that responds early closes only its own side, and the response can be
 * sent.
 */
export function decoupledBody(body: Readable): Readable {
  const relay = new Transform({
    highWaterMark: highWaterMarkBytes,
    transform(part: Uint8Array, _, done) {
      passing.add(part)
      done(null, part)
    },
  })
  const broken = () => {
    if (!body.readableEnded) relay.destroy(new Error('The client disconnected in the middle of a body.'))
  }
  body.once('error', broken)
  body.once('close', broken)
  relay.once('close', () => {
    body.off('error', broken)
    body.off('close', broken)
    body.unpipe(relay)
    // The rest of the body is discarded.
    body.on('error', () => {}).resume()
  })
  return body.pipe(relay)
}

type Write = (part: Uint8Array | string, encoding?: BufferEncoding, done?: () => void) => boolean

/**
 * Frees chunks of bodies as soon as they are written to a node's connection. Their memory is outside of V8's heap, so
 * V8 would let tens of MiB accumulate before it collects all garbage.
 */
export function freeBuffersAfterWrite<S extends Socket>(socket: S): S {
  const write: Write = socket.write.bind(socket)
  const writing: Write = (part, ...how) => {
    // Only the callback of a write is used.
    if (typeof part === 'string' || how.length > 0 || !passing.delete(part)) return write(part, ...how)
    return write(part, undefined, () => free(part))
  }
  return Object.assign(socket, { write: writing })
}

/** Only buffers that own their whole ArrayBuffer. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
