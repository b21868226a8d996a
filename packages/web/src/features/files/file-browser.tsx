import type { ServerView } from '@innkeeper/contract/servers'
import { Button } from '@mantine/core'
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
import { bytesOf, filtered, type Item, sorted, sortedBy, sortFrom, usualSort } from './entries.ts'
import { FileMenu, type MenuWish } from './file-menu.tsx'
import { FileTable, type FileTableHandle } from './file-table.tsx'
import classes from './files.module.css'
import { JobStrip, resultOf } from './job-strip.tsx'
import { openingOf } from './kinds.ts'
import { ListFailure, ListSkeleton, Nothing } from './list-states.tsx'
import type { TakenNames } from './names.ts'
import { PathBar } from './path-bar.tsx'
import { Toolbar, type Upload } from './toolbar.tsx'
import { useFileActions } from './use-file-actions.tsx'
import { useFileHotkeys } from './use-file-hotkeys.ts'
import { useJobs } from './use-jobs.ts'
import { useFocus, useFollowedFocus } from './use-list-focus.ts'
import { useListing } from './use-listing.ts'
import { useRefresh } from './use-refresh.ts'
import { useScrollPlaces } from './use-scroll-places.ts'
import { useSearch } from './use-search.ts'
import { useSelection } from './use-selection.ts'

export interface FileBrowserProps {
  readonly server: Pick<ServerView, 'id' | 'name'>
  /** Whether the person may change files (putServerFiles). */
  readonly canWrite: boolean
  /** The folder in view, from the server's folder. */
  readonly path: string
  readonly onPath: (path: string) => void
  /** The address that shows a folder. */
  readonly hrefOf: (path: string) => string
  readonly onEdit: (path: string) => void
  /** Shows an image; `images` are those of the folder in the order of the list. */
  readonly onPreview: (path: string, images: readonly string[]) => void
  /** Brings files of the person into the folder in view. */
  readonly upload?: Upload
  /** Wraps the list, so that files can be dropped on it. Folders in it carry `data-drop-folder`. */
  readonly frame?: (list: ReactNode) => ReactNode
  /** Beside the buttons. */
  readonly tools?: ReactNode
  /** Above the list. */
  readonly notices?: ReactNode
}

