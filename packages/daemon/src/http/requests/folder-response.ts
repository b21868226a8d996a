import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { packArchive } from '../../archives/archives.ts'
import { closeOnError } from '../../errors/cleanup.ts'
import { entriesIn } from '../../file-jobs/entries.ts'
import { formatPath, type SafePath } from '../../files/path/safe-path.ts'
import { readChunkBytes } from '../../files/read/bytes.ts'
import type { RootFs } from '../../files/root.ts'
import { Progress } from '../../files/tree/progress.ts'
import { StreamResponse } from './serve.ts'

/** Each part goes to the panel, and from there to the browser. */
const partLength = 64 * 1024

/** Streams a directory listing as JSON in batches: there may be very many entries. Closes the files. */
export async function listingResponse(files: RootFs, folder: SafePath): Promise<StreamResponse> {
  const batches = entriesIn(files, folder)
  // Before the response begins: an error can still be sent.
  let next = await closeOnError(files, () => batches.next())

  async function* text(): AsyncGenerator<string> {
    let [gathered, comma] = ['[', '']
    for (; !next.done; next = await batches.next()) {
      if (next.value.length === 0) continue
      gathered += comma + JSON.stringify(next.value).slice(1, -1)
      comma = ','
      if (gathered.length < partLength) continue
      yield gathered
      gathered = ''
    }
    yield `${gathered}]`
  }
  return new StreamResponse(closing(Readable.from(text(), { objectMode: false }), files))
}

/**
 * Streams files and directories as a zip that is packed while it is sent; calls `onEnd` at the end. Closes the files.
 */
export async function zipResponse(
  files: RootFs,
  paths: readonly SafePath[],
  { signal, onEnd }: { readonly signal: AbortSignal; readonly onEnd: () => void },
): Promise<StreamResponse> {
  await closeOnError(files, async () => {
    for (const path of paths) {
      if (!(await files.lstat(path))) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
    }
  })

  const zip = new PassThrough({ highWaterMark: readChunkBytes, signal })
  const write = async (chunk: Uint8Array) => {
    // The packer reuses its memory.
    if (!zip.write(Buffer.from(chunk))) await once(zip, 'drain', { signal })
  }
  packArchive({ files, paths, kind: 'zip', write, progress: new Progress(), signal })
    .then(
      () => zip.end(),
      // The response has begun: breaking the connection shows that it is incomplete.
      (cause: unknown) => zip.destroy(cause instanceof Error ? cause : new Error(String(cause))),
    )
    .finally(onEnd)
  return new StreamResponse(closing(zip, files))
}

function closing(body: Readable, files: RootFs): Readable {
  return body.once('close', () => void files[Symbol.asyncDispose]())
}
