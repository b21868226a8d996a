import { type RefObject, useEffect, useState } from 'react'
import { isWithin } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toggleSort } from './entries.ts'
import type { ContextMenuState } from './file-menu.tsx'
import { FileTable } from './file-table.tsx'
import { EmptyFolder, ListSkeleton, renderNoFolder } from './list-states.tsx'
import type { useFileActions } from './use-file-actions.tsx'
import type { FileSelection } from './use-file-selection.ts'
import type { FileTableHandle } from './use-grid-rows.ts'
import type { useItems } from './use-items.ts'

interface FileListProps {
  readonly listed: ReturnType<typeof useItems>
  readonly path: string
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly selection: FileSelection
  readonly actions: ReturnType<typeof useFileActions>
  readonly onPath: (path: string) => void
  readonly getHref: (path: string) => string
  readonly onEdit: (path: string) => void
  readonly onMenu: (menu: ContextMenuState) => void
  readonly onUp: () => void
  readonly handle: RefObject<FileTableHandle | null>
}

/** The items of a folder or of a search; while there are none, why. */
export function FileList(props: FileListProps) {
  const { listed, path, canWrite, isPhone, selection, actions, onPath, getHref, onEdit, onMenu, onUp, handle } = props
  const { items, listing, search, sort, setSort } = listed
  const t = useT()
  const scroll = useScrollRestoration(path)
  const query = search.isSearching ? search.request : listing
  return (
    <QueryState<unknown>
      query={query}
      errorTitle={t('files.LoadingFailed')}
      renderError={(error) => renderNoFolder(t, { error, path, onPath, onEdit })}
      skeleton={<ListSkeleton />}
      isEmpty={() => items.length === 0}
      empty={
        <EmptyFolder
          query={search.query}
          isSearching={search.isSearching}
          canWrite={canWrite}
          onClear={() => search.setFilter('')}
          onSearch={search.search}
          onCreate={() => actions.openDialog({ type: 'create', itemType: 'file' })}
        />
      }
    >
      {() => (
        <FileTable
          // Resets scroll position and active row in another folder.
          key={search.isSearching ? `found ${path}` : path}
          items={items}
          sort={sort}
          onSort={(by) => setSort(toggleSort(sort, by))}
          selection={selection}
          canWrite={canWrite}
          isPhone={isPhone}
          isBusy={query.isFetching}
          isSearchResult={search.isSearching}
          initialScrollTop={search.isSearching ? 0 : scroll.getScrollTop()}
          onScroll={(top) => !search.isSearching && scroll.saveScrollTop(top)}
          getHref={getHref}
          onOpen={actions.open}
          onAction={actions.runAction}
          onMenu={(selected, position) => onMenu({ items: selected, position })}
          onUp={onUp}
          handle={handle}
        />
      )}
    </QueryState>
  )
}

/** Remembers the scroll position of each folder for going back up. A folder that is entered again starts at the top. */
function useScrollRestoration(path: string) {
  const [positions] = useState(() => new Map<string, number>())
  useEffect(() => {
    for (const other of positions.keys()) if (other !== path && isWithin(path, other)) positions.delete(other)
  }, [positions, path])
  return {
    getScrollTop: () => positions.get(path) ?? 0,
    saveScrollTop: (top: number) => void positions.set(path, top),
  }
}
