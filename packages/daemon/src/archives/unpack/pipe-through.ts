import type { Duplex } from 'node:stream'

/** One of the runtime's, which tells how much of what it was given it has used. */
type Decoder = Duplex & { readonly bytesWritten: number }

/**
 * Pipes the bytes through a decoder and returns its output. It ends where the decoder reports the end of its format, whatever
 * follows. Errors of both sides are thrown to the reader; nothing stays open.
 */
export function pipeThrough(bytes: AsyncIterable<Uint8Array>, decoder: Decoder): AsyncIterable<Buffer> {
  // Whoever reads the decoder is told. It may fail while nobody reads it: unheard, that would end the process.
  decoder.on('error', () => {})
  feed(bytes[Symbol.asyncIterator](), decoder).catch((error: Error) => decoder.destroy(error))
  return decoder
}

/** Reads the next ones while some are worked on. */
async function feed(bytes: AsyncIterator<Uint8Array>, decoder: Decoder): Promise<void> {
  let fed = 0
  try {
    for (let next = await bytes.next(); !next.done; ) {
      const following = bytes.next()
      // It is told when it is its turn.
      following.catch(() => {})
      fed += next.value.length
      if (!(await writeOrClosed(next.value, decoder))) return
      // It has told its end. More would be the beginning of something else, which fails where it is cut.
      if (decoder.bytesWritten < fed) return
      next = await following
    }
    decoder.end()
  } finally {
    await bytes.return?.()
  }
}

/** False when nobody wants more; the memory may be in use even so. */
function writeOrClosed(bytes: Uint8Array, decoder: Duplex): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const closed = () => resolve(false)
    decoder.once('close', closed)
    decoder.write(bytes, (error) => {
      decoder.off('close', closed)
      if (error) reject(error)
      else resolve(true)
    })
  })
}
