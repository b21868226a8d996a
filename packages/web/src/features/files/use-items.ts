import { useMemo } from 'react'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useJsonPreference } from '../../session/preferences.tsx'
import { useSelection } from '../../ui/lists/use-selection.ts'
import {
  defaultSort,
  type FileItem,
  filterItems,
  parseSort,
  type SortColumn,
  sortItems,
  toggleSort,
} from './entries.ts'
import type { ExistingNames } from './names.ts'
import { useListing } from './use-listing.ts'
import { useSearch } from './use-search.ts'

/** The items of a folder, or what a search found below it, filtered and sorted. */
export function useItems(server: string, path: string) {
  const { compareNames } = useFormatters()
  const [sort, setSort] = useJsonPreference('filesSort', parseSort, defaultSort)
  const listing = useListing(server, path)
  const search = useSearch(server, path)
  const items = useMemo(() => {
    const shown = search.isSearching ? (search.results ?? []) : filterItems(listing.items ?? [], search.query)
    return sortItems(shown, sort, compareNames)
  }, [listing.items, search.isSearching, search.results, search.query, sort, compareNames])
  const names = useMemo<ExistingNames>(
    () => new Map(listing.items?.map(({ name, isFolder }) => [name, isFolder ? 'folder' : 'file'])),
    [listing.items],
  )
  return { items, names, listing, search, sort, sortBy: (column: SortColumn) => setSort(toggleSort(sort, column)) }
}

/** The selection among the items in view. Items that leave the view are no longer selected. */
export function useFileSelection(items: readonly FileItem[], folder: string) {
  const selectable = useMemo(() => items.filter(({ isUnsupported }) => !isUnsupported), [items])
  const selection = useSelection(selectable, ({ path }) => path, folder)
  return {
    ...selection,
    selected: selectable.filter(({ path }) => selection.has(path)),
    selectAll: () => selection.select(selectable),
  }
}
