import { limits } from '@innkeeper/contract/limits'
import { useT } from '../../i18n/i18n.tsx'

const dayMs = 24 * 60 * 60 * 1000

/** How far back the activity reaches. */
export function Kept() {
  const t = useT()
  return <span>{t('activity.Kept', { count: limits.activityKeptMs / dayMs })}</span>
}
