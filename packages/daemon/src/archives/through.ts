import { type Duplex, pipeline, Readable } from 'node:stream'

/** What comes out of a transform that bytes go into. Errors of both come out too; nothing stays open. */
export function through(bytes: AsyncIterable<Uint8Array>, transform: Duplex): AsyncIterable<Buffer> {
  // Whoever reads the transform is told. It may fail while nobody reads it: unheard, that would end the process.
  const known = () => {}
  transform.on('error', known)
  pipeline(Readable.from(bytes, { objectMode: false }), transform, known)
  return transform
}
