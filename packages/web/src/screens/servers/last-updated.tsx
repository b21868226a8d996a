import { Group } from '@mantine/core'
import { IconHeartbeat } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useNow } from '../../ui/hooks/use-now.ts'

/** How old the statuses are, updated every second. `time` is epoch milliseconds. */
export function LastUpdated({ time }: { time: number }) {
  const t = useT()
  const { relative } = useFormatters()
  const now = useNow(time, 1_000)
  return (
    <Group gap="xs" me="xs" fz="xs" c="var(--ik-subtle)" style={{ fontVariantNumeric: 'tabular-nums' }}>
      <IconHeartbeat size={14} aria-hidden />
      <span>{t('servers.Updated', { ago: relative(time, now) })}</span>
    </Group>
  )
}
