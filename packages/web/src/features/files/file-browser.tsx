import type { ServerView } from '@innkeeper/contract/servers'
import { Box, Button, Group, Paper, VisuallyHidden } from '@mantine/core'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { dirname } from '../../api/file-paths.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useJsonPreference } from '../../session/preferences.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { useIsPhone } from '../../ui/page.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { BulkBar } from './bulk-bar.tsx'
import { Dialogs } from './dialogs.tsx'
import { DiskUsage } from './disk-usage.tsx'
import { defaultSort, type FileItem, filterItems, parseSort, sortItems, toggleSort, totalSize } from './entries.ts'
import { type ContextMenuState, FileMenu } from './file-menu.tsx'
import { FileTable } from './file-table.tsx'
import { getOpenAction } from './file-types.ts'
import classes from './files.module.css'
import { getResultText, JobList } from './job-list.tsx'
import { EmptyFolder, ListError, ListSkeleton } from './list-states.tsx'
import type { ExistingNames } from './names.ts'
import { PathBar } from './path-bar.tsx'
import { Toolbar, type UploadActions } from './toolbar.tsx'
import { useFileActions } from './use-file-actions.tsx'
import { useFileHotkeys } from './use-file-hotkeys.ts'
import type { FileTableHandle } from './use-grid-rows.ts'
import { useJobs } from './use-jobs.ts'
import { useListing } from './use-listing.ts'
import { useRefresh } from './use-refresh.ts'
import { useFocusInside, useRestoreFocus } from './use-restore-focus.ts'
import { useScrollRestoration } from './use-scroll-restoration.ts'
import { useSearch } from './use-search.ts'
import { useSelection } from './use-selection.ts'

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
}

/** A server's files, one folder at a time, with all file actions. */
export function FileBrowser(props: FileBrowserProps) {
  const { server, canWrite, path, onPath, getHref, onEdit, onPreview, upload, frame = noFrame, tools, notices } = props
  const t = useT()
  const { compareNames, fileSize } = useFormatters()
  const isPhone = useIsPhone()
  const [sort, setSort] = useJsonPreference('filesSort', parseSort, defaultSort)
  const listing = useListing(server.id, path)
  const search = useSearch(server.id, path)
  const items = useMemo(() => {
    const shown = search.isSearching ? (search.results ?? []) : filterItems(listing.items ?? [], search.query)
    return sortItems(shown, sort, compareNames)
  }, [listing.items, search.isSearching, search.results, search.query, sort, compareNames])
  const names = useMemo<ExistingNames>(
    () => new Map(listing.items?.map(({ name, isFolder }) => [name, isFolder ? 'folder' : 'file'])),
    [listing.items],
  )
  const selection = useSelection(items, path)
  const [menu, setMenu] = useState<ContextMenuState>()
  const [announcement, setAnnouncement] = useState('')
  const { refresh, refreshAll } = useRefresh(server.id, path)
  const jobs = useJobs(server.id, (job) => {
    const result = getResultText(t, job)
    setAnnouncement(result)
    if (job.state !== 'failed' && !job.skippedCount) toast.success(result)
    refreshAll()
  })
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
  const isLate = useDelayed(query.isPending)
  const goUp = () => {
    if (search.query !== '') search.setFilter('')
    else if (path !== '') onPath(dirname(path))
  }
  const changeSort = (by: typeof sort.by) => setSort(toggleSort(sort, by))
  const list = () => {
    if (query.isPending) return isLate ? <ListSkeleton /> : <Box flex={1} aria-busy="true" />
    if (query.isError && !query.data) {
      return (
        <ListError error={query.error} path={path} onPath={onPath} onEdit={onEdit} retry={() => void query.refetch()} />
      )
    }
    if (items.length === 0) {
      return (
        <EmptyFolder
          query={search.query}
          isSearching={search.isSearching}
          canWrite={canWrite}
          onClear={() => search.setFilter('')}
          onSearch={search.search}
          onCreate={createFile}
        />
      )
    }
    return (
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
    )
  }

  return (
    <Paper
      component="section"
      ref={panel}
      className={classes.browser}
      aria-label={t('files.Files')}
      onFocus={focus.enter}
      onBlur={focus.leave}
    >
      <Toolbar
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
        path={<PathBar key={path} path={path} onPath={onPath} getHref={getHref} isPhone={isPhone} />}
        tools={tools}
      />
      {count > 0 && (
        <BulkBar
          selected={selection.selected}
          canWrite={canWrite}
          isPhone={isPhone}
          onAction={(action) => actions.runAction(action, selection.selected)}
          onClear={selection.clear}
        />
      )}
      {search.query.trim() !== '' && items.length > 0 && (
        <Box className={classes.section} px="xs" py="2xs" c="dimmed" fz="compact">
          {search.isSearching ? (
            <Box px="xs" py="2xs" role="status">
              {t(search.isComplete ? 'files.Found' : 'files.FoundMore', { count: items.length })}
            </Box>
          ) : (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={search.search}>
              {t('files.SearchSubfolders')}
            </Button>
          )}
        </Box>
      )}
      <JobList jobs={jobs} canWrite={canWrite} />
      {notices}
      {listing.isError && listing.data && !listing.isFetching && (
        <Box className={classes.section} px="sm" py={6}>
          <Alert
            type="warning"
            action={
              <Button size="xs" variant="default" onClick={() => void refresh()}>
                {t('common.TryAgain')}
              </Button>
            }
          >
            {t('files.Stale', { reason: errorMessage(t, listing.error) })}
          </Alert>
        </Box>
      )}
      {frame(
        // biome-ignore lint/a11y/noStaticElementInteractions: receives the focus while there are no rows
        <div
          className={classes.list}
          data-list
          data-quiet-focus
          tabIndex={-1}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && event.target === event.currentTarget) goUp()
          }}
        >
          {list()}
        </div>,
      )}
      <Group className={classes.footer} gap="sm" justify="space-between" mih={36} px="md" py="2xs" fz="xs">
        {listing.items ? <Counts items={listing.items} /> : <span />}
        {!canWrite && <ReadOnlyBadge permission={t('files.ReadOnly')} />}
        <DiskUsage server={server.id} />
      </Group>
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
      <Dialogs server={server} path={path} names={names} actions={actions} />
    </Paper>
  )
}

const noFrame = (list: ReactNode) => list

function Counts({ items }: { items: readonly FileItem[] }) {
  const t = useT()
  const { number } = useFormatters()
  const folders = items.filter(({ isFolder }) => isFolder).length
  const files = items.length - folders
  return (
    <span>
      {t('files.FolderCount', { count: folders, number: number(folders) })} ·{' '}
      {t('files.FileCount', { count: files, number: number(files) })}
    </span>
  )
}
