import { join } from 'node:path'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import type { FileVersion, getFileVersions } from '@innkeeper/contract/servers/trash'
import { ignoreRefusals } from '../errors/refusals.ts'
import { listedPathBelow, rootPath } from '../files/path/safe-path.ts'
import type { FileInfo, VersionedInfo } from '../files/read/file-info.ts'
import { RootFs } from '../files/root.ts'
import { ifExists } from '../fs/if-exists.ts'
import { isBelow, type PreviousPath } from './move-history.ts'
import type { TrashRecord } from './trash-record.ts'

export type FileVersions = ResponseOf<typeof getFileVersions>

interface Entry {
  readonly id: string
  readonly record: TrashRecord
}

/** Finds the former contents of a file in the entries of a trash, at the paths that it had. */
export async function fileVersions(
  directory: string,
  entries: readonly Entry[],
  { paths, current }: { readonly paths: readonly PreviousPath[]; readonly current: VersionedInfo | undefined },
): Promise<FileVersions> {
  const newestFirst = entries.toSorted((a, b) => b.record.discardedAt.localeCompare(a.record.discardedAt))
  const [currentPath] = paths
  const versions: FileVersion[] = []
  for (const entry of newestFirst) {
    for (const { path } of paths.filter((formerPath) => canHave(entry.record, formerPath))) {
      const version = await versionIn(directory, entry, path)
      if (version) versions.push({ ...version, ...(path !== currentPath?.path && { path }) })
    }
  }
  if (current?.kind !== 'file') return { versions }
  return { versions, current: getContent(current, findAuthor(newestFirst, paths, current.modifiedNs)) }
}

async function versionIn(directory: string, { id, record }: Entry, path: string): Promise<FileVersion | undefined> {
  const info = await fileIn(join(directory, id), path)
  if (!info) return undefined
  const { reason, discardedAt: replacedAt, author: replacedBy } = record
  const savedBy = record.path === path ? record.savedBy : undefined
  const replaced = { reason, replacedAt, ...(replacedBy !== undefined && { replacedBy }) }
  return { entry: id, ...getContent(info, savedBy), ...replaced }
}

/** The user who saved the content of a file with these paths, unless it was changed since. */
export function findAuthor(
  entries: Iterable<Pick<Entry, 'record'>>,
  paths: readonly PreviousPath[],
  modifiedNs: bigint,
): string | undefined {
  const known = new Set(paths.map(({ path }) => path))
  for (const { record } of entries)
    if (known.has(record.path) && record.nextModifiedNs === String(modifiedNs)) return record.author
  return undefined
}

function getContent({ size, modified }: FileInfo, savedBy: string | undefined): Pick<FileVersion, 'bytes' | 'savedAt'> {
  return { bytes: size, savedAt: modified.toISOString(), ...(savedBy !== undefined && { savedBy }) }
}

/** Whether an entry may have a file: with one path, that is the file or a directory above it. */
function canHave({ path, paths, isFolder, discardedAt }: TrashRecord, file: PreviousPath): boolean {
  if (file.until !== undefined && discardedAt > file.until) return false
  return paths > 1 || path === file.path || (isFolder && isBelow(file.path, path))
}

/** Whether an entry has a file or folder, or something below it. */
export async function hasEntryFor(directory: string, { id, record }: Entry, path: PreviousPath): Promise<boolean> {
  if (isBelow(record.path, path.path)) return true
  if (!canHave(record, path)) return false
  return record.paths === 1 || (await infoIn(join(directory, id), path.path)) !== undefined
}

async function fileIn(directory: string, path: string): Promise<FileInfo | undefined> {
  const info = await infoIn(directory, path)
  return info?.kind === 'file' ? info : undefined
}

async function infoIn(directory: string, path: string): Promise<FileInfo | undefined> {
  const entry = await ifExists(RootFs.open(directory))
  if (!entry) return undefined
  await using files = entry
  return await files.lstat(listedPathBelow(rootPath, path.split('/').filter(Boolean))).catch(ignoreRefusals())
}
