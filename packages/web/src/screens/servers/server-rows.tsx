import { Box, Button, Group, Skeleton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { Logo } from '../../ui/layout/logo.tsx'
import { useIsPhone } from '../../ui/layout/page.tsx'
import classes from '../../ui/layout/row-list.module.css'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { noFilter } from './list/filter-params.ts'
import type { RenderedRows } from './list/server-list.ts'
import { ServerTable } from './server-table.tsx'
import { AddServerButton } from './servers-header.tsx'
import type { ServersScreenState } from './use-servers-screen.tsx'

// Not part of the first load.
export const loadPhoneList = async () => (await import('./phone-list.tsx')).PhoneList
const PhoneList = lazyView(loadPhoneList)
const ScrollingRows = lazyView(async () => (await import('./scrolling-rows.tsx')).ScrollingRows)

/** Heights in rem. */
const rowHeights = { phone: 4.75, normal: 3.25, compact: 2.25 } as const

/** The rows of the list, or why there are none. */
export function ServerRows({ screen }: { screen: ServersScreenState }) {
  const t = useT()
  const isPhone = useIsPhone()
  const { list, filter, isScrolling, rowHeight, selection, listProps } = screen
  const renderRows = (rendered?: RenderedRows) =>
    isPhone ? (
      <Suspense fallback={<TableSkeleton />}>
        <PhoneList {...listProps} rendered={rendered} selection={screen.isSelectMode ? selection : undefined} />
      </Suspense>
    ) : (
      <ServerTable
        {...listProps}
        rendered={rendered}
        selection={selection}
        selectAllLabel={t(isScrolling ? 'servers.SelectEvery' : 'servers.SelectAll')}
        hasTags={list.tags.length > 0}
        isCompact={rowHeight.isCompact}
        sorting={filter}
      />
    )
  const height = rowHeights[isPhone ? 'phone' : rowHeight.isCompact ? 'compact' : 'normal']
  return (
    <QueryState<unknown>
      query={list.source}
      errorTitle={t('common.ServersNotLoaded')}
      skeleton={<TableSkeleton />}
      isEmpty={() => screen.isEmpty}
      empty={<NoServers />}
    >
      {() =>
        list.rows.length === 0 ? (
          <NoMatches screen={screen} />
        ) : isScrolling ? (
          <Suspense fallback={<TableSkeleton />}>
            <ScrollingRows key={height} count={list.rows.length} rowHeight={height} onRangeChange={screen.setRange}>
              {renderRows}
            </ScrollingRows>
          </Suspense>
        ) : (
          renderRows()
        )
      }
    </QueryState>
  )
}

function NoMatches({ screen: { filter } }: { screen: ServersScreenState }) {
  const t = useT()
  const query = filter.query.trim()
  return (
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

/** Widths of name and address. */
const rows = [
  [140, 120],
  [110, 150],
  [160, 110],
  [120, 130],
  [100, 140],
  [130, 120],
] as const

function TableSkeleton() {
  const t = useT()
  return (
    <div role="status" aria-label={t('common.Loading')}>
      {rows.map(([name, address]) => (
        <Group key={name} className={classes.row} gap="sm" h="3.25rem" px="md" wrap="nowrap">
          <Skeleton w={12} h={12} circle />
          <Skeleton w={name} h={12} />
          <Skeleton w={address} h={12} />
          <Box flex={1} />
          <Skeleton w={56} h={12} />
        </Group>
      ))}
    </div>
  )
}
