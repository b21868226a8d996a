/** Something a person chose or dropped, with the place it had there: `textures/block/stone.png`. */
export type PickedItem =
  | { readonly kind: 'file'; readonly path: string; readonly file: File }
  /** A folder whose content is not read yet. */
  | { readonly kind: 'folder'; readonly path: string; readonly entry: FileSystemDirectoryEntry }
  /** A folder that this browser gives no way to look into. */
  | { readonly kind: 'closedFolder'; readonly path: string }

/** What was dropped. To be called while the event is being handled: afterwards the browser has forgotten it. */
export function itemsOfDrop(transfer: DataTransfer): readonly PickedItem[] {
  return [...transfer.items].filter(({ kind }) => kind === 'file').flatMap((item) => itemOf(item) ?? [])
}

function itemOf(item: DataTransferItem): PickedItem | undefined {
  const entry = item.webkitGetAsEntry?.() ?? undefined
  if (entry !== undefined && isFolder(entry)) return { kind: 'folder', path: entry.name, entry }
  const file = item.getAsFile()
  if (!file) return undefined
  // Without entries a folder looks like an empty file without a type whose size is a multiple of a disk's block.
  const mayBeFolder = entry === undefined && file.type === '' && file.size % 4096 === 0 && !file.name.includes('.')
  return mayBeFolder ? { kind: 'closedFolder', path: file.name } : { kind: 'file', path: file.name, file }
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}

/** What was chosen in a file dialog; files of a chosen folder come with their place below it. */
export function itemsOfInput(files: FileList | readonly File[]): readonly PickedItem[] {
  return [...files].map((file) => ({ kind: 'file', path: file.webkitRelativePath || file.name, file }))
}

/** What a folder holds when all of it has been looked into: files, and folders that hold nothing. */
export type FoundItem = { readonly path: string; readonly file?: File }

/** Looks into a folder and those in it, whatever their number. */
export async function* walk(path: string, folder: FileSystemDirectoryEntry): AsyncGenerator<FoundItem> {
  const reader = folder.createReader()
  let isEmpty = true
  for (;;) {
    // A reader answers in portions; an empty one is the last.
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (portion.length === 0) break
    isEmpty = false
    for (const entry of portion) {
      const below = `${path}/${entry.name}`
      if (isFolder(entry)) yield* walk(below, entry)
      else if (isFile(entry)) yield { path: below, file: await fileOf(entry) }
    }
  }
  if (isEmpty) yield { path }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}