/** The files of a server: a folder at a time, and all that can be done with what is in it. */
export function FileBrowser(props: FileBrowserProps) {
  const { server, canWrite, path, onPath, hrefOf, onEdit, onPreview, upload, frame = asIs, tools, notices } = props
  const t = useT()
  const isPhone = useIsPhone()
  const [sort, setSort] = useJsonPreference('filesSort', sortFrom, usualSort)
  const listing = useListing(server.id, path)
  const search = useSearch(server.id, path)
  const items = useMemo(() => {
    const shown = search.isSearching ? (search.found ?? []) : filtered(listing.items ?? [], search.sought)
    return sorted(shown, sort)
  }, [listing.items, search.isSearching, search.found, search.sought, sort])
  const names = useMemo<TakenNames>(
    () => new Map(listing.items?.map(({ name, isFolder }) => [name, isFolder ? 'folder' : 'file'])),
    [listing.items],
  )
  const selection = useSelection(items, path)
  const [wish, setWish] = useState<MenuWish>()
  const [said, setSaid] = useState('')
  const { refresh, refreshAfter } = useRefresh(server.id, path)
  const jobs = useJobs(server.id, (job) => {
    const result = resultOf(t, job)
    setSaid(result)
    if (job.state !== 'failed' && !job.skippedCount) toast.success(result)
    refreshAfter()
  })
  const showImage = (image: string) =>
    onPreview(
      image,
      items.filter((item) => openingOf(item) === 'preview').map((item) => item.path),
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

  const panel = useRef<HTMLElement>(null)
  const filter = useRef<HTMLInputElement>(null)
  const table = useRef<FileTableHandle>(null)
  const scrolled = useScrollPlaces(path)
  const focus = useFocus(panel)
  useFollowedFocus(path, items, listing.items !== undefined, focus.isInside, table, panel)
  useFileHotkeys({
    canWrite,
    isInside: focus.isInside,
    onFile: () => actions.ask({ is: 'create', kind: 'file' }),
    onFolder: () => actions.ask({ is: 'create', kind: 'folder' }),
    onRefresh: () => void refresh(),
    onUpload: upload?.pickFiles,
    onFilter: () => filter.current?.focus(),
  })

  const { size } = useFormatters()
  const count = selection.chosen.length
  const chosenAloud = count > 0 ? t('files.ChosenAloud', { count, size: size(bytesOf(selection.chosen)) }) : ''

  const answer = search.isSearching ? search.answer : listing
  const isLate = useDelayed(answer.isPending)
  const up = () => {
    if (search.sought !== '') search.seek('')
    else if (path !== '') onPath(dirname(path))
  }
  const list = () => {
    if (answer.isPending) return isLate ? <ListSkeleton /> : <div className={classes.waiting} aria-busy="true" />
    if (answer.isError && !answer.data) {
      return (
        <ListFailure
          error={answer.error}
          path={path}
          onPath={onPath}
          onEdit={onEdit}
          retry={() => void answer.refetch()}
        />
      )
    }
    if (items.length === 0) {
      return (
        <Nothing
          sought={search.sought}
          isSearching={search.isSearching}
          canWrite={canWrite}
          onClear={() => search.seek('')}
          onSearch={search.search}
          onCreate={() => actions.ask({ is: 'create', kind: 'file' })}
        />
      )
    }
    return (
      <FileTable
        // Another folder is another list.
        key={search.isSearching ? `found ${path}` : path}
        items={items}
        sort={sort}
        onSort={(by) => setSort(sortedBy(sort, by))}
        selection={selection}
        canWrite={canWrite}
        isPhone={isPhone}
        isBusy={answer.isFetching}
        areFound={search.isSearching}
        top={search.isSearching ? 0 : scrolled.topOf()}
        onScroll={(top) => !search.isSearching && scrolled.keep(top)}
        hrefOf={hrefOf}
        onOpen={actions.open}
        onAct={actions.act}
        onMenu={(items, place) => setWish({ items, place })}
        onUp={up}
        handle={table}
      />
    )
  }

  return (
    <section
      ref={panel}
      className={classes.browser}
      aria-label={t('files.Files')}
      onFocus={focus.enter}
      onBlur={focus.leave}
    >
      <Toolbar
        canWrite={canWrite}
        isPhone={isPhone}
        isBusy={answer.isFetching}
        sought={search.sought}
        onSeek={search.seek}
        onSearch={search.search}
        filter={filter}
        sort={sort}
        onSort={(by) => setSort(sortedBy(sort, by))}
        onRefresh={() => void refresh()}
        onCreate={(kind) => actions.ask({ is: 'create', kind })}
        upload={canWrite ? upload : undefined}
        path={<PathBar key={path} path={path} onPath={onPath} hrefOf={hrefOf} most={isPhone ? 2 : 4} />}
        tools={tools}
      />
      {selection.chosen.length > 0 && (
        <BulkBar
          chosen={selection.chosen}
          canWrite={canWrite}
          isPhone={isPhone}
          onAct={(action) => actions.act(action, selection.chosen)}
          onClear={selection.clear}
        />
      )}
      {search.sought.trim() !== '' && items.length > 0 && (
        <div className={classes.searching}>
          {search.isSearching ? (
            <span role="status">
              {t(search.isComplete ? 'files.Found' : 'files.FoundMore', { count: items.length })}
            </span>
          ) : (
            <Button size="compact-sm" variant="subtle" color="gray" onClick={search.search}>
              {t('files.SearchBelow')}
            </Button>
          )}
        </div>
      )}
      <JobStrip jobs={jobs} canWrite={canWrite} />
      {notices}
      {listing.isError && listing.data && !listing.isFetching && (
        <div className={classes.stale}>
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
        </div>
      )}
      {frame(
        // biome-ignore lint/a11y/noStaticElementInteractions: it has the focus where no row can have it
        <div
          className={classes.list}
          data-list
          data-quiet-focus
          tabIndex={-1}
          // A folder without rows leads up as well.
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && event.target === event.currentTarget) up()
          }}
        >
          {list()}
        </div>,
      )}
      <div className={classes.footer}>
        {listing.items && <Counts items={listing.items} />}
        <span className={classes.grow} />
        {!canWrite && <ReadOnlyBadge permission={t('files.NeedsToChange')} />}
        <DiskUsage server={server.id} />
      </div>
      <span role="status" className={classes.unseen}>
        {said}
      </span>
      <span role="status" className={classes.unseen}>
        {chosenAloud}
      </span>
      <FileMenu
        wish={wish}
        canWrite={canWrite}
        isPhone={isPhone}
        onAct={actions.act}
        onChoose={(item) => selection.toggle(item.path)}
        onClose={() => {
          setWish(undefined)
          // A dialog that the menu opened takes the focus from here, and brings it back here.
          table.current?.focus(wish?.items[0]?.path)
        }}
      />
      <Dialogs server={server} path={path} names={names} actions={actions} />
    </section>
  )
}

const asIs = (list: ReactNode) => list

function Counts({ items }: { items: readonly Item[] }) {
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
