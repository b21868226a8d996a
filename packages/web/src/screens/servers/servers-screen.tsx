import { type ServerSort, serverSorts, sortOrders } from '@innkeeper/contract/servers'
import { Button, Kbd, NativeSelect, Paper, TextInput } from '@mantine/core'
import { IconArrowsSort, IconHeartbeat, IconListCheck, IconPlus, IconSearch, IconSitemap } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { usePastCpu } from '../../features/servers/past-cpu.ts'
import { useRights } from '../../features/servers/rights.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { Logo } from '../../ui/logo.tsx'
import { Page, PageHeader, useIsPhone } from '../../ui/page.tsx'
import { Shortcut } from '../../ui/shortcut.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { BulkBar } from './bulk-bar.tsx'
import { Pages } from './pages.tsx'
import { PhoneList } from './phone-list.tsx'
import { orderOf, sortOf } from './rows.ts'
import { ServerTable } from './server-table.tsx'
import classes from './servers-screen.module.css'
import { TableSkeleton } from './skeleton.tsx'
import { StatusFilter } from './status-filter.tsx'
import { UpdatedAgo } from './updated-ago.tsx'
import { useActions } from './use-actions.tsx'
import { useFilter } from './use-filter.ts'
import { useRows } from './use-rows.ts'
import { useSelection } from './use-selection.ts'

