import { Paper, Stack, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { BrowserFooter, SearchSummary } from './browser-sections.tsx'
import { Dialogs } from './dialogs.tsx'
import { type FileItem, toggleSort, totalSize } from './entries.ts'
import { FileBulkBar } from './file-bulk-bar.tsx'
import { FileList } from './file-list.tsx'
import { type ContextMenuState, FileMenu } from './file-menu.tsx'
import { FileToolbar, type UploadActions } from './file-toolbar.tsx'
import classes from './files.module.css'
import { FileJobList } from './jobs/file-job-list.tsx'
import { PathBar } from './path-bar.tsx'
import { type FileBrowserOptions, useFileBrowser } from './use-file-browser.ts'
import { useFileHotkeys } from './use-file-hotkeys.ts'
import type { FileTableHandle } from './use-grid-rows.ts'
import { useFocusInside, useRestoreFocus } from './use-restore-focus.ts'

export interface FileBrowserProps extends FileBrowserOptions {
  /** The URL of a folder. */
  readonly getHref: (path: string) => string
  /** Uploads into the current folder. */
  readonly upload?: UploadActions
  /** Wraps the list, to accept dropped files. Its folder rows have the attribute `data-drop-folder`. */
  readonly frame?: (list: ReactNode) => ReactNode
  /** More toolbar buttons. */
  readonly tools?: ReactNode
  /** Alerts above the list. */
  readonly notices?: ReactNode
}

/** A server's files, one folder at a time, with all file actions. */
export function FileBrowser(props: FileBrowserProps) {
  const { server, canWrite, path, onPath, getHref, onEdit, upload, frame = noFrame, tools, notices } = props
  const t = useT()
  const isPhone = useIsPhone()
  const browser = useFileBrowser(props)
  const { listed, selection, jobs, actions, goUp, refresh, createFile, createFolder } = browser
  const { items, names, listing, search, sort, setSort } = listed
  const [menu, setMenu] = useState<ContextMenuState>()

  const panel = useRef<HTMLDivElement>(null)
  const filter = useRef<HTMLInputElement>(null)
  const table = useRef<FileTableHandle>(null)
  const focus = useFocusInside(panel)
  useRestoreFocus(path, items, listing.items !== undefined, focus.isInside, table, panel)
  useFileHotkeys({
    canWrite,
    isInside: focus.isInside,
    onFile: createFile,
    onFolder: createFolder,
    onRefresh: refresh,
    onUpload: upload?.pickFiles,
    onFilter: () => filter.current?.focus(),
  })

  const bulkBar = selection.selected.length > 0 && (
    <FileBulkBar
      selected={selection.selected}
      canWrite={canWrite}
      isPhone={isPhone}
      onAction={(action) => actions.runAction(action, selection.selected)}
      onClear={selection.clear}
    />
  )

  return (
    <Paper
      component="section"
      ref={panel}
      className={classes.browser}
      aria-label={t('server.TabFiles')}
      onFocus={focus.enter}
      onBlur={focus.leave}
    >
      <FileToolbar
        canWrite={canWrite}
        isPhone={isPhone}
        isBusy={(search.isSearching ? search.request : listing).isFetching}
        query={search.query}
        onQueryChange={search.setFilter}
        onSearch={search.search}
        filter={filter}
        sort={sort}
        onSort={(by) => setSort(toggleSort(sort, by))}
        onRefresh={refresh}
        onCreateFile={createFile}
        onCreateFolder={createFolder}
        upload={canWrite ? upload : undefined}
        path={
          <PathBar key={path} rootName={server.name} path={path} onPath={onPath} getHref={getHref} isPhone={isPhone} />
        }
        tools={tools}
      />
      {isPhone && bulkBar}
      <SearchSummary search={search} items={items} />
      <FileJobList jobs={jobs} canWrite={canWrite} />
      {notices}
      {frame(
        // Receives the focus while there are no rows.
        <Stack
          gap={0}
          flex={1}
          mih={0}
          data-list
          data-quiet-focus
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && event.target === event.currentTarget) goUp()
          }}
        >
          {!isPhone && bulkBar}
          <FileList
            listed={listed}
            path={path}
            canWrite={canWrite}
            isPhone={isPhone}
            selection={selection}
            actions={actions}
            onPath={onPath}
            getHref={getHref}
            onEdit={onEdit}
            onMenu={setMenu}
            onUp={goUp}
            handle={table}
          />
        </Stack>,
      )}
      <BrowserFooter
        server={server.id}
        items={listing.items}
        canWrite={canWrite}
        onTrash={() => actions.openDialog({ type: 'trash' })}
      />
      <VisuallyHidden role="status">{browser.announcement}</VisuallyHidden>
      <SelectionStatus selected={selection.selected} />
      <FileMenu
        state={menu}
        canWrite={canWrite}
        isPhone={isPhone}
        onAction={actions.runAction}
        onSelect={(item) => selection.toggle(item.path)}
        onClose={() => {
          setMenu(undefined)
          // A dialog that the menu opens returns the focus to the element that has it now.
          table.current?.focus(menu?.items[0]?.path)
        }}
      />
      <Dialogs
        server={server}
        path={path}
        names={names}
        canWrite={canWrite}
        actions={actions}
        onStart={jobs.startAsync}
      />
    </Paper>
  )
}

const noFrame = (list: ReactNode) => list

/** Announces how much is selected. */
function SelectionStatus({ selected }: { selected: readonly FileItem[] }) {
  const t = useT()
  const { fileSize } = useFormatters()
  const size = fileSize(totalSize(selected), { decimals: 2 })
  return (
    <VisuallyHidden role="status">
      {selected.length > 0 && t('files.SelectedAnnouncement', { count: selected.length, size })}
    </VisuallyHidden>
  )
}
