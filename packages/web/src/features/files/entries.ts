import type { FileEntry } from '@innkeeper/contract/files'
import { joinPath } from '../../api/file-paths.ts'

/** Something in a folder, as the list shows it. */
export interface Item {
  /** From the server's folder; unique but for items that are odd. */
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
  /** Epoch milliseconds; `undefined` when nobody knows. */
  readonly modified: number | undefined
  readonly isLink: boolean
  /** It can be seen, but nothing can be done with it. */
  readonly isOdd: boolean
}

/** What a listing holds, without the way up. */
export function itemsFrom(folder: string, listing: readonly FileEntry[]): readonly Item[] {
  return listing.filter(({ name }) => name !== '..').map((entry) => itemFrom(folder, entry))
}

export function itemFrom(folder: string, entry: FileEntry): Item {
  const { name, isFile, size = 0, modifyTime, isLink = false, isOdd = false } = entry
  const modified = modifyTime === undefined ? undefined : modifyTime * 1000
  return { path: joinPath(folder, name), name, isFolder: !isFile, size: isFile ? size : 0, modified, isLink, isOdd }
}

export const sortColumns = ['name', 'size', 'modified'] as const
export type SortColumn = (typeof sortColumns)[number]
export interface Sort {
  readonly by: SortColumn
  readonly isDescending: boolean
}
export const usualSort: Sort = { by: 'name', isDescending: false }

/** Reads a remembered order. */
export function sortFrom(value: unknown): Sort | undefined {
  if (typeof value !== 'object' || value === null || !('by' in value) || !('isDescending' in value)) return undefined
  const by = sortColumns.find((column) => column === value.by)
  return by && typeof value.isDescending === 'boolean' ? { by, isDescending: value.isDescending } : undefined
}

/** The order after a click on the head of a column: the same column turns round, sizes and times begin at the top. */
export function sortedBy(sort: Sort, by: SortColumn): Sort {
  return sort.by === by ? { by, isDescending: !sort.isDescending } : { by, isDescending: by !== 'name' }
}

/** Numbers in names count as numbers, as people expect of `region-2` and `region-10`. */
const names = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Folders first. Folders have no size: by size they stand by name. */
export function sorted(items: readonly Item[], { by, isDescending }: Sort): readonly Item[] {
  const turn = isDescending ? -1 : 1
  const byName = (a: Item, b: Item) => names.compare(a.name, b.name) || (a.name < b.name ? -1 : 1)
  return items.toSorted((a, b) => {
    if (a.isFolder !== b.isFolder) return a.isFolder ? -1 : 1
    if (by === 'name') return turn * byName(a, b)
    const difference = by === 'size' ? a.size - b.size : (a.modified ?? 0) - (b.modified ?? 0)
    return turn * difference || byName(a, b)
  })
}

/** Those whose name holds the text, whatever the case of its letters. */
export function filtered(items: readonly Item[], sought: string): readonly Item[] {
  const wanted = sought.trim().toLocaleLowerCase()
  return wanted === '' ? items : items.filter(({ name }) => name.toLocaleLowerCase().includes(wanted))
}

/** The bytes of the files among them; what is in folders nobody has counted. */
export function bytesOf(items: readonly Item[]): number {
  return items.reduce((sum, { size }) => sum + size, 0)
}

/** In pieces of at most so many. */
export function chunked<T>(all: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / most) }, (_, index) => all.slice(index * most, (index + 1) * most))
}