/** Every server a person may see: what it is doing, and the quickest way to act on it. */
export function ServersScreen() {
  const t = useT()
  const isPhone = useIsPhone()
  const filter = useFilter()
  const list = useRows(filter)
  const pastCpu = usePastCpu(list.rows.map(({ id }) => id).filter((id) => list.usage.of.get(id)?.stats))
  const can = useRights(list.rows.map(({ id }) => id))
  const selection = useSelection(list.rows, [filter.sought.trim(), filter.status, filter.node].join(' '))
  const [isSelecting, setIsSelecting] = useState(false)
  const actions = useActions(list.power, list.usage.of, can)
  const mayCreate = useCan('servers.create')
  const isLate = useDelayed(list.isLoading)
  const filterInput = useRef<HTMLInputElement>(null)
  const [isSearching, setIsSearching] = useState(filter.sought !== '')
  const goTo = useNavigate()
  const isFiltered = filter.sought.trim() !== '' || filter.status !== 'all' || filter.node !== undefined
  const isEmpty = !list.isLoading && !list.error && list.total === 0
  const clear = () => filter.change({ sought: '', status: 'all', node: undefined })

  useHotkeys([
    {
      keys: '/',
      label: t('servers.FilterAction'),
      group: t('servers.List'),
      enabled: !isEmpty,
      run: () => {
        setIsSearching(true)
        window.setTimeout(() => filterInput.current?.focus())
      },
    },
    {
      label: t('servers.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconPlus size={18} aria-hidden />,
      enabled: mayCreate,
      run: () => void goTo('/addserver'),
    },
  ])

  const filterField = (
    <TextInput
      ref={filterInput}
      className={`ik-soft ${classes.filter}`}
      type="search"
      aria-label={t('servers.Filter')}
      placeholder={t('servers.Filter')}
      leftSection={<IconSearch size={15} aria-hidden />}
      rightSection={isPhone ? undefined : <Kbd>/</Kbd>}
      value={filter.sought}
      onChange={(event) => filter.change({ sought: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === 'Escape') filter.change({ sought: '' })
      }}
    />
  )

  return (
    <Page flush>
      <PageHeader
        title={t('servers.Title')}
        actions={
          mayCreate && (
            <Button component={Link} to="/addserver" leftSection={<IconPlus size={17} aria-hidden />}>
              {t('servers.Add')}
            </Button>
          )
        }
        phoneActions={
          <>
            <button
              type="button"
              className={classes.phoneButton}
              aria-label={t('servers.FilterAction')}
              aria-expanded={isSearching}
              onClick={() => setIsSearching((before) => !before)}
            >
              <IconSearch size={22} aria-hidden />
            </button>
            <button
              type="button"
              className={classes.phoneButton}
              aria-label={t('servers.SelectMode')}
              aria-pressed={isSelecting}
              onClick={() => {
                if (isSelecting) selection.clear()
                setIsSelecting(!isSelecting)
              }}
            >
              <IconListCheck size={22} aria-hidden />
            </button>
            {mayCreate && (
              <Link to="/addserver" className={classes.phoneAdd} aria-label={t('servers.Add')}>
                <IconPlus size={22} aria-hidden />
              </Link>
            )}
          </>
        }
      />
      {!isEmpty && !list.error && (
        <div className={classes.filters}>
          {(!isPhone || isSearching) && filterField}
          <StatusFilter chosen={filter.status} counts={list.counts} onChoose={(status) => filter.change({ status })} />
          {list.nodes.length > 1 && (!isPhone || isSearching) && (
            <NativeSelect
              className={`ik-soft ${classes.nodes}`}
              aria-label={t('servers.NodeFilter')}
              leftSection={<IconSitemap size={15} aria-hidden />}
              value={filter.node === undefined ? '' : String(filter.node)}
              data={[
                { value: '', label: t('servers.AllNodes') },
                ...list.nodes.map(([id, name]) => ({ value: String(id), label: name })),
              ]}
              onChange={({ currentTarget: { value } }) => filter.change({ node: value ? Number(value) : undefined })}
            />
          )}
          {isPhone && isSearching && <SortField filter={filter} />}
          <span className={classes.space} />
          {!isPhone && list.usage.at > 0 && (
            <span className={classes.updated}>
              <IconHeartbeat size={14} aria-hidden />
              <UpdatedAgo at={list.usage.at} />
            </span>
          )}
        </div>
      )}
      {selection.chosen.length > 0 && (
        <BulkBar
          selection={selection}
          actions={actions}
          others={list.everyMatch && { found: list.found, all: list.everyMatch }}
        />
      )}
      <Paper className={classes.card}>
        {list.error ? (
          <QueryError title={t('servers.LoadFailed')} error={list.error} retry={list.refetch} />
        ) : list.isLoading ? (
          isLate && <TableSkeleton />
        ) : isEmpty ? (
          <NoServers />
        ) : list.rows.length === 0 ? (
          <EmptyState
            icon={<IconSearch size={24} aria-hidden />}
            title={
              filter.sought.trim() === ''
                ? t('servers.NothingInFilter')
                : t('servers.NothingMatches', { sought: filter.sought.trim() })
            }
            actions={
              isFiltered && (
                <Button variant="default" onClick={clear}>
                  {t('servers.ClearFilter')}
                </Button>
              )
            }
          />
        ) : isPhone ? (
          <PhoneList
            rows={list.rows}
            usage={list.usage.of}
            pastCpu={pastCpu}
            power={list.power}
            actions={actions}
            can={can}
            selection={isSelecting ? selection : undefined}
          />
        ) : (
          <ServerTable
            rows={list.rows}
            usage={list.usage.of}
            pastCpu={pastCpu}
            power={list.power}
            actions={actions}
            can={can}
            selection={selection}
            sorting={filter}
            onSort={({ sort, order }) => filter.change({ sort, order })}
          />
        )}
      </Paper>
      {list.found > 0 && <Footer page={list.page} found={list.found} filter={filter} />}
    </Page>
  )
}

/** Column and order of the list, where there are no heads to click on. */
function SortField({ filter }: { filter: ReturnType<typeof useFilter> }) {
  const t = useT()
  return (
    <NativeSelect
      className={`ik-soft ${classes.nodes}`}
      aria-label={t('servers.SortBy')}
      leftSection={<IconArrowsSort size={15} aria-hidden />}
      value={`${filter.sort} ${filter.order}`}
      data={serverSorts.flatMap((sort) =>
        sortOrders.map((order) => ({
          value: `${sort} ${order}`,
          label: t(order === 'asc' ? 'servers.Ascending' : 'servers.Descending', {
            column: t(sortTexts[sort]),
          }),
        })),
      )}
      onChange={({ currentTarget: { value } }) => {
        const [sort = '', order = ''] = value.split(' ')
        filter.change({ sort: sortOf(sort), order: orderOf(order) })
      }}
    />
  )
}

const sortTexts: Readonly<Record<ServerSort, string>> = {
  name: 'servers.Name',
  address: 'servers.Address',
  node: 'servers.Node',
  status: 'servers.Status',
  cpu: 'servers.Cpu',
  memory: 'servers.Memory',
}

function NoServers() {
  const t = useT()
  const mayCreate = useCan('servers.create')
  return (
    <EmptyState
      icon={<Logo size={28} />}
      title={t(mayCreate ? 'servers.EmptyTitle' : 'servers.EmptyUserTitle')}
      actions={
        mayCreate && (
          <Button component={Link} to="/addserver" leftSection={<IconPlus size={17} aria-hidden />}>
            {t('servers.Add')}
          </Button>
        )
      }
    >
      {t(mayCreate ? 'servers.Empty' : 'servers.EmptyUser')}
    </EmptyState>
  )
}

function Footer({ page, found, filter }: { page: number; found: number; filter: ReturnType<typeof useFilter> }) {
  const t = useT()
  const { number } = useFormatters()
  const first = (page - 1) * filter.size + 1
  const range = {
    from: number(first),
    to: number(Math.min(first + filter.size - 1, found)),
    total: number(found),
    count: found,
  }
  return (
    <div className={classes.footer}>
      <span className={classes.range}>{t('servers.Range', range)}</span>
      <span className={classes.space} />
      <span className={classes.hints} aria-hidden>
        <Shortcut keys="j k" /> {t('servers.HintMove')}
        <Shortcut keys="Enter" /> {t('servers.HintOpen')}
        <Shortcut keys="X" /> {t('servers.HintSelect')}
      </span>
      <Pages
        page={page}
        count={Math.ceil(found / filter.size)}
        size={filter.size}
        onPage={(next) => filter.change({ page: next })}
        onSize={(size) => filter.change({ size })}
      />
    </div>
  )
}
