import type { IncomingMessage } from 'node:http'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { Sink } from '../../files/write/buffered-file-writer.ts'
import { type BodyParser, MultipartFileParser, maxHeaderBytes, parseBoundary } from './multipart-file-parser.ts'

interface ReceiveOptions {
  /** A larger body is refused. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** Receives the file of a request: its body, or the file in its form. Throws a refusal. */
export async function receiveFile(request: IncomingMessage, sink: Sink, options: ReceiveOptions): Promise<void> {
  const type = request.headers['content-type'] ?? ''
  const parser = isMultipart(type) ? new MultipartFileParser(parseBoundary(type)) : all
  await receive(request, parser, sink, options)
}

/** How many bytes the file of a request will have at least, as far as that is known before its first byte. */
export function announcedBytes({ headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? 0)
  // The rest of a form is seldom larger.
  return isMultipart(headers['content-type']) ? Math.max(0, length - maxHeaderBytes) : length
}

/** Receives the raw body of a request. Throws a refusal. */
export async function receiveBody(request: IncomingMessage, sink: Sink, options: ReceiveOptions): Promise<void> {
  await receive(request, all, sink, options)
}

const isMultipart = (type = ''): boolean => /^multipart\//i.test(type)

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
  let isClosed = false
  const finish = (problem?: unknown) => {
    isClosed = true
    if (problem === undefined) resolve()
    else reject(problem)
  }
  let size = 0
  const take = (part: Buffer) => {
    if (isClosed) return
    try {
      let canPush = true
      for (const bytes of parser.push(part)) {
        size += bytes.length
        if (size > limit) throw new Refusal('ErrBodyTooLarge', { max: limit })
        canPush = sink.push(bytes)
      }
      if (parser.isDone) finish()
      else if (!canPush) {
        request.pause()
        sink.drained().then(() => request.resume(), finish)
      }
    } catch (error) {
      finish(error)
    }
  }
  const end = () => {
    try {
      parser.end()
      finish()
    } catch (error) {
      finish(error)
    }
  }
  const onClose = () => finish(new Refusal('ErrCancelled'))

  request.on('data', take).once('end', end).once('error', onClose).once('close', onClose)
  signal.addEventListener('abort', onClose)
  if (signal.aborted) onClose()
  await promise.finally(() => {
    request.off('data', take).off('end', end).off('error', onClose).off('close', onClose)
    request.on('error', () => {
      // Reported to the client in the response, unless it disconnected.
    })
    signal.removeEventListener('abort', onClose)
    // Drains the rest: leaving it would close the connection, which the response still needs.
    request.resume()
  })
}
