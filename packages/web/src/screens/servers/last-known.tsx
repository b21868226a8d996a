import type { ServerUsage } from '../../features/servers/use-server-usage.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { statusLabel } from '../../ui/feedback/status.tsx'
import { useNow } from '../../ui/hooks/use-now.ts'

/** The latest report of a node that is unreachable now, as text. */
export function LastKnown({ state, seenAt }: NonNullable<ServerUsage['lastKnown']>) {
  const t = useT()
  const { relative } = useFormatters()
  const timestamp = Date.parse(seenAt)
  const now = useNow(timestamp)
  return t('servers.LastKnown', { state: statusLabel(t, state), ago: relative(timestamp, now) })
}
