import type { BigIntStats } from 'node:fs'
import type { DirHandle, RawName } from './dir-handle.ts'
import type { SafePath } from './safe-path.ts'

/** An entry of a server's files that is about to be deleted or replaced. */
export interface DiscardedEntry {
  readonly folder: DirHandle
  readonly name: RawName
  readonly path: SafePath
  readonly stats: BigIntStats
  /** A link to it or a copy of it in the directory, which is kept instead. */
  readonly source?: RawName
  /** Modification time of the file that replaces it, in nanoseconds since 1970, when that file is written as a whole. */
  readonly nextModifiedNs?: bigint | undefined
}

export type KeepMethod = 'rename' | 'link' | 'rmdir'

/** Receives what is deleted or replaced in a server's files. Disposed with the files. */
export interface DiscardSink extends AsyncDisposable {
  /**
   * Moves an entry to the trash with `rename`; with `link` creates a hard link to a regular file there, so that its
   * contents stay when it is replaced; with `rmdir` removes a directory and keeps it there if it is empty. Returns false
   * when the entry was not kept and is unchanged. Never rejects.
   */
  keep(entry: DiscardedEntry, method: KeepMethod, reason: 'deleted' | 'overwritten'): Promise<boolean>
  /** Called when former content need not or cannot be kept. Never rejects. */
  release(path: SafePath, inode: bigint): Promise<void>
  /** Called after an entry was renamed or moved, so that its former contents can be found. Never rejects. */
  moved(from: SafePath, to: SafePath): Promise<void>
}
