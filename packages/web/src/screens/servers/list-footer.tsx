import { Box, Group, NativeSelect, Pagination, Text } from '@mantine/core'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { ShortcutHint } from '../../ui/shortcut-hint.tsx'
import { pageSizes, toPageSize } from './list-filter.ts'
import type { ListFilter } from './use-list-filter.ts'

interface ListFooterProps {
  readonly page: number
  /** How many servers match the filter, on all pages. */
  readonly matchCount: number
  readonly filter: ListFilter
}

export function ListFooter({ page, matchCount, filter }: ListFooterProps) {
  const t = useT()
  const { number } = useFormatters()
  const { size } = filter
  const rows = size === 'all' ? matchCount : size
  const first = (page - 1) * rows + 1
  const range = {
    from: number(first),
    to: number(Math.min(first + rows - 1, matchCount)),
    total: number(matchCount),
    count: matchCount,
  }
  return (
    <Group gap="sm" px={{ base: 'md', sm: 0 }} pt={{ base: 'sm', sm: 0 }} pb={{ base: 'xl', sm: 0 }}>
      <Text variant="note" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {t('servers.Range', range)}
      </Text>
      <Box flex={1} />
      <Group gap="0.875rem" fz="xs" c="var(--ik-subtle)" visibleFrom="lg" aria-hidden>
        <ShortcutHint text="servers.HintMove" keys="j k" />
        <ShortcutHint text="servers.HintOpen" keys="Enter" />
        <ShortcutHint text="servers.HintSelect" keys="X" />
      </Group>
      <Group gap="sm">
        <nav aria-label={t('common.Pages')} hidden={size === 'all'}>
          <Pagination
            size="md"
            total={Math.ceil(matchCount / rows)}
            value={page}
            gap="2xs"
            getItemProps={(item) => ({
              'aria-label': t('common.Page', { page: number(item) }),
              children: number(item),
            })}
            getControlProps={(control) => ({
              'aria-label': t(control === 'previous' ? 'common.PreviousPage' : 'common.NextPage'),
            })}
            onChange={(next) => filter.change({ page: next })}
          />
        </nav>
        <NativeSelect
          className="ik-soft"
          size="xs"
          w="9rem"
          aria-label={t('servers.PageSize')}
          value={String(size)}
          data={pageSizes.map((option) => ({
            value: String(option),
            label: option === 'all' ? t('servers.AllByScrolling') : t('servers.PerPage', { size: number(option) }),
          }))}
          onChange={(event) => filter.change({ size: toPageSize(event.currentTarget.value) })}
        />
      </Group>
    </Group>
  )
}
