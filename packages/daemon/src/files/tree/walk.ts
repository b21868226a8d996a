import type { BigIntStats } from 'node:fs'
import { codeOf } from '../error-code.ts'
import type { DirHandle, RawName } from '../path/dir-handle.ts'
import { DirStack } from '../path/dir-stack.ts'
import { type ListedEntry, Listing } from '../read/listing.ts'

/** Something that a walk has come to. */
export interface WalkStep {
  readonly name: RawName
  readonly stats: BigIntStats
  /** The names of the folders on the way here, from the one where the walk began. */
  readonly above: readonly RawName[]
  /** The folder that it is in; good until the walk goes on. */
  readonly folder: DirHandle
}

export interface WalkOptions {
  readonly signal?: AbortSignal | undefined
  /** Is told of folders that may not be read, and what is in them is left out; without it they end the walk. */
  readonly onUnreadable?: ((names: readonly RawName[]) => void) | undefined
}

/**
 * Goes through all that is below a folder, each folder before what is in it, through no link. Needs few descriptors at
 * any depth. What changes meanwhile may or may not be met. Takes over the held folder.
 */
export async function* walkBelow(top: DirHandle, { signal, onUnreadable }: WalkOptions = {}): AsyncGenerator<WalkStep> {
  await using way = new DirStack(top)
  const above: RawName[] = []
  const levels = [await Listing.of(top)]

  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    signal?.throwIfAborted()
    const step = await stepIn(level)
    if (step) {
      yield step
      if (step.stats.isDirectory()) await descend(step.name)
    } else {
      levels.pop()
      above.pop()
      await way.pop()
    }
  }

  /** The next thing in the folder that the walk is in. */
  async function stepIn(level: Listing): Promise<WalkStep | undefined> {
    try {
      const found: ListedEntry | undefined = await level.next(() => way.current())
      return found && { ...found, above, folder: await way.current() }
    } catch (error) {
      pass(error)
      return undefined
    }
  }

  async function descend(name: RawName): Promise<void> {
    above.push(name)
    try {
      levels.push(await Listing.of(await way.push(name)))
    } catch (error) {
      pass(error)
      if (way.depth === above.length) await way.pop()
      above.pop()
    }
  }

  function pass(error: unknown): void {
    if (missingCodes.includes(codeOf(error)) && levels.length > 0) return
    if (!onUnreadable || !forbiddenCodes.includes(codeOf(error))) throw error
    onUnreadable(above)
  }
}

/** A folder that went away, or that something else stands in the place of. */
const missingCodes: readonly string[] = ['ENOENT', 'ENOTDIR', 'ELOOP']
const forbiddenCodes: readonly string[] = ['EACCES', 'EPERM']
