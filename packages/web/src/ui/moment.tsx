import { useFormats } from '../i18n/text.tsx'

/** When something was: relative under a day, absolute otherwise; the exact time in a tooltip. */
export function Moment({ at }: { at: string }) {
  const { ago, dateTime } = useFormats()
  const time = Date.parse(at)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tooltip must be reachable by keyboard
    <time dateTime={at} data-tip={dateTime(time)} tabIndex={0}>
      {ago(time)}
    </time>
  )
}
