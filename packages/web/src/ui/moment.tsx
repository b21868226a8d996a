import { useFormats } from '../i18n/text.tsx'
import { useNow } from './use-now.ts'

/** When something was: relative under a day, absolute otherwise; the exact time in a tooltip. */
export function Moment({ at }: { at: string }) {
  const { ago, dateTime } = useFormats()
  const time = Date.parse(at)
  const now = useNow(time)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <time dateTime={at} data-tip={dateTime(time)} tabIndex={0}>
      {ago(time, now)}
    </time>
  )
}
