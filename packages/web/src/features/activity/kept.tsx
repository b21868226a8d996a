import { limits } from '@innkeeper/contract/limits'
import { useText } from '../../i18n/text.tsx'

const dayMs = 24 * 60 * 60 * 1000

/** How far back the activity reaches. */
export function Kept() {
  const text = useText()
  return <span>{text('activity.Kept', { count: limits.activityKeptMs / dayMs })}</span>
}
