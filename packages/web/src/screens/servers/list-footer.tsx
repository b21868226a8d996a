import { Group, NativeSelect } from '@mantine/core'
import { IconBaselineDensitySmall } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { ShortcutHint } from '../../ui/keyboard/shortcut-hint.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { pageSizes, toPageSize } from './list/list-filter.ts'
import type { ServersScreenState } from './use-servers-screen.tsx'

/** The pages of the list, how long they are, and the height of the rows. */
export function ListFooter({ screen }: { screen: ServersScreenState }) {
  const { page, matchCount } = screen.list
  const { size, change } = screen.filter
  const { rowHeight } = screen
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
      {rowHeight.canBeCompact && (
        <IconButton
          label={t('servers.CompactRows')}
          aria-pressed={rowHeight.isCompact}
          variant={rowHeight.isCompact ? 'light' : 'subtle'}
          onClick={rowHeight.toggle}
        >
          <IconBaselineDensitySmall size={17} aria-hidden />
        </IconButton>
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
