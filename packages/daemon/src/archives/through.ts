import { type Duplex, pipeline, Readable } from 'node:stream'

/** What comes out of a transform that bytes go into. Errors of both come out too; nothing stays open. */
export function through(bytes: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Buffer> {
  // Whoever reads the transform is told; one that is not read any more may still find out that its end is missing.
  const known = () => {}
  transform.on('error', known)
  pipeline(Readable.from(bytes, { objectMode: false }), transform, known)
  return transform
}
