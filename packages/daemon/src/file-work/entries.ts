import type { FileEntry } from '@innkeeper/contract/files'
import type { FileInfo } from '../files/file-info.ts'
import type { RootFs } from '../files/root.ts'
import type { SafePath } from '../files/safe-path.ts'

/** What a folder shows, some at a time: first the way back, except in the server's folder, and nothing of ours. */
export async function* entriesIn(files: RootFs, folder: SafePath): AsyncGenerator<FileEntry[]> {
  if (folder.length > 0) yield [{ name: '..', isFile: false }]
  for await (const some of files.list(folder)) {
    yield some.map(entryOf)
  }
}

export function entryOf({ name, kind, size, modified, isAddressable }: FileInfo): FileEntry {
  const modifyTime = Math.floor(modified.getTime() / 1000)
  const extension = kind === 'folder' ? '' : (/\.[^.]*$/.exec(name)?.[0] ?? '')
  return {
    name,
    isFile: kind !== 'folder',
    ...(size > 0 && { size }),
    ...(modifyTime > 0 && { modifyTime }),
    ...(extension !== '' && { extension }),
    ...(kind === 'link' && { isLink: true }),
    ...((kind === 'other' || !isAddressable) && { isOdd: true }),
  }
}
