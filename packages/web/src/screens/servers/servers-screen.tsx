import { ActionIcon, Button, Paper } from '@mantine/core'
import { IconListCheck, IconPlus, IconSearch } from '@tabler/icons-react'
import { Suspense, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { useCpuHistory } from '../../features/servers/use-cpu-history.ts'
import { useServerPermissions } from '../../features/servers/use-server-permissions.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { lazyView } from '../../ui/lazy-view.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Page, PageHeader, useIsPhone } from '../../ui/page.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useSelection } from '../../ui/use-selection.ts'
import { BulkBar } from './bulk-bar.tsx'
import { FilterBar } from './filter-bar.tsx'
import { PhoneList } from './phone-list.tsx'
import { ServerTable } from './server-table.tsx'
import classes from './servers.module.css'
import { TableSkeleton } from './table-skeleton.tsx'
import { useListFilter } from './use-list-filter.ts'
import { useServerActions } from './use-server-actions.tsx'
import { useServerRows } from './use-server-rows.ts'

// Below the list: the rows do not wait for it.
const ListFooter = lazyView(async () => (await import('./list-footer.tsx')).ListFooter)
const FirstSteps = lazyView(async () => (await import('./first-steps.tsx')).FirstSteps)

/** The list of servers with their status, usage and power actions. */
export function ServersScreen() {
  const t = useT()
  const isPhone = useIsPhone()
  const filter = useListFilter()
  const query = filter.query.trim()
  const list = useServerRows(filter)
  const ids = list.rows.map(({ id }) => id)
  const cpuHistory = useCpuHistory(ids.filter((id) => list.usage.get(id)?.stats))
  const can = useServerPermissions(ids)
  const selection = useSelection(list.rows, ({ id }) => id, [query, filter.status, filter.node].join(' '))
  const actions = useServerActions(list.power, list.usage, can)
  const canCreate = useCan('servers.create')
  const isAdmin = useCan('servers.admin')
  const showSkeleton = useDelayed(list.isLoading)
  const filterInput = useRef<HTMLInputElement>(null)
  const [isFilterExpanded, setFilterExpanded] = useState(filter.query !== '')
  const [isSelectMode, setSelectMode] = useState(false)
  const navigate = useNavigate()
  const isEmpty = !list.isLoading && !list.error && list.total === 0

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
      label: t('servers.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: canCreate,
      run: () => void navigate('/addserver'),
    },
  ])

  const listProps = { servers: list.rows, usage: list.usage, cpuHistory, power: list.power, actions, can }
  return (
    <Page flush>
      <PageHeader
        title={t('servers.Title')}
        // The empty state has a button of its own.
        actions={canCreate && !isEmpty && <AddButton />}
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
      {!isEmpty && !list.error && (
        <FilterBar filter={filter} list={list} isExpanded={isFilterExpanded} inputRef={filterInput} />
      )}
      {selection.selected.length > 0 && (
        <BulkBar
          selection={selection}
          actions={actions}
          matchCount={list.matchCount}
          fetchAllMatches={list.fetchAllMatches}
        />
      )}
      <Paper className={classes.card}>
        {list.error ? (
          <QueryError title={t('servers.LoadFailed')} error={list.error} retry={list.refetch} />
        ) : list.isLoading ? (
          showSkeleton && <TableSkeleton />
        ) : isEmpty ? (
          <NoServers />
        ) : list.rows.length === 0 ? (
          <EmptyState
            icon={<IconSearch size={24} aria-hidden />}
            title={query === '' ? t('servers.NothingInFilter') : t('common.NothingMatches', { query })}
            actions={
              (query !== '' || filter.status !== 'all' || filter.node !== undefined) && (
                <Button variant="default" onClick={() => filter.change({ query: '', status: 'all', node: undefined })}>
                  {t('common.ClearFilter')}
                </Button>
              )
            }
          />
        ) : isPhone ? (
          <PhoneList {...listProps} selection={isSelectMode ? selection : undefined} />
        ) : (
          <ServerTable
            {...listProps}
            selection={selection}
            sorting={filter}
            onSort={({ sort, order }) => filter.change({ sort, order })}
          />
        )}
      </Paper>
      {list.matchCount > 0 && (
        <Suspense fallback={null}>
          <ListFooter page={list.page} matchCount={list.matchCount} filter={filter} />
        </Suspense>
      )}
      {isAdmin && (
        <Suspense fallback={null}>
          <FirstSteps />
        </Suspense>
      )}
    </Page>
  )
}

function AddButton() {
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
      icon={<Logo size={28} />}
      title={t(canCreate ? 'servers.EmptyTitle' : 'servers.EmptyUserTitle')}
      actions={canCreate && <AddButton />}
    >
      {t(canCreate ? 'servers.Empty' : 'servers.EmptyUser')}
    </EmptyState>
  )
}
