import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BytesAnswer } from '../access/serve.ts'
import { watchForStall } from './stalled.ts'

/** Answers from a stream; whoever takes nothing of it for long is let go. */
export function sendStream(
  { raw: { socket } }: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, giveBack }: BytesAnswer,
): FastifyReply {
  const attended = watchForStall(
    () => socket.bytesWritten,
    () => reply.raw.destroy(),
  )
  reply.raw.once('close', attended)
  body.pipe = (to) => passOn(body, to, giveBack)
  return reply.code(status).headers(headers).header('cache-control', 'no-store').send(body)
}

/** Pipes, and gives each chunk back once it is sent. */
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
