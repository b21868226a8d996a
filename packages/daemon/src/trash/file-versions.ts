import { join } from 'node:path'
import type { ResponseOf } from '@innkeeper/contract/endpoint'
import type { FileVersion, getFileVersions } from '@innkeeper/contract/trash'
import { ignoreRefusals } from '../errors/refusals.ts'
import { formatPath, type SafePath } from '../files/path/safe-path.ts'
import type { FileInfo, VersionedInfo } from '../files/read/file-info.ts'
import { RootFs } from '../files/root.ts'
import { ifExists } from '../fs/if-exists.ts'
import type { TrashRecord } from './trash-record.ts'

export type FileVersions = ResponseOf<typeof getFileVersions>

interface Entry {
  readonly id: string
  readonly record: TrashRecord
}

/** Finds the former contents of a file in the entries of a trash. */
export async function fileVersions(
  directory: string,
  entries: readonly Entry[],
  { path, current }: { readonly path: SafePath; readonly current: VersionedInfo | undefined },
): Promise<FileVersions> {
  const text = formatPath(path)
  const newestFirst = entries
    .filter(({ record }) => canHave(record, text))
    .toSorted((one, other) => other.record.discardedAt.localeCompare(one.record.discardedAt))
  const versions: FileVersion[] = []
  for (const { id, record } of newestFirst) {
    const info = await fileIn(join(directory, id), path)
    if (!info) continue
    const { reason, discardedAt: replacedAt, author: replacedBy } = record
    const savedBy = record.path === text ? record.savedBy : undefined
    const replaced = { reason, replacedAt, ...(replacedBy !== undefined && { replacedBy }) }
    versions.push({ entry: id, ...contentOf(info, savedBy), ...replaced })
  }
  if (current?.kind !== 'file') return { versions }
  return { versions, current: contentOf(current, authorOf(newestFirst, text, current.modifiedNs)) }
}

/** The user who saved the content of a file, unless it was changed since. */
export function authorOf(
  entries: Iterable<Pick<Entry, 'record'>>,
  path: string,
  modifiedNs: bigint,
): string | undefined {
  for (const { record } of entries)
    if (record.path === path && record.nextModifiedNs === String(modifiedNs)) return record.author
  return undefined
}

function contentOf({ size, modified }: FileInfo, savedBy: string | undefined): Pick<FileVersion, 'bytes' | 'savedAt'> {
  return { bytes: size, savedAt: modified.toISOString(), ...(savedBy !== undefined && { savedBy }) }
}

/** Whether an entry may have a file: with one path, that is the file or a directory above it. */
function canHave({ path, paths, isFolder }: TrashRecord, file: string): boolean {
  return paths > 1 || (isFolder ? file.startsWith(`${path}/`) : path === file)
}

async function fileIn(directory: string, path: SafePath): Promise<FileInfo | undefined> {
  const entry = await ifExists(RootFs.open(directory))
  if (!entry) return undefined
  await using files = entry
  const info = await files.lstat(path).catch(ignoreRefusals())
  return info?.kind === 'file' ? info : undefined
}
