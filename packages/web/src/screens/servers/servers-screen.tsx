import type { ListedServer } from '@innkeeper/contract/servers'
import { ActionIcon, Button, Paper } from '@mantine/core'
import { IconListCheck, IconPlus, IconSearch } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useAction } from '../../api/use-action.ts'
import type { PowerAction } from '../../features/power/power.ts'
import { useConfirmPower } from '../../features/power/use-confirm-power.ts'
import { useCpuHistory } from '../../features/servers/use-cpu-history.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { usePinnedServers } from '../../session/preferences.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { lazyOverlay } from '../../ui/lazy-overlay.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Page, PageHeader, useIsPhone } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { usePreload } from '../../ui/use-preload.ts'
import { type Selection, useSelection } from '../../ui/use-selection.ts'
import { FilterBar } from './filter-bar.tsx'
import { noFilter } from './filter-params.ts'
import { LastUpdated } from './last-updated.tsx'
import { type RenderedRows, UsageContext, useCanOnListed, useListActions } from './server-list.ts'
import { serverRowMenu } from './server-menu.tsx'
import { ServerTable } from './server-table.tsx'
import classes from './servers.module.css'
import { TableSkeleton } from './table-skeleton.tsx'
import { useListFilter } from './use-list-filter.ts'
import { type RowRange, useServerRows } from './use-server-rows.ts'

// Not part of the first load: the rows do not wait for these.
const loadBulkBar = async () => (await import('./bulk/server-bulk-bar.tsx')).ServerBulkBar
const ServerBulkBar = lazyView(loadBulkBar)
const loadPhoneList = async () => (await import('./phone-list.tsx')).PhoneList
const PhoneList = lazyView(loadPhoneList)
const preload = () => Promise.all([loadBulkBar(), serverRowMenu.load()])
const preloadOnPhone = () => Promise.all([loadPhoneList(), preload()])
const ListFooter = lazyView(async () => (await import('./list-footer.tsx')).ListFooter)
const FirstSteps = lazyView(async () => (await import('./first-steps.tsx')).FirstSteps)
const FailedClones = lazyView(async () => (await import('../../features/clone/failed-clones.tsx')).FailedClones)
const ReleaseNotice = lazyView(async () => (await import('./release-notice.tsx')).ReleaseNotice)
const ScrollingRows = lazyView(async () => (await import('./scrolling-rows.tsx')).ScrollingRows)
const TagsDialog = lazyOverlay(async () => (await import('./tags/tags-dialog.tsx')).TagsDialog)

