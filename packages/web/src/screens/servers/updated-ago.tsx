import { useEffect, useState } from 'react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'

/** How old the statuses are; counts up while nothing new comes. */
export function UpdatedAgo({ at }: { at: number }) {
  const t = useT()
  const { relative } = useFormatters()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return <span>{t('servers.Updated', { ago: relative(at, Math.max(now, at)) })}</span>
}
