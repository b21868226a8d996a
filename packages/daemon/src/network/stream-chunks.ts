import type { Readable } from 'node:stream'

/** What may wait to be taken before the sender is held. */
const waitingBytes = 256 * 1024

/**
 * What arrives on a stream, in order. Unlike the stream's own iterator it hands over all that came before an error, so
 * that a download which breaks off keeps what it has.
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
