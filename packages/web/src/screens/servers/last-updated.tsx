import { Group } from '@mantine/core'
import { IconHeartbeat } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'

/** How old the statuses are, updated every second. `time` is epoch milliseconds. */
export function LastUpdated({ time }: { time: number }) {
  const t = useT()
  const { relative } = useFormatters()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <Group gap="0.375rem" me="xs" fz="xs" c="var(--ik-subtle)" style={{ fontVariantNumeric: 'tabular-nums' }}>
      <IconHeartbeat size={14} aria-hidden />
      <span>{t('servers.Updated', { ago: relative(time, Math.max(now, time)) })}</span>
    </Group>
  )
}
