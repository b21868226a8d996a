import { limits } from '@innkeeper/contract/limits'
import type { Item } from './entries.ts'

const archives = ['7z', 'bz2', 'gz', 'jar', 'lz', 'lzma', 'rar', 'tar', 'tgz', 'xz', 'zip', 'zipx']
const images = ['jpeg', 'png', 'jpg', 'gif', 'webp', 'bmp', 'tiff', 'svg']
const code = [
  ...['bat', 'c', 'cfg', 'conf', 'cpp', 'cs', 'css', 'go', 'h', 'html', 'ini', 'java', 'js', 'json', 'json5', 'lua'],
  ...['mcmeta', 'php', 'properties', 'ps1', 'py', 'rb', 'rs', 'sh', 'sql', 'toml', 'ts', 'xml', 'yaml', 'yml'],
]

export type Look = 'folder' | 'archive' | 'image' | 'code' | 'text'

/** What something looks like by its name. */
export function lookOf({ name, isFolder }: Pick<Item, 'name' | 'isFolder'>): Look {
  if (isFolder) return 'folder'
  const ending = endingOf(name)
  if (archives.includes(ending)) return 'archive'
  if (images.includes(ending)) return 'image'
  return code.includes(ending) ? 'code' : 'text'
}

/** What opening something does; `tooLarge` says so instead, and odd things cannot be opened. */
export type Opening = 'folder' | 'extract' | 'preview' | 'edit' | 'tooLarge' | 'nothing'

export function openingOf(item: Item): Opening {
  if (item.isOdd) return 'nothing'
  const look = lookOf(item)
  if (look === 'folder') return 'folder'
  if (look === 'archive') return 'extract'
  if (look === 'image') return 'preview'
  return item.size > limits.editableFileBytes ? 'tooLarge' : 'edit'
}

/** Whether the editor takes it: files that are no archives and not too large. A vector image is a text too. */
export function isEditable(item: Item): boolean {
  const opening = openingOf(item)
  return (
    opening === 'edit' ||
    (opening === 'preview' && endingOf(item.name) === 'svg' && item.size <= limits.editableFileBytes)
  )
}

/** In lower case and without the dot; empty when there is none, as with `.bashrc`. */
function endingOf(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}