/** The list of servers with their status, usage and power actions. */
export function ServersScreen() {
  const t = useT()
  const isPhone = useIsPhone()
  const filter = useListFilter()
  const query = filter.query.trim()
  const isScrolling = filter.size === 'all'
  const [range, setRange] = useState<RowRange>({ start: 0, end: 50 })
  const list = useServerRows(filter, range)
  const loaded = list.rows.filter((server) => server !== undefined)
  const measured = loaded.flatMap(({ id }) => (list.usage.get(id)?.stats ? [id] : []))
  // One request for each server: too many while a long list scrolls.
  const cpuHistory = useCpuHistory(isScrolling ? noServers : measured)
  const can = useCanOnListed()
  const pageSelection = useSelection(
    loaded,
    ({ id }) => id,
    [query, filter.status, filter.node, ...filter.tags].join(' '),
  )
  const matches = useAction(async (use: (all: readonly ListedServer[]) => void) => use(await list.fetchAllMatches()))
  const selection = isScrolling ? selectInScrollingList(pageSelection, list.matchCount, matches.mutate) : pageSelection
  const [editedTags, setEditedTags] = useState<ListedServer>()
  const confirmPower = useConfirmPower()
  const runAction = async (server: ListedServer, action: PowerAction) => {
    const { status } = list.usage.get(server.id) ?? {}
    if (await confirmPower(server, action, status)) await list.power.run(server, action)
  }
  const canCreate = useCan('servers.create')
  const isAdmin = useCan('servers.admin')
  const filterInput = useRef<HTMLInputElement>(null)
  const card = useRef<HTMLDivElement>(null)
  const [isFilterExpanded, setFilterExpanded] = useState(filter.query !== '')
  const [isSelectMode, setSelectMode] = useState(false)
  const navigate = useNavigate()
  const isEmpty = !list.isLoading && !list.error && list.total === 0
  const knownTags = list.tags.map(({ name }) => name)
  usePreload(isPhone ? preloadOnPhone : preload)

  useHotkeys([
    {
      keys: '/',
      label: t('servers.FilterAction'),
      group: t('servers.List'),
      enabled: !isEmpty,
      run: () => {
        setFilterExpanded(true)
        window.setTimeout(() => filterInput.current?.focus())
      },
    },
    {
      id: 'add-server',
      label: t('servers.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: canCreate,
      run: () => void navigate('/addserver'),
    },
  ])

  const actions = useListActions({
    run: (server, action) => void runAction(server, action),
    editTags: setEditedTags,
    toggle: selection.toggle,
    toggleAll: selection.toggleAll,
    sort: ({ sort, order }) => filter.change({ sort, order }),
    togglePinned: usePinnedServers().toggle,
  })
  const listProps = {
    rows: list.rows,
    usage: list.usage,
    cpuHistory,
    power: list.power,
    can,
    actions,
  }
  const renderRows = (rendered?: RenderedRows) =>
    isPhone ? (
      <Suspense fallback={<TableSkeleton />}>
        <PhoneList {...listProps} rendered={rendered} selection={isSelectMode ? selection : undefined} />
      </Suspense>
    ) : (
      <ServerTable
        {...listProps}
        rendered={rendered}
        selection={selection}
        selectAllLabel={t(isScrolling ? 'servers.SelectEvery' : 'servers.SelectAll')}
        hasTags={list.tags.length > 0}
        sorting={filter}
      />
    )
  // On a phone it is there from the start: the first selected row does not move the others.
  const bulkBar = (
    <Suspense fallback={null}>
      <ServerBulkBar
        selection={selection}
        matchCount={list.matchCount}
        fetchAllMatches={list.fetchAllMatches}
        {...{ power: list.power, usage: list.usage, can, knownTags }}
      />
    </Suspense>
  )
  return (
    <Page flush>
      <PageHeader
        title={t('shell.Servers')}
        actions={
          <>
            {!isEmpty && !list.error && list.updatedAt > 0 && <LastUpdated time={list.updatedAt} />}
            {/* The empty state has a button of its own; one that disappears when the list is loaded would lose the focus. */}
            {canCreate && !list.isLoading && !isEmpty && <AddServerButton />}
          </>
        }
        phoneActions={
          <>
            <ActionIcon
              size={44}
              aria-label={t('servers.FilterAction')}
              aria-expanded={isFilterExpanded}
              onClick={() => setFilterExpanded((before) => !before)}
            >
              <IconSearch size={22} aria-hidden />
            </ActionIcon>
            <ActionIcon
              size={44}
              aria-label={t('servers.SelectMode')}
              aria-pressed={isSelectMode}
              onClick={() => {
                if (isSelectMode) selection.clear()
                setSelectMode(!isSelectMode)
              }}
            >
              <IconListCheck size={22} aria-hidden />
            </ActionIcon>
            {canCreate && (
              <ActionIcon
                size={44}
                variant="filled"
                color="primary"
                component={Link}
                to="/addserver"
                aria-label={t('servers.Add')}
              >
                <IconPlus size={22} aria-hidden />
              </ActionIcon>
            )}
          </>
        }
      />
      {isAdmin && (
        <Suspense fallback={null}>
          <ReleaseNotice />
        </Suspense>
      )}
      {canCreate && (
        <Suspense fallback={null}>
          <FailedClones />
        </Suspense>
      )}
      {!isEmpty && !list.error && (
        <FilterBar
          filter={filter}
          list={list}
          isExpanded={isFilterExpanded}
          inputRef={filterInput}
          onEnterList={() => card.current?.querySelector<HTMLElement>('a[data-row]')?.focus()}
        />
      )}
      {isPhone && isSelectMode && bulkBar}
      <UsageContext value={list.usage}>
        <Paper ref={card} className={classes.card}>
          {!isPhone && selection.selected.length > 0 && bulkBar}
          <QueryState<unknown>
            query={list.source}
            errorTitle={t('common.ServersNotLoaded')}
            skeleton={<TableSkeleton />}
            isEmpty={() => isEmpty}
            empty={<NoServers />}
          >
            {() =>
              list.rows.length === 0 ? (
                <EmptyState
                  icon={IconSearch}
                  title={query === '' ? t('servers.NothingInFilter') : t('common.NothingMatches', { query })}
                  actions={
                    filter.isFiltered && (
                      <Button variant="default" onClick={() => filter.change(noFilter)}>
                        {t('common.ClearFilter')}
                      </Button>
                    )
                  }
                />
              ) : isScrolling ? (
                <Suspense fallback={<TableSkeleton />}>
                  <ScrollingRows count={list.rows.length} rowHeight={isPhone ? 4.75 : 3.25} onRangeChange={setRange}>
                    {renderRows}
                  </ScrollingRows>
                </Suspense>
              ) : (
                renderRows()
              )
            }
          </QueryState>
          {list.matchCount > 0 && (
            <Suspense fallback={null}>
              <ListFooter page={list.page} matchCount={list.matchCount} filter={filter} />
            </Suspense>
          )}
        </Paper>
      </UsageContext>
      {isAdmin && (
        <Suspense fallback={null}>
          <FirstSteps />
        </Suspense>
      )}
      {editedTags && (
        <TagsDialog
          key={editedTags.id}
          server={editedTags}
          knownTags={knownTags}
          onClose={() => setEditedTags(undefined)}
        />
      )}
    </Page>
  )
}

const noServers: readonly string[] = []

/** In a list that scrolls, "all" and ranges include the rows that are not loaded. */
function selectInScrollingList(
  selection: Selection<ListedServer>,
  matchCount: number,
  loadMatches: (use: (all: readonly ListedServer[]) => void) => Promise<unknown>,
): Selection<ListedServer> {
  const isAll = matchCount > 0 && selection.selected.length >= matchCount
  return {
    ...selection,
    isAll,
    toggleAll: () => {
      if (isAll) selection.clear()
      else void loadMatches(selection.select)
    },
    toggle: (id, isRange = false) => {
      if (!isRange) selection.toggle(id)
      else void loadMatches((all) => selection.toggle(id, true, all))
    },
  }
}

function AddServerButton() {
  const t = useT()
  return (
    <Button component={Link} to="/addserver" leftSection={<IconPlus size={17} aria-hidden />}>
      {t('servers.Add')}
    </Button>
  )
}

function NoServers() {
  const t = useT()
  const canCreate = useCan('servers.create')
  return (
    <EmptyState
      icon={Logo}
      title={t(canCreate ? 'servers.EmptyTitle' : 'servers.EmptyUserTitle')}
      actions={canCreate && <AddServerButton />}
    >
      {t(canCreate ? 'servers.Empty' : 'servers.EmptyUser')}
    </EmptyState>
  )
}
