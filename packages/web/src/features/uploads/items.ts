import type { Unpacking } from './unpack-upload.ts'

/** A file or folder that the user selected or dropped, with its relative path: `textures/block/stone.png`. */
export type PickedItem =
  | { readonly type: 'file'; readonly path: string; readonly file: File; readonly unpacking?: Unpacking }
  | { readonly type: 'emptyFolder'; readonly path: string }
  /** A folder that has not been read yet. */
  | { readonly type: 'folder'; readonly path: string; readonly entry: FileSystemDirectoryEntry }
  /** A folder in a browser that cannot read dropped folders. */
  | { readonly type: 'unreadableFolder'; readonly path: string }

/** The dropped items. Must be called synchronously in the drop event. */
export function getDroppedItems(transfer: DataTransfer): readonly PickedItem[] {
  return [...transfer.items].filter(({ kind }) => kind === 'file').flatMap((item) => toPickedItem(item) ?? [])
}

function toPickedItem(item: DataTransferItem): PickedItem | undefined {
  const entry = item.webkitGetAsEntry?.() ?? undefined
  if (entry !== undefined && isFolder(entry)) return { type: 'folder', path: entry.name, entry }
  const file = item.getAsFile()
  if (!file) return undefined
  // Without the entries API a folder is a file without a type whose size is a multiple of the file system's block size.
  const maybeFolder = entry === undefined && file.type === '' && file.size % 4096 === 0 && !file.name.includes('.')
  return maybeFolder ? { type: 'unreadableFolder', path: file.name } : { type: 'file', path: file.name, file }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** The files of an `<input>`; those of a selected folder have a relative path. */
export function getSelectedItems(files: FileList | readonly File[]): readonly PickedItem[] {
  return [...files].map((file) => ({ type: 'file', path: file.webkitRelativePath || file.name, file }))
}

/** A file in a folder, or (without `file`) an empty folder. */
export type DirectoryItem = { readonly path: string; readonly file?: File }

/** Reads a folder recursively. */
export async function* readDirectory(path: string, folder: FileSystemDirectoryEntry): AsyncGenerator<DirectoryItem> {
  const reader = folder.createReader()
  let isEmpty = true
  for (;;) {
    // `readEntries` returns batches, and an empty one at the end.
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) break
    isEmpty = false
    for (const entry of batch) {
      const entryPath = `${path}/${entry.name}`
      if (isFolder(entry)) yield* readDirectory(entryPath, entry)
      else if (isFile(entry)) yield { path: entryPath, file: await readFile(entry) }
    }
  }
  if (isEmpty) yield { path }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}
