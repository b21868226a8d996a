import { limits } from '@innkeeper/contract/limits'

/** How fast bytes go out; levelled out, so that the figure can be read. */
export interface Pace {
  readonly sent: number
  readonly at: number
  /** Whether `sent` was reached at `at`, so that speed can be measured from there. */
  readonly isMeasured: boolean
  /** Bytes; missing as long as nobody knows. */
  readonly perSecond?: number
}

export function beginPace(at: number): Pace {
  return { sent: 0, at, isMeasured: false }
}

/** The pace while nothing gets through: it is measured anew when something does. */
export function restedPace({ sent, at }: Pace): Pace {
  return { sent, at, isMeasured: false }
}

/** The pace when so much was sent at this moment. What was there already, or has to be sent again, is no speed. */
export function paceAfter(before: Pace, { sent, at }: { readonly sent: number; readonly at: number }): Pace {
  if (!before.isMeasured || sent < before.sent) return { sent, at, isMeasured: true }
  const elapsed = at - before.at
  if (elapsed <= 0) return { ...before, sent }
  const now = ((sent - before.sent) * 1000) / elapsed
  const weight = before.perSecond === undefined ? 1 : 1 - Math.exp(-elapsed / limits.uploadPaceMs)
  const known = before.perSecond ?? 0
  return { sent, at, isMeasured: true, perSecond: known + weight * (now - known) }
}

/** Seconds until all is sent; `undefined` as long as nobody can tell. */
export function secondsLeft({ sent, perSecond = 0 }: Pace, size: number): number | undefined {
  return perSecond < 1 ? undefined : Math.ceil(Math.max(0, size - sent) / perSecond)
}
