const averageOverMs = 3_000

/** A smoothed speed of a transfer. */
export interface TransferRate {
  /** Bytes. */
  readonly sent: number
  /** When `sent` was reached, epoch milliseconds. */
  readonly timestamp: number
  /** Whether speed can be measured from this sample. */
  readonly isMeasured: boolean
  /** Missing until two samples are known. */
  readonly bytesPerSecond?: number
}

export function startRate(timestamp: number): TransferRate {
  return { sent: 0, timestamp, isMeasured: false }
}

/** The rate while the upload is stalled. Measuring starts again with the next progress. */
export function pauseRate({ sent, timestamp }: TransferRate): TransferRate {
  return { sent, timestamp, isMeasured: false }
}

interface Sample {
  readonly sent: number
  readonly timestamp: number
}

/** Adds a sample. Bytes that a resumed upload starts with, or has to send again, do not count as speed. */
export function updateRate(previous: TransferRate, { sent, timestamp }: Sample): TransferRate {
  if (!previous.isMeasured || sent < previous.sent) return { sent, timestamp, isMeasured: true }
  const elapsed = timestamp - previous.timestamp
  if (elapsed <= 0) return { ...previous, sent }
  const current = ((sent - previous.sent) * 1000) / elapsed
  const weight = previous.bytesPerSecond === undefined ? 1 : 1 - Math.exp(-elapsed / averageOverMs)
  const average = previous.bytesPerSecond ?? 0
  return { sent, timestamp, isMeasured: true, bytesPerSecond: average + weight * (current - average) }
}

/** The remaining time in seconds; `undefined` if unknown. */
export function secondsLeft({ sent, bytesPerSecond = 0 }: TransferRate, size: number): number | undefined {
  return bytesPerSecond < 1 ? undefined : Math.ceil(Math.max(0, size - sent) / bytesPerSecond)
}
