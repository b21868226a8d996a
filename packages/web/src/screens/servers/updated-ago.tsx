import { useEffect, useState } from 'react'
import { useFormats, useText } from '../../i18n/text.tsx'

/** How old the statuses are; counts up while nothing new comes. */
export function UpdatedAgo({ at }: { at: number }) {
  const text = useText()
  const { ago } = useFormats()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1_000)
    return () => window.clearInterval(timer)
  }, [])
  return <span>{text('servers.Updated', { ago: ago(at, Math.max(now, at)) })}</span>
}
