import { ActionIcon, Group, NativeSelect, Tooltip } from '@mantine/core'
import { IconBaselineDensitySmall } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { ShortcutHint } from '../../ui/keyboard/shortcut-hint.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { pageSizes, toPageSize } from './list/list-filter.ts'
import type { ListFilter } from './list/use-list-filter.ts'
import type { CompactRows } from './use-compact-rows.ts'

interface ListFooterProps {
  readonly page: number
  /** How many servers match the filter, on all pages. */
  readonly matchCount: number
  readonly filter: ListFilter
  readonly rows: CompactRows
}

export function ListFooter({ page, matchCount, filter: { size, change }, rows }: ListFooterProps) {
  const t = useT()
  const { number } = useFormatters()
  const paging = { page, pageSize: size === 'all' ? matchCount : size, total: matchCount }
  return (
    <Pager paging={paging} onPage={(next) => change({ page: next })}>
      <Group gap="sm" fz="xs" c="var(--ik-subtle)" visibleFrom="lg" aria-hidden>
        <ShortcutHint text="servers.HintMove" keys="j k" />
        <ShortcutHint text="servers.HintOpen" keys="Enter" />
        <ShortcutHint text="servers.HintSelect" keys="X" />
      </Group>
      {rows.canBeCompact && (
        <Tooltip label={t('servers.CompactRows')}>
          <ActionIcon
            aria-label={t('servers.CompactRows')}
            aria-pressed={rows.isCompact}
            variant={rows.isCompact ? 'light' : 'subtle'}
            onClick={rows.toggle}
          >
            <IconBaselineDensitySmall size={17} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
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
        onChange={(event) => change({ size: toPageSize(event.currentTarget.value) })}
      />
    </Pager>
  )
}
