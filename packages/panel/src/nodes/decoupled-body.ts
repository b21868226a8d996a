import type { Socket } from 'node:net'
import { type Readable, Transform } from 'node:stream'

/** What may wait between a person and a node that takes it. */
const highWaterMarkBytes = 256 * 1024

/** Parts of bodies on their way to a node. Whoever looks at one takes a copy. */
const passing = new WeakSet<Uint8Array>()

/** A body's bytes apart from its connection: a node that answers early ends only its own side, and the answer can pass. */
export function decoupledBody(body: Readable): Readable {
  const relay = new Transform({
    highWaterMark: highWaterMarkBytes,
    transform(part: Uint8Array, _, done) {
      passing.add(part)
      done(null, part)
    },
  })
  const broken = () => {
    if (!body.readableEnded) relay.destroy(new Error('The sender left in the middle of a body.'))
  }
  body.once('error', broken)
  body.once('close', broken)
  relay.once('close', () => {
    body.off('error', broken)
    body.off('close', broken)
    body.unpipe(relay)
    // What is left of it goes nowhere.
    body.on('error', () => {}).resume()
  })
  return body.pipe(relay)
}

type Write = (part: Uint8Array | string, encoding?: BufferEncoding, done?: () => void) => boolean

/**
 * Has a connection to a node let go of the parts of bodies as soon as the system has them. V8 hardly sees their memory,
 * because it is outside of its heap, and would let tens of MiB of it grow and then look through all of its own.
 */
export function freeBuffersAfterWrite<S extends Socket>(socket: S): S {
  const write: Write = socket.write.bind(socket)
  const writing: Write = (part, ...how) => {
    // Nobody asks for more than that a part is written.
    if (typeof part === 'string' || how.length > 0 || !passing.delete(part)) return write(part, ...how)
    return write(part, undefined, () => free(part))
  }
  return Object.assign(socket, { write: writing })
}

/** Only memory that is all its own. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}
