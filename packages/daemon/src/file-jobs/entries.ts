import type { FileEntry } from '@innkeeper/contract/servers/files'
import type { SafePath } from '../files/path/safe-path.ts'
import type { FileSummary } from '../files/read/file-info.ts'
import type { RootFs } from '../files/root.ts'

/** Lists a directory in batches: first the parent, except in the server's directory; without temporary files. */
export async function* entriesIn(files: RootFs, folder: SafePath): AsyncGenerator<FileEntry[]> {
  if (folder.length > 0) yield [{ name: '..', isFile: false }]
  for await (const batch of files.listSummaries(folder)) {
    yield batch.map(getEntry)
  }
}

export function getEntry({ name, kind, size, modifiedMs, isReachable }: FileSummary): FileEntry {
  const modifyTime = Math.floor(modifiedMs / 1000)
  const dot = name.lastIndexOf('.')
  const extension = kind === 'folder' || dot < 0 ? '' : name.slice(dot)
  // Not built with spread: for many thousands that would take longer than the disk I/O.
  const entry: FileEntry = { name, isFile: kind !== 'folder' }
  if (size > 0 && kind !== 'link') entry.size = size
  if (modifyTime > 0) entry.modifyTime = modifyTime
  if (extension !== '') entry.extension = extension
  if (kind === 'link') entry.isLink = true
  if (kind === 'other' || !isReachable) entry.isOdd = true
  return entry
}
