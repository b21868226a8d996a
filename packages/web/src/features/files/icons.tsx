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
import type { Item } from './entries.ts'
import classes from './file-table.module.css'
import { lookOf } from './kinds.ts'

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

/** What something is, at a glance; its name stands beside it. */
export function ItemIcon({ item, size = 18 }: { item: Item; size?: number }) {
  const look = lookOf(item)
  const Icon = item.isOdd ? IconFile : icons[look]
  return <Icon size={size} aria-hidden className={classes[`look-${look}`]} />
}
