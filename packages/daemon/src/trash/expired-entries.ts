/** Limits of the trash of one server. */
export interface TrashLimits {
  /** How long entries are kept; 0 disables the trash. */
  readonly days: number
  readonly maxBytes: number
}

interface Kept {
  readonly discardedAt: string
  readonly bytes?: number | undefined
}

export const maxEntries = 1_000
/** The size limit does not apply to newer entries: a large folder that was deleted by mistake can be restored. */
export const minKeptMs = 10 * 60 * 1000
export const dayMs = 24 * 60 * 60 * 1000

interface Now {
  readonly now: number
  /** How many bytes the disk needs: the oldest entries are removed, however new they are. */
  readonly missingBytes: number
}

/** Returns the entries to remove, oldest first: too old, or too many, or too large together. */
export function expiredEntries<E extends Kept>(
  entries: readonly E[],
  { days, maxBytes }: TrashLimits,
  { now, missingBytes }: Now,
): E[] {
  const oldestFirst = entries.toSorted((one, other) => one.discardedAt.localeCompare(other.discardedAt))
  let bytes = oldestFirst.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0)
  let count = oldestFirst.length
  let missing = missingBytes
  return oldestFirst.filter((entry) => {
    const ageMs = now - Date.parse(entry.discardedAt)
    const isTooLarge = bytes > maxBytes && ageMs > minKeptMs
    if (ageMs <= days * dayMs && count <= maxEntries && !isTooLarge && missing <= 0) return false
    bytes -= entry.bytes ?? 0
    missing -= entry.bytes ?? 0
    count--
    return true
  })
}

/** Space that stays free on the disk of the servers: entries are removed for it. */
const minFreeShare = 0.05
const minFreeBytes = 5 * 1024 ** 3

/** Returns how many bytes of a disk are missing. */
export function missingBytes({ total, free }: { readonly total: number; readonly free: number }): number {
  return Math.max(0, Math.min(total * minFreeShare, minFreeBytes) - free)
}
