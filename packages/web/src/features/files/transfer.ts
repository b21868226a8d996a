import type { FileWork, OnExisting } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { dirname, isWithin } from '../../api/file-paths.ts'
import { chunked, type Item } from './entries.ts'

/** What becomes of something whose name is taken at its destination. */
export type Answer = 'replace' | 'keepBoth' | 'skip'

export type TransferKind = 'move' | 'copy'

/** Why things cannot go to a folder, as a key of the catalogue. */
export function objectionToFolder(kind: TransferKind, items: readonly Item[], folder: string): string | undefined {
  if (items.some(({ isFolder, path }) => isFolder && isWithin(path, folder))) return 'errors.ErrFolderInItself'
  const isThere = items.every(({ path }) => dirname(path) === folder)
  return kind === 'move' && isThere ? 'files.AlreadyThere' : undefined
}

/** Those whose name is taken. A copy beside the original is wanted as such: nobody needs to be asked. */
export function takenOf(items: readonly Item[], folder: string, names: ReadonlySet<string>): readonly Item[] {
  return items.filter(({ name, path }) => names.has(name) && dirname(path) !== folder)
}

/** The work that brings things to a folder, by what becomes of those whose names are taken. */
export function workOf(
  kind: TransferKind,
  items: readonly Item[],
  folder: string,
  answers: ReadonlyMap<string, Answer>,
): readonly FileWork[] {
  const wayOf = ({ path }: Item): OnExisting | 'skip' =>
    answers.get(path) ?? (dirname(path) === folder ? 'keepBoth' : 'refuse')
  const moving = kind === 'move' ? items.filter(({ path }) => dirname(path) !== folder) : items
  return (['refuse', 'replace', 'keepBoth'] as const).flatMap((existing) => {
    const paths = moving.filter((item) => wayOf(item) === existing).map(({ path }) => path)
    return chunked(paths, limits.pathsPerJob).map((some) => ({ kind, paths: some, destination: folder, existing }))
  })
}
