import type { Duplex } from 'node:stream'

/** A decoder of node:zlib, which reports how much input it has consumed. */
type Decoder = Duplex & { readonly bytesWritten: number }

/**
 * Pipes the bytes through a decoder and returns its output. It ends where the decoder reports the end of its format,
 * whatever follows. Errors of both sides are thrown to the reader; nothing stays open.
 */
export function pipeThrough(bytes: AsyncIterable<Uint8Array>, decoder: Decoder): AsyncIterable<Buffer> {
  // Thrown to the reader of the decoder. Without a listener an error before that would end the process.
  decoder.on('error', () => {})
  feed(bytes[Symbol.asyncIterator](), decoder).catch((error: Error) => decoder.destroy(error))
  return decoder
}

/** Reads ahead while the decoder works. */
async function feed(bytes: AsyncIterator<Uint8Array>, decoder: Decoder): Promise<void> {
  let fed = 0
  try {
    for (let next = await bytes.next(); !next.done; ) {
      const following = bytes.next()
      // Thrown to the reader in order.
      following.catch(() => {})
      fed += next.value.length
      if (!(await writeOrClosed(next.value, decoder))) return
      // The decoder has ended. More input would start another frame, which fails if it is truncated.
      if (decoder.bytesWritten < fed) return
      next = await following
    }
    decoder.end()
  } finally {
    await bytes.return?.()
  }
}

/** Returns false when the decoder is closed; it may still use the memory. */
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
