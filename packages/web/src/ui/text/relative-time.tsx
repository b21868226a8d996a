import { useFormatters } from '../../i18n/use-formatters.ts'
import { useNow } from '../hooks/use-now.ts'

/** A time: relative below an hour, with the time of day below a day, absolute otherwise. `time` is an ISO date. */
export function RelativeTime({ time }: { time: string }) {
  const { relativeWithTime } = useFormatters()
  const timestamp = Date.parse(time)
  return <time dateTime={time}>{relativeWithTime(timestamp, useNow(timestamp))}</time>
}
