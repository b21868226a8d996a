import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StreamResponse } from '../routing/route-context.ts'
import { onIdle } from './idle-timeout.ts'

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
