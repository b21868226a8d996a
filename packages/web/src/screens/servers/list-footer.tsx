import { Group, NativeSelect } from '@mantine/core'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Pager } from '../../ui/pager.tsx'
import { ShortcutHint } from '../../ui/shortcut-hint.tsx'
import { pageSizes, toPageSize } from './list-filter.ts'
import type { ListFilter } from './use-list-filter.ts'

interface ListFooterProps {
  readonly page: number
  /** How many servers match the filter, on all pages. */
  readonly matchCount: number
  readonly filter: ListFilter
}

export function ListFooter({ page, matchCount, filter: { size, change } }: ListFooterProps) {
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
