import type { FileJob } from '@innkeeper/contract/files'
import type { ServerView } from '@innkeeper/contract/servers'
import { Paper, Stack, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { basename, dirname } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { notifyInTab } from '../../theme/browser-tab.ts'
import { useIsPhone } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast.tsx'
import type { ToastOptions } from '../../ui/toast-message.ts'
import { BrowserFooter, SearchSummary } from './browser-sections.tsx'
import { Dialogs } from './dialogs.tsx'
import { toggleSort, totalSize } from './entries.ts'
import { FileBulkBar } from './file-bulk-bar.tsx'
import { FileJobList, getResultText } from './file-job-list.tsx'
import { type ContextMenuState, FileMenu } from './file-menu.tsx'
import { FileTable } from './file-table.tsx'
import { FileToolbar, type UploadActions } from './file-toolbar.tsx'
import { getOpenAction } from './file-types.ts'
import classes from './files.module.css'
import { EmptyFolder, ListSkeleton, renderNoFolder } from './list-states.tsx'
import { PathBar } from './path-bar.tsx'
import { useFileActions } from './use-file-actions.tsx'
import { useFileHotkeys } from './use-file-hotkeys.ts'
import { useFileSelection } from './use-file-selection.ts'
import type { FileTableHandle } from './use-grid-rows.ts'
import { useItems } from './use-items.ts'
import { useJobs } from './use-jobs.ts'
import { useRefresh } from './use-refresh.ts'
import { useFocusInside, useRestoreFocus } from './use-restore-focus.ts'
import { useScrollRestoration } from './use-scroll-restoration.ts'
import { useTrashActions } from './use-trash.ts'

export interface FileBrowserProps {
  readonly server: Pick<ServerView, 'id' | 'name'>
  /** Whether the user has the scope putServerFiles. */
  readonly canWrite: boolean
  /** The current folder, relative to the server's folder. */
  readonly path: string
  readonly onPath: (path: string) => void
  /** The URL of a folder. */
  readonly getHref: (path: string) => string
  readonly onEdit: (path: string) => void
  /** Shows an image; `images` are all images in the list, in its order. */
  readonly onPreview: (path: string, images: readonly string[]) => void
  /** Uploads into the current folder. */
  readonly upload?: UploadActions
  /** Wraps the list, to accept dropped files. Its folder rows have the attribute `data-drop-folder`. */
  readonly frame?: (list: ReactNode) => ReactNode
  /** More toolbar buttons. */
  readonly tools?: ReactNode
  /** Alerts above the list. */
  readonly notices?: ReactNode
  /** A job ended that this page saw running. */
  readonly onJobEnd?: (job: FileJob) => void
}

/** A server's files, one folder at a time, with all file actions. */
export function FileBrowser(props: FileBrowserProps) {
  const {
    server,
    canWrite,
    path,
    onPath,
    getHref,
    onEdit,
    onPreview,
    upload,
    frame = noFrame,
    tools,
    notices,
    onJobEnd,
  } = props
  const t = useT()
  const { fileSize } = useFormatters()
  const isPhone = useIsPhone()
  const { items, names, listing, search, sort, setSort } = useItems(server.id, path)
  const selection = useFileSelection(items, path)
  const [menu, setMenu] = useState<ContextMenuState>()
  const [announcement, setAnnouncement] = useState('')
  const { refresh, refreshAll } = useRefresh(server.id, path)
  const jobs = useJobs(server.id, (job) => {
    const result = getResultText(t, job)
    setAnnouncement(result)
    if (job.state !== 'cancelled') notifyInTab(job.state === 'failed' ? 'error' : 'success', result)
    if (job.state !== 'failed' && !job.skippedCount) toast.success(result, getUndo(job))
    refreshAll()
    onJobEnd?.(job)
  })
  const { undo } = useTrashActions(server.id)
  const getUndo = ({ kind, trash = [], path: first, paths: count }: FileJob): ToastOptions => {
    if (!canWrite || kind !== 'delete' || trash.length === 0) return {}
    return { action: { label: t('common.Undo'), run: () => void undo(trash, { name: basename(first), count }) } }
  }
  const showImage = (image: string) =>
    onPreview(
      image,
      items.filter((item) => getOpenAction(item) === 'preview').map((item) => item.path),
    )
  const actions = useFileActions({
    server,
    path,
    names,
    canWrite,
    start: jobs.start,
    refresh,
    onPath,
    onEdit,
    onPreview: showImage,
  })
  const createFile = () => actions.openDialog({ type: 'create', itemType: 'file' })
  const createFolder = () => actions.openDialog({ type: 'create', itemType: 'folder' })

  const panel = useRef<HTMLDivElement>(null)
  const filter = useRef<HTMLInputElement>(null)
  const table = useRef<FileTableHandle>(null)
  const scroll = useScrollRestoration(path)
  const focus = useFocusInside(panel)
  useRestoreFocus(path, items, listing.items !== undefined, focus.isInside, table, panel)
  useFileHotkeys({
    canWrite,
    isInside: focus.isInside,
    onFile: createFile,
    onFolder: createFolder,
    onRefresh: () => void refresh(),
    onUpload: upload?.pickFiles,
    onFilter: () => filter.current?.focus(),
  })

  const count = selection.selected.length
  const selectionText =
    count > 0
      ? t('files.SelectedAnnouncement', { count, size: fileSize(totalSize(selection.selected), { decimals: 2 }) })
      : ''

  const query = search.isSearching ? search.request : listing
  const goUp = () => {
    if (search.query !== '') search.setFilter('')
    else if (path !== '') onPath(dirname(path))
  }
  const changeSort = (by: typeof sort.by) => setSort(toggleSort(sort, by))
  const list = (
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
          onCreate={createFile}
        />
      }
    >
      {() => (
        <FileTable
          // Resets scroll position and active row in another folder.
          key={search.isSearching ? `found ${path}` : path}
          items={items}
          sort={sort}
          onSort={changeSort}
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
          onMenu={(items, position) => setMenu({ items, position })}
          onUp={goUp}
          handle={table}
        />
      )}
    </QueryState>
  )

  const bulkBar = count > 0 && (
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
        isBusy={query.isFetching}
        query={search.query}
        onQueryChange={search.setFilter}
        onSearch={search.search}
        filter={filter}
        sort={sort}
        onSort={changeSort}
        onRefresh={() => void refresh()}
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
          {list}
        </Stack>,
      )}
      <BrowserFooter
        server={server.id}
        items={listing.items}
        canWrite={canWrite}
        onTrash={() => actions.openDialog({ type: 'trash' })}
      />
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
      <VisuallyHidden role="status">{selectionText}</VisuallyHidden>
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
