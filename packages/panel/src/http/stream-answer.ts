import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BytesAnswer } from '../access/serve.ts'
import { watchForStall } from './stalled.ts'

/** Answers from a stream; whoever takes nothing of it for long is let go. */
export function sendStream(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body }: BytesAnswer,
): FastifyReply {
  const attended = watchForStall(
    () => socket.bytesWritten,
    () => reply.raw.destroy(),
  )
  reply.raw.once('close', attended)
  return reply.code(status).headers(headers).header('cache-control', 'no-store').send(body)
}
