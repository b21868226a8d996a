import { PassThrough, type Readable } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'

/** Buffer size between a user and a node. */
const highWaterMarkBytes = 256 * 1024

/**
 * Decouples a body from its connection: a node that responds early closes only its own side, and the response can be
 * sent.
 */
export function decoupledBody(body: Readable): Readable {
  const relay = new PassThrough({ highWaterMark: highWaterMarkBytes })
  const broken = () => {
    if (!body.readableEnded) relay.destroy(new Refusal('ErrCancelled'))
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
