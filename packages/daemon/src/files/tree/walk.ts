import type { BigIntStats } from 'node:fs'
import { getCode } from '../../errors/error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { DirStack } from '../path/dir-stack.ts'
import { type ListedEntry, Listing } from '../read/listing.ts'

/** An entry of a walk. */
export interface WalkStep {
  readonly name: RawName
  readonly stats: BigIntStats
  /** The names of its parent directories, from the root of the walk. */
  readonly above: readonly RawName[]
  /** The open directory that it is in; valid until the walk continues. */
  readonly folder: DirHandle
}

export interface WalkOptions {
  readonly signal?: AbortSignal | undefined
  /** Called for unreadable directories, which are skipped; without it they end the walk. */
  readonly onUnreadable?: ((names: readonly RawName[]) => void) | undefined
}

/**
 * Walks everything below a directory, each directory before its contents, without following links. Needs few
 * descriptors at any depth. Concurrent changes may or may not be seen. Takes ownership of the handle.
 */
export async function* walkBelow(top: DirHandle, { signal, onUnreadable }: WalkOptions = {}): AsyncGenerator<WalkStep> {
  await using way = new DirStack(top)
  const above: RawName[] = []
  const levels = [await Listing.of(top)]

  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    signal?.throwIfAborted()
    const entry = await stepIn(level)
    if (entry) {
      yield entry
      if (entry.stats.isDirectory()) await descend(entry.name)
    } else {
      levels.pop()
      above.pop()
      await way.pop()
    }
  }

  /** Returns the next entry of the current directory. */
  async function stepIn(level: Listing): Promise<WalkStep | undefined> {
    try {
      const found: ListedEntry | undefined = await level.next(() => way.current())
      return found && { ...found, above, folder: await way.current() }
    } catch (error) {
      skip(error)
      return undefined
    }
  }

  async function descend(name: RawName): Promise<void> {
    above.push(name)
    try {
      levels.push(await Listing.of(await way.push(name)))
    } catch (error) {
      skip(error)
      if (way.depth === above.length) await way.pop()
      above.pop()
    }
  }

  function skip(error: unknown): void {
    if (missingCodes.includes(getCode(error)) && levels.length > 0) return
    if (!onUnreadable || !forbiddenCodes.includes(getCode(error))) throw error
    onUnreadable(above)
  }
}

/** A directory that was removed or replaced. */
const missingCodes: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']
const forbiddenCodes: readonly string[] = ['EACCES', 'EPERM']
