import type { BigIntStats } from 'node:fs'
import type { DirHandle, RawName } from './path/dir-handle.ts'
import type { SafePath } from './path/safe-path.ts'

/** An entry of a server's files that is about to be deleted or replaced. */
export interface Discarded {
  readonly folder: DirHandle
  readonly name: RawName
  readonly path: SafePath
  readonly stats: BigIntStats
  /** Modification time of the file that replaces it, in nanoseconds since 1970, when that file is written as a whole. */
  readonly nextModifiedNs?: bigint | undefined
}

/** Receives what is deleted or replaced in a server's files. Disposed with the files. */
export interface DiscardSink extends AsyncDisposable {
  /**
   * Takes an entry away with a rename, or with `link` gives a regular file a second name, so that it outlives its
   * replacement. `rename` is also for a file that is about to be written anew. Returns false when it was not taken, and the entry is unchanged. Never rejects.
   */
  take(entry: Discarded, how: 'rename' | 'link', reason: 'deleted' | 'overwritten'): Promise<boolean>
  /** Called after an entry was renamed or moved, so that its former contents can be found. Never rejects. */
  moved(from: SafePath, to: SafePath): Promise<void>
}
