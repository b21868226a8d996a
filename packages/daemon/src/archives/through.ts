import type { Duplex } from 'node:stream'
import { free } from '../files/free.ts'

/**
 * What comes out of a transform that bytes go into, whose memory is free again then. Errors of both come out too; nothing
 * stays open.
 */
export function through(bytes: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Buffer> {
  // Whoever reads the transform is told. It may fail while nobody reads it: unheard, that would end the process.
  transform.on('error', () => {})
  feed(bytes[Symbol.asyncIterator](), transform).catch((error: Error) => transform.destroy(error))
  return transform
}

/** Reads the next ones while some are worked on. */
async function feed(bytes: AsyncIterator<Uint8Array>, transform: Duplex): Promise<void> {
  try {
    for (let next = await bytes.next(); !next.done; ) {
      const following = bytes.next()
      // It is told when it is its turn.
      following.catch(() => {})
      if (!(await isTaken(next.value, transform))) return
      free(next.value)
      next = await following
    }
    transform.end()
  } finally {
    await bytes.return?.()
  }
}

/** False when nobody wants more; the memory may be in use even so. */
function isTaken(bytes: Uint8Array, transform: Duplex): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const closed = () => resolve(false)
    transform.once('close', closed)
    transform.write(bytes, (error) => {
      transform.off('close', closed)
      if (error) reject(error)
      else resolve(true)
    })
  })
}
