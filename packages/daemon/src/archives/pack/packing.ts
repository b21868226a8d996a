import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { SafePath } from '../../files/path/safe-path.ts'
import type { RootFs } from '../../files/root.ts'
import type { Progress } from '../../files/tree/progress.ts'
import type { ArchiveKind } from '../formats/archive-kinds.ts'
import { archivePieces, countContents } from './archive-pieces.ts'
import { compressGzip, compressZstd } from './compress.ts'
import { packTar } from './tar-writer.ts'
import { packZip } from './zip-writer.ts'

export interface PackRequest {
  readonly files: RootFs
  /** What to pack, including everything below; names in the archive are relative to the common parent. */
  readonly paths: readonly SafePath[]
  readonly kind: ArchiveKind
  /** Whether to count the totals concurrently. */
  readonly isCounted?: boolean
  /** Receives the next bytes of the archive. After it resolves, their memory is reused. */
  readonly write: (chunk: Uint8Array) => Promise<void>
  readonly progress: Progress
  readonly signal: AbortSignal
}

/** Packs in the current thread; `packArchive` uses a worker. */
export async function pack(order: PackRequest): Promise<void> {
  const { write, signal } = order
  await using _ = order.isCounted ? countInBackground(order) : undefined
  for await (const chunk of getBytes(order)) {
    signal.throwIfAborted()
    if (chunk.length > 0) await write(chunk)
  }
}

function getBytes(order: PackRequest): AsyncIterable<Uint8Array> {
  const pieces = archivePieces(order)
  const { progress } = order
  switch (order.kind) {
    case 'zip':
      return packZip(pieces, progress)
    case 'tar':
      return packTar(pieces, progress)
    case 'tar.gz':
      return compressGzip(packTar(pieces, progress))
    case 'tar.zst':
      return compressZstd(packTar(pieces, progress))
    default:
      throw new Refusal('ErrUnsupportedArchive')
  }
}

/** Counts the totals concurrently with packing: walking large directories takes long. */
function countInBackground({ files, paths, progress, signal }: PackRequest): AsyncDisposable {
  const enough = new AbortController()
  const either = AbortSignal.any([signal, enough.signal])
  const counted = countContents({ files, paths, progress, signal: either }).catch(() => {
    // Packing the same files has the same error, and reports it.
  })
  return {
    async [Symbol.asyncDispose]() {
      enough.abort()
      await counted
    },
  }
}
