import { type Duplex, pipeline, Readable } from 'node:stream'

/** What comes out of a transform that bytes go into. Errors of both come out too; nothing stays open. */
export function through(bytes: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Buffer> {
  pipeline(Readable.from(bytes, { objectMode: false }), transform, () => {
    // Whoever reads the transform is told.
  })
  return transform
}
