import type { ConflictPolicy, FileJobRequest } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { dirname, isWithin } from '../../api/file-paths.ts'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import { chunk, type FileItem } from './entries.ts'

/** What to do with an item whose name exists in the destination. */
export type ConflictResolution = 'replace' | 'keepBoth' | 'skip'

export type TransferMode = 'move' | 'copy'

/** Catalog key of the reason why the items cannot be moved or copied to a folder. */
export function validateDestination(
  mode: TransferMode,
  items: readonly FileItem[],
  folder: string,
): TranslationKey | undefined {
  if (items.some(({ isFolder, path }) => isFolder && isWithin(path, folder))) return 'errors.ErrFolderInItself'
  const isSameFolder = items.every(({ path }) => dirname(path) === folder)
  return mode === 'move' && isSameFolder ? 'files.AlreadyInFolder' : undefined
}

/** The items whose name exists in the folder. A copy in its own folder keeps both without a question. */
export function findConflicts(
  items: readonly FileItem[],
  folder: string,
  names: ReadonlySet<string>,
): readonly FileItem[] {
  return items.filter(({ name, path }) => names.has(name) && dirname(path) !== folder)
}

/** The jobs that move or copy the items, one or more for each way to handle existing names. */
export function toFileJobRequests(
  mode: TransferMode,
  items: readonly FileItem[],
  folder: string,
  resolutions: ReadonlyMap<string, ConflictResolution>,
): readonly FileJobRequest[] {
  const getConflictPolicy = ({ path }: FileItem): ConflictPolicy | 'skip' =>
    resolutions.get(path) ?? (dirname(path) === folder ? 'keepBoth' : 'refuse')
  const moved = mode === 'move' ? items.filter(({ path }) => dirname(path) !== folder) : items
  return (['refuse', 'replace', 'keepBoth'] as const).flatMap((existing) => {
    const paths = moved.filter((item) => getConflictPolicy(item) === existing).map(({ path }) => path)
    return chunk(paths, limits.pathsPerJob).map((batch) => ({
      kind: mode,
      paths: batch,
      destination: folder,
      existing,
    }))
  })
}
