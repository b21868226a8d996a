import type { Readable } from 'node:stream'

/** Buffered bytes before the sender is paused. */
const waitingBytes = 256 * 1024

/**
 * Yields the chunks of a stream. Unlike the stream's own iterator it delivers all data received before an error, so
 * that an interrupted download keeps it.
 */
export function streamChunks(stream: Readable): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = []
  let size = 0
  let end: { readonly error?: unknown } | undefined
  let news = Promise.withResolvers<void>()
  const close = (error?: unknown) => {
    end ??= { error }
    news.resolve()
  }
  stream.on('data', (part: Uint8Array) => {
    waiting.push(part)
    size += part.length
    if (size >= waitingBytes) stream.pause()
    news.resolve()
  })
  stream.on('end', () => close())
  stream.on('error', close)
  stream.on('close', () => close(new Error('the stream was closed early')))

  return (async function* () {
    while (true) {
      const part = waiting.shift()
      if (part) {
        size -= part.length
        if (size < waitingBytes && stream.isPaused()) stream.resume()
        yield part
      } else if (!end) {
        await news.promise
        news = Promise.withResolvers()
      } else if (end.error) {
        throw end.error
      } else {
        return
      }
    }
  })()
}
