import { type RefObject, useEffect, useState } from 'react'
import { isWithin } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import type { ContextMenuState } from './file-menu.tsx'
import { FileTable } from './file-table.tsx'
import { EmptyFolder, ListSkeleton, renderNoFolder } from './list-states.tsx'
import type { FileBrowserState } from './use-file-browser.ts'
import type { FileTableHandle } from './use-grid-rows.ts'

interface FileListProps {
  readonly browser: FileBrowserState
  readonly onMenu: (menu: ContextMenuState) => void
  readonly handle: RefObject<FileTableHandle | null>
}

/** The items of a folder or of a search; while there are none, why. */
export function FileList({ browser, onMenu, handle }: FileListProps) {
  const { path, query, canWrite } = browser
  const { items, search } = browser.listed
  const t = useT()
  const scroll = useScrollRestoration(path)
  return (
    <QueryState<unknown>
      query={query}
      errorTitle={t('files.LoadingFailed')}
      renderError={(error) => renderNoFolder(t, error, browser)}
      skeleton={<ListSkeleton />}
      isEmpty={() => items.length === 0}
      empty={<EmptyFolder search={search} onCreate={canWrite ? browser.createFile : undefined} />}
    >
      {() => (
        <FileTable
          // Resets scroll position and active row in another folder.
          key={search.isSearching ? `found ${path}` : path}
          browser={browser}
          initialScrollTop={search.isSearching ? 0 : scroll.getScrollTop()}
          onScroll={(top) => !search.isSearching && scroll.saveScrollTop(top)}
          onMenu={(selected, position) => onMenu({ items: selected, position })}
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
