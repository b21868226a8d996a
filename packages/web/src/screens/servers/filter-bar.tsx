import { serverSorts, sortOrders } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { Box, Button, Group, Kbd, NativeSelect, type NativeSelectProps } from '@mantine/core'
import { IconArrowsSort, IconFilter, IconSitemap } from '@tabler/icons-react'
import { Suspense } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import { toOrder, toSort } from './list/list-filter.ts'
import type { ListFilter } from './list/use-list-filter.ts'
import type { ServersScreenState } from './use-servers-screen.tsx'

// Beside the first load: the rows do not wait for them.
const StatusFilter = lazyView(async () => (await import('./status-filter.tsx')).StatusFilter)
const TagFilter = lazyView(async () => (await import('./tags/tag-filter.tsx')).TagFilter)
const SavedFilters = lazyView(async () => (await import('./saved-filters/saved-filters.tsx')).SavedFilters)

interface FilterBarProps {
  readonly screen: ServersScreenState
  readonly onEnterList: () => void
}

/**
 * The filters above the list, and its sorting where column headers are missing. Unless they are expanded, a phone shows
 * only the status filter, and a tablet the search too.
 */
export function FilterBar({ screen, onEnterList }: FilterBarProps) {
  const { filter, list, isFilterExpanded: isExpanded } = screen
  const t = useT()
  const visibleFrom = isExpanded ? undefined : 'lg'

  return (
    <Group gap="xs" px={{ base: 'md', sm: 0 }} py={{ base: 'sm', sm: 0 }}>
      <SearchInput
        ref={screen.filterInput}
        visibleFrom={isExpanded ? undefined : 'sm'}
        flex={{ base: '1 0 100%', sm: '1 1 11rem' }}
        maw={{ sm: '20rem' }}
        label={t('servers.Filter')}
        rightSection={<Kbd visibleFrom="sm">/</Kbd>}
        maxLength={limits.serverQueryMax}
        onEnterList={onEnterList}
        value={filter.query}
        onChange={(query) => filter.change({ query })}
      />
      <Button
        variant="default"
        visibleFrom="sm"
        hiddenFrom="lg"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isExpanded}
        onClick={() => screen.setFilterExpanded(!isExpanded)}
      >
        {t('activity.Filter')}
      </Button>
      <Suspense fallback={<Box h={{ base: 44, sm: 34 }} w={{ base: '100%', sm: '34rem' }} />}>
        <StatusFilter value={filter.status} counts={list.counts} onChange={(status) => filter.change({ status })} />
      </Suspense>
      {list.nodes.length > 1 && (
        <NativeSelect
          className="ik-soft"
          visibleFrom={visibleFrom}
          w={{ base: '100%', sm: '11rem' }}
          aria-label={t('servers.NodeFilter')}
          leftSection={<IconSitemap size={15} aria-hidden />}
          value={filter.node === undefined ? '' : String(filter.node)}
          data={[
            { value: '', label: t('servers.AllNodes') },
            ...list.nodes.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChange={({ currentTarget: { value } }) => filter.change({ node: value ? Number(value) : undefined })}
        />
      )}
      <Box display="contents" visibleFrom={visibleFrom}>
        <Suspense fallback={null}>
          {(list.tags.length > 0 || filter.tags.length > 0) && (
            <TagFilter tags={list.tags} value={filter.tags} onChange={(tags) => filter.change({ tags })} />
          )}
          <SavedFilters filter={filter} />
        </Suspense>
      </Box>
      <SortField filter={filter} visibleFrom={visibleFrom} />
    </Group>
  )
}

/** Sorts a list that has no column headers, or not all of them: a narrow table leaves out columns. */
function SortField({ filter, ...props }: { filter: ListFilter } & NativeSelectProps) {
  const t = useT()
  return (
    <NativeSelect
      {...props}
      className="ik-soft"
      hiddenFrom="xl"
      w={{ base: '100%', sm: '13rem' }}
      aria-label={t('servers.SortBy')}
      leftSection={<IconArrowsSort size={15} aria-hidden />}
      value={`${filter.sort} ${filter.order}`}
      data={serverSorts.flatMap((sort) =>
        sortOrders.map((order) => ({ value: `${sort} ${order}`, label: t(`servers.Sort_${sort}_${order}`) })),
      )}
      onChange={({ currentTarget: { value } }) => {
        const [sort = '', order = ''] = value.split(' ')
        filter.change({ sort: toSort(sort), order: toOrder(order) })
      }}
    />
  )
}
