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
  return <span>{t('servers.Updated', { ago: relative(time, Math.max(now, time)) })}</span>
}
