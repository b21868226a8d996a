import { getDiskUsage } from '@innkeeper/contract/servers/files'
import { limits } from '@innkeeper/contract/text/limits'
import { Box, Button, Group, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { InfoPopover } from '../../ui/feedback/info-popover.tsx'
import { ReadOnlyBadge } from '../../ui/feedback/read-only-badge.tsx'
import { translateReason } from '../../ui/text/reason-text.ts'
import classes from './files.module.css'
import { ItemCounts } from './item-counts.tsx'
import type { FileBrowserState } from './use-file-browser.ts'

/** Above the list while it is filtered: how much a search has found, or the button that starts one. */
export function SearchSummary({ listed: { search, items } }: FileBrowserState) {
  const t = useT()
  if (search.query.trim() === '' || items.length === 0) return null
  return (
    <Box className={classes.section} px="xs" py="2xs" c="dimmed" fz="compact">
      {search.isSearching ? (
        <Box px="xs" py="2xs" role="status">
          {t(search.isComplete ? 'files.Found' : 'files.FoundMore', { count: items.length })}
        </Box>
      ) : (
        <Button size="compact-sm" variant="subtle" onClick={search.search}>
          {t('files.SearchSubfolders')}
        </Button>
      )}
    </Box>
  )
}

export function BrowserFooter({ server, canWrite, listed, actions }: FileBrowserState) {
  const t = useT()
  const { items } = listed.listing
  return (
    <Group
      className={classes.footer}
      flex="none"
      c="var(--ik-subtle)"
      gap="sm"
      justify="space-between"
      mih={36}
      px="md"
      py="2xs"
      fz="xs"
    >
      {items ? <ItemCounts items={items} /> : <span />}
      {!canWrite && <ReadOnlyBadge permission={t('files.ReadOnly')} />}
      <Group gap="sm">
        <DiskUsage server={server.id} />
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconTrash size={15} aria-hidden />}
          onClick={() => actions.openDialog({ type: 'trash' })}
        >
          {t('files.Trash')}
        </Button>
      </Group>
    </Group>
  )
}

/** The size of a server's files and the free space, or why it is unknown. Renders nothing until it has been measured. */
function DiskUsage({ server }: { server: string }) {
  const t = useT()
  const { fileSize, dateTime } = useFormatters()
  const usage = useApiQuery(
    getDiskUsage,
    { params: { id: server } },
    {
      staleTime: limits.diskUsageEveryMs,
      refetchInterval: ({ state }) =>
        state.data && state.data.measuredAt === undefined && state.data.problem === undefined
          ? limits.diskUsageWaitMs
          : false,
    },
  )
  const { bytes = 0, freeBytes = 0, measuredAt, limit, problem } = usage.data ?? {}
  if (problem !== undefined)
    return (
      <Text size="xs" c="dimmed">
        {translateReason(t, problem)}
      </Text>
    )
  if (measuredAt === undefined) return null
  const size = (value: number) => fileSize(value, { decimals: 2 })
  const measured = t('files.MeasuredAt', { time: dateTime(Date.parse(measuredAt)) })
  return (
    <InfoPopover
      text={measured}
      renderButton={(props) => (
        <Button size="compact-xs" variant="subtle" fw={400} {...props}>
          {limit
            ? t('nodes.UsedOf', { used: size(limit.usedBytes), total: size(limit.limitBytes) })
            : t('files.DiskUsage', { used: size(bytes), free: size(freeBytes) })}
        </Button>
      )}
    />
  )
}
