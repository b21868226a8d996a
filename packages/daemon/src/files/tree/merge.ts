import { rename } from 'node:fs/promises'
import type { OnExtracting } from '@innkeeper/contract/files'
import { Refusal } from '@innkeeper/contract/refusals'
import { freeNameIn } from '../path/free-name.ts'
import type { HeldFolder, RawName } from '../path/held-folder.ts'
import { isRefusal } from '../path/naming.ts'
import { formatPath, parentOf, rootPath, type SafePath, shownIn } from '../path/safe-path.ts'
import { presence, type Ways } from '../path/ways.ts'
import { putNew } from '../write/put.ts'
import { removeIn } from './empty-folder.ts'

export interface Merging {
  /** What becomes of files that have a name already; folders are merged. */
  readonly existing: OnExtracting
  /** Is told what has no place: its name is taken, by a file that is to stay or by something of another kind. */
  readonly skip: (path: SafePath) => void
  readonly signal: AbortSignal
}

interface Trees {
  readonly ways: Ways
  readonly tree: HeldFolder
  readonly goal: HeldFolder
  /** How the goal is called. */
  readonly path: SafePath
}

/** Something that is to come to a place. */
interface Part {
  readonly tree: HeldFolder
  readonly goal: HeldFolder
  readonly name: RawName
  readonly path: SafePath
  readonly isFolder: boolean
  /** What has the name in the goal. */
  readonly there: 'nothing' | 'file' | 'other'
}

/** Moves all that is in one folder into another. What fails half way takes back what is new. */
export async function mergeInto(trees: Trees, merging: Merging): Promise<void> {
  if (merging.existing === 'refuse') {
    for await (const { there, isFolder, path } of partsOf(trees)) {
      if (there === 'file' && !isFolder) throw new Refusal('ErrFileExists', { path: formatPath(path) })
    }
  }
  const brought: SafePath[] = []
  try {
    for await (const part of partsOf(trees)) {
      merging.signal.throwIfAborted()
      const name = await bring(part, merging)
      if (name !== undefined && part.there === 'nothing') brought.push(part.path)
      else if (name !== undefined && name !== part.name) {
        brought.push(shownIn(parentOf(part.path) ?? rootPath, String(name)))
      }
    }
  } catch (error) {
    for (const path of brought.toReversed()) await takeBack(trees.ways, path)
    throw error
  }
  await trees.goal.sync()
}

/** Brings one part to its place; says under which name, or nothing when there is no place for it. */
async function bring(part: Part, { existing, skip }: Merging): Promise<RawName | undefined> {
  const { tree, goal, name, path, isFolder, there } = part
  if (there === 'other' || (there === 'file' && (isFolder || existing === 'skip'))) {
    skip(path)
    return undefined
  }
  if (there === 'file' && existing === 'replace') {
    await rename(tree.at(name), goal.at(name))
    return name
  }
  if (there === 'file' && existing === 'refuse') throw new Refusal('ErrFileExists', { path: formatPath(path) })
  const fresh = there === 'file' ? await freeNameIn(goal, name) : name
  await putNew(tree.at(name), goal.at(fresh))
  return fresh
}

/** What is to be moved as a whole: folders that are there already are gone into instead. */
async function* partsOf({ ways, tree, goal, path }: Trees): AsyncGenerator<Part> {
  for (const name of await tree.names()) {
    const isFolder = (await presence(tree, name))?.isDirectory() ?? false
    const there = await presence(goal, name)
    const at = shownIn(path, String(name))
    const inner = isFolder && there ? await folderAt(ways, goal, name, at) : undefined
    if (inner) {
      await using _ = inner
      await using deeper = await tree.enter(name)
      yield* partsOf({ ways, tree: deeper, goal: inner, path: at })
      await inner.sync()
    } else {
      const isFile = there?.isFile() || there?.isSymbolicLink()
      yield { tree, goal, name, path: at, isFolder, there: !there ? 'nothing' : isFile ? 'file' : 'other' }
    }
  }
}

/** The folder that has a name, also behind a link that stays inside. */
async function folderAt(ways: Ways, goal: HeldFolder, name: RawName, path: SafePath): Promise<HeldFolder | undefined> {
  const there = await presence(goal, name)
  if (there?.isDirectory()) return await goal.enter(name)
  if (!there?.isSymbolicLink()) return undefined
  try {
    return await ways.enter(path)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function takeBack(ways: Ways, path: SafePath): Promise<void> {
  try {
    const { folder, name } = await ways.reach(path, { followLast: false })
    await using _ = folder
    await removeIn(folder, name)
  } catch (error) {
    if (!isRefusal(error, 'ErrFileNotFound')) throw error
  }
}
