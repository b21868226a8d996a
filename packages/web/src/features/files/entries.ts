import type { FileEntry } from '@innkeeper/contract/servers/files'
import { joinPath } from '../../api/file-paths.ts'
import type { TranslationKey } from '../../i18n/i18n.tsx'

/** A file or folder in the list. */
export interface FileItem {
  /** Relative to the server's folder. Unique, except for unsupported items. */
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
  /** Epoch milliseconds; `undefined` if unknown. */
  readonly modified: number | undefined
  readonly isLink: boolean
  /** A socket, device or the like: it is listed, but no action applies to it. */
  readonly isUnsupported: boolean
}

/** Converts a listing, without its `..` entry. */
export function toItems(folder: string, listing: readonly FileEntry[]): readonly FileItem[] {
  return listing.filter(({ name }) => name !== '..').map((entry) => toItem(folder, entry))
}

export function toItem(folder: string, entry: FileEntry): FileItem {
  const { name, isFile, size = 0, modifyTime, isLink = false, isOdd: isUnsupported = false } = entry
  const modified = modifyTime === undefined ? undefined : modifyTime * 1000
  return {
    path: joinPath(folder, name),
    name,
    isFolder: !isFile,
    size: isFile ? size : 0,
    modified,
    isLink,
    isUnsupported,
  }
}

export const sortColumns = ['name', 'size', 'modified'] as const
export type SortColumn = (typeof sortColumns)[number]
/** Catalog keys of the column names. */
export const columnNames: Readonly<Record<SortColumn, TranslationKey>> = {
  name: 'common.Name',
  size: 'files.Size',
  modified: 'files.Modified',
}
export interface Sort {
  readonly by: SortColumn
  readonly isDescending: boolean
}
export const defaultSort: Sort = { by: 'name', isDescending: false }

/** Validates a stored sort order. */
export function parseSort(value: unknown): Sort | undefined {
  if (typeof value !== 'object' || value === null || !('by' in value) || !('isDescending' in value)) return undefined
  const by = sortColumns.find((column) => column === value.by)
  return by && typeof value.isDescending === 'boolean' ? { by, isDescending: value.isDescending } : undefined
}

/** The sort order after a click on a column header: the same column is reversed; sizes and times start descending. */
export function toggleSort(sort: Sort, by: SortColumn): Sort {
  return sort.by === by ? { by, isDescending: !sort.isDescending } : { by, isDescending: by !== 'name' }
}

/** Folders come first. They have no size, so sorting by size leaves them sorted by name. */
export function sortItems(
  items: readonly FileItem[],
  { by, isDescending }: Sort,
  compareNames: (a: string, b: string) => number,
): readonly FileItem[] {
  const direction = isDescending ? -1 : 1
  const byName = (a: FileItem, b: FileItem) => compareNames(a.name, b.name) || (a.name < b.name ? -1 : 1)
  return items.toSorted((a, b) => {
    if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1
    if (by === 'name') return direction * byName(a, b)
    const difference = by === 'size' ? a.size - b.size : (a.modified ?? 0) - (b.modified ?? 0)
    return direction * difference || byName(a, b)
  })
}

/** The items whose name contains the query, ignoring case. */
export function filterItems(items: readonly FileItem[], query: string): readonly FileItem[] {
  const needle = query.trim().toLocaleLowerCase()
  return needle === '' ? items : items.filter(({ name }) => name.toLocaleLowerCase().includes(needle))
}

/** Bytes of the files among the items. The contents of folders do not count. */
export function totalSize(items: readonly FileItem[]): number {
  return items.reduce((sum, { size }) => sum + size, 0)
}

/** Splits an array into chunks of at most `size` elements. */
export function chunk<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
}
