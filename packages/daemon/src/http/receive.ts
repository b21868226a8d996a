import type { IncomingMessage } from 'node:http'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Sink } from '../files/write/buffered-file-writer.ts'
import { type BodyParser, MultipartFileParser, parseBoundary } from './multipart-file-parser.ts'

interface ReceiveOptions {
  /** A larger body is refused. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** Receives the file of a request: its body, or the file in its form. Throws a refusal. */
export async function receiveFile(request: IncomingMessage, sink: Sink, options: ReceiveOptions): Promise<void> {
  const type = request.headers['content-type'] ?? ''
  const parser = /^multipart\//i.test(type) ? new MultipartFileParser(parseBoundary(type)) : all
  await receive(request, parser, sink, options)
}

/** Receives the raw body of a request. Throws a refusal. */
export async function receiveBody(request: IncomingMessage, sink: Sink, options: ReceiveOptions): Promise<void> {
  await receive(request, all, sink, options)
}

const all: BodyParser = { push: (bytes) => [bytes], isDone: false, end() {} }

/** Pipes the body through the parser to the sink. Pauses the request while the sink is full. */
async function receive(
  request: IncomingMessage,
  parser: BodyParser,
  sink: Sink,
  options: ReceiveOptions,
): Promise<void> {
  const { limit, signal } = options
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isOver = false
  const over = (problem?: unknown) => {
    isOver = true
    if (problem === undefined) resolve()
    else reject(problem)
  }
  let size = 0
  const take = (part: Buffer) => {
    if (isOver) return
    try {
      let hasRoom = true
      for (const bytes of parser.push(part)) {
        size += bytes.length
        if (size > limit) throw new Refusal('ErrBodyTooLarge', { max: limit })
        hasRoom = sink.push(bytes)
      }
      if (parser.isDone) over()
      else if (!hasRoom) {
        request.pause()
        sink.drained().then(() => request.resume(), over)
      }
    } catch (error) {
      over(error)
    }
  }
  const end = () => {
    try {
      parser.end()
      over()
    } catch (error) {
      over(error)
    }
  }
  const onClose = () => over(new Refusal('ErrCancelled'))

  request.on('data', take).once('end', end).once('error', onClose).once('close', onClose)
  signal.addEventListener('abort', onClose)
  if (signal.aborted) onClose()
  try {
    await promise
  } finally {
    request.off('data', take).off('end', end).off('error', onClose).off('close', onClose)
    request.on('error', () => {
      // Whoever sent it hears of it by the answer, or is gone.
    })
    signal.removeEventListener('abort', onClose)
    // Drains the rest: leaving it would close the connection, which the response still needs.
    request.resume()
  }
}
