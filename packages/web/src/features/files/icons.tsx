import {
  IconArchive,
  IconCopy,
  IconDownload,
  IconEdit,
  IconFile,
  IconFileCode,
  IconFileText,
  IconFileZip,
  IconFolderFilled,
  IconFolderSymlink,
  IconLink,
  IconPackage,
  IconPencil,
  IconPhoto,
  IconTrash,
} from '@tabler/icons-react'
import type { Action } from './actions.ts'
import type { FileItem } from './entries.ts'
import { getFileType } from './file-types.ts'

export const actionIcons: Readonly<Record<Action, typeof IconFile>> = {
  preview: IconPhoto,
  edit: IconEdit,
  download: IconDownload,
  rename: IconPencil,
  move: IconFolderSymlink,
  copy: IconCopy,
  archive: IconArchive,
  extract: IconPackage,
  copyPath: IconLink,
  delete: IconTrash,
}

const icons = {
  folder: IconFolderFilled,
  archive: IconFileZip,
  image: IconPhoto,
  code: IconFileCode,
  text: IconFileText,
}

const colors = {
  folder: 'var(--ik-highlight)',
  archive: 'var(--ik-dim)',
  image: 'var(--ik-dim)',
  code: 'var(--ik-link)',
  text: 'var(--ik-dim)',
}

/** The icon of a file's type. */
export function ItemIcon({ item, size = 18 }: { item: FileItem; size?: number }) {
  const type = getFileType(item)
  const Icon = item.isUnsupported ? IconFile : icons[type]
  return <Icon size={size} aria-hidden color={colors[type]} />
}
