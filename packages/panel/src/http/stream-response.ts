import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { StreamResponse } from '../access/route-context.ts'
import { onIdle } from './idle-timeout.ts'

/** Sends a stream response; a client that reads nothing for a long time is disconnected. */
export function sendStreamResponse(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, releaseBuffer }: StreamResponse,
): FastifyReply {
  const attended = onIdle(
    () => socket.bytesWritten,
    () => reply.raw.destroy(),
  )
  reply.raw.once('close', attended)
  body.pipe = (to) => passOn(body, to, releaseBuffer)
  return reply.code(status).headers(headers).header('cache-control', 'no-store').send(body)
}

/** Pipes the body, and releases each chunk after it is sent. */
function passOn<T extends NodeJS.WritableStream>(body: Readable, to: T, giveBack: (chunk: Uint8Array) => void): T {
  to.on('drain', () => body.resume())
  body.on('data', (chunk: Buffer) => {
    const isWelcome = to.write(chunk, (error) => {
      if (!error) giveBack(chunk)
    })
    if (!isWelcome) body.pause()
  })
  body.once('end', () => to.end())
  return to
}
