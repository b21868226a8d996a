import { useFormatters } from '../i18n/i18n.tsx'
import { useNow } from './use-now.ts'

/** When something was: relative under a day, absolute otherwise; the exact time in a tooltip. */
export function RelativeTime({ at: date }: { at: string }) {
  const { relative, dateTime } = useFormatters()
  const time = Date.parse(date)
  const now = useNow(time)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <time dateTime={date} data-tip={dateTime(time)} tabIndex={0}>
      {relative(time, now)}
    </time>
  )
}
