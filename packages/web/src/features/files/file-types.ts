import { limits } from '@innkeeper/contract/text/limits'
import type { FileItem } from './entries.ts'

const archiveExtensions = ['7z', 'bz2', 'gz', 'jar', 'lz', 'lzma', 'rar', 'tar', 'tgz', 'xz', 'zip', 'zipx']
const imageExtensions = ['jpeg', 'png', 'jpg', 'gif', 'webp', 'bmp', 'tiff', 'svg']
const codeExtensions = [
  ...['bat', 'c', 'cfg', 'conf', 'cpp', 'cs', 'css', 'go', 'h', 'html', 'ini', 'java', 'js', 'json', 'json5', 'lua'],
  ...['mcmeta', 'php', 'properties', 'ps1', 'py', 'rb', 'rs', 'sh', 'sql', 'toml', 'ts', 'xml', 'yaml', 'yml'],
]

export type FileType = 'folder' | 'archive' | 'image' | 'code' | 'text'

/** The type of a file by its extension. */
export function getFileType({ name, isFolder }: Pick<FileItem, 'name' | 'isFolder'>): FileType {
  if (isFolder) return 'folder'
  const extension = getExtension(name)
  if (archiveExtensions.includes(extension)) return 'archive'
  if (imageExtensions.includes(extension)) return 'image'
  return codeExtensions.includes(extension) ? 'code' : 'text'
}

/** What opening an item does. `tooLarge` shows a dialog; unsupported items cannot be opened (`none`). */
export type OpenAction = 'folder' | 'extract' | 'preview' | 'edit' | 'tooLarge' | 'none'

export function getOpenAction(item: FileItem): OpenAction {
  if (item.isUnsupported) return 'none'
  const type = getFileType(item)
  if (type === 'folder') return 'folder'
  if (type === 'archive') return 'extract'
  if (type === 'image') return 'preview'
  return item.size > limits.editableFileBytes ? 'tooLarge' : 'edit'
}

/** Whether the editor can open it: text files up to the size limit, and SVG images. */
export function isEditable(item: FileItem): boolean {
  const action = getOpenAction(item)
  return (
    action === 'edit' ||
    (action === 'preview' && getExtension(item.name) === 'svg' && item.size <= limits.editableFileBytes)
  )
}

/** The extension in lower case, without the dot; empty for names such as `.bashrc`. */
function getExtension(name: string): string {
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(dot + 1).toLowerCase() : ''
}
