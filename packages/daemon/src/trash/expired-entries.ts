import type { TrashRecord } from './trash-record.ts'

/** Limits of the trash of one server. */
export interface TrashLimits {
  /** How long entries are kept; 0 disables the trash. */
  readonly days: number
  readonly maxBytes: number
  /** How many former contents of each file are kept. */
  readonly maxVersions: number
}

type Kept = Pick<TrashRecord, 'path' | 'paths' | 'reason' | 'author' | 'discardedAt' | 'bytes'>

export const maxEntries = 1_000
/** The size limit does not apply to newer entries: a large folder that was deleted by mistake can be restored. */
export const minKeptMs = 10 * 60 * 1000
export const dayMs = 24 * 60 * 60 * 1000

interface Now {
  readonly now: number
  /** How many bytes the disk needs: the oldest entries are removed, however new they are. */
  readonly missingBytes: number
}

/** Returns the entries to remove, oldest first: too old, or too many, also of one file, or too large together. */
export function expiredEntries<E extends Kept>(
  entries: readonly E[],
  { days, maxBytes, maxVersions }: TrashLimits,
  { now, missingBytes }: Now,
): E[] {
  const oldestFirst = entries.toSorted((a, b) => a.discardedAt.localeCompare(b.discardedAt))
  let bytes = oldestFirst.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0)
  let count = oldestFirst.length
  let missing = missingBytes
  const outdated = outdatedVersions(oldestFirst, maxVersions)
  return oldestFirst.filter((entry) => {
    const ageMs = now - Date.parse(entry.discardedAt)
    const isTooLarge = bytes > maxBytes && ageMs > minKeptMs
    const isBeyond = ageMs > days * dayMs || count > maxEntries || isTooLarge || missing > 0
    if (!isBeyond && !outdated.has(entry)) return false
    bytes -= entry.bytes ?? 0
    missing -= entry.bytes ?? 0
    count--
    return true
  })
}

/**
 * The entries with a former content of a file that has `maxVersions` newer ones. What tasks replace counts for itself: a
 * task that runs every minute must not displace what users saved.
 */
function outdatedVersions<E extends Kept>(oldestFirst: readonly E[], maxVersions: number): Set<E> {
  const versions = oldestFirst.filter(({ reason, paths }) => reason === 'overwritten' && paths === 1)
  const groups = Map.groupBy(versions, ({ path, author }) => (author === undefined ? `task ${path}` : `user ${path}`))
  return new Set([...groups.values()].flatMap((group) => group.slice(0, -maxVersions)))
}

/** Space that stays free on the disk of the servers: entries are removed for it. */
const minFreeShare = 0.05
const minFreeBytes = 5 * 1024 ** 3

/** Returns how many bytes of a disk are missing. */
export function missingBytes({ total, free }: { readonly total: number; readonly free: number }): number {
  return Math.max(0, Math.min(total * minFreeShare, minFreeBytes) - free)
}
