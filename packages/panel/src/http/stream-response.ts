import { limits } from '@innkeeper/contract/text/limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StreamResponse } from '../routing/route-context.ts'

/** Sends a stream response; a client that reads nothing for a long time is disconnected. */
export function sendStreamResponse(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: StreamResponse,
): FastifyReply {
  const attended = onIdle(
    () => socket.bytesWritten,
    () => reply.raw.destroy(),
  )
  reply.raw.once('close', attended)
  return reply.code(status).headers(headers).header('cache-control', 'no-store').send(body)
}

/** Calls `onTimeout` when the count does not change for a while. Returns a function that stops the timer. */
function onIdle(count: () => number, onTimeout: () => void): () => void {
  let before = count()
  const timer = setInterval(() => {
    const now = count()
    if (now === before) onTimeout()
    before = now
  }, limits.nodeStreamIdleMs)
  return () => clearInterval(timer)
}
