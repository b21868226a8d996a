import { useFormatters } from '../i18n/i18n.tsx'
import { InfoTooltip } from './info-tooltip.tsx'
import { useNow } from './use-now.ts'

/** A time: relative below a day, absolute otherwise, with the exact time in a tooltip. `time` is an ISO date. */
export function RelativeTime({ time }: { time: string }) {
  const { relative, dateTime } = useFormatters()
  const timestamp = Date.parse(time)
  const now = useNow(timestamp)
  return (
    <InfoTooltip label={dateTime(timestamp)}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard */}
      <time dateTime={time} tabIndex={0}>
        {relative(timestamp, now)}
      </time>
    </InfoTooltip>
  )
}
