import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDatabaseError } from '../database/errors.ts'

/** Retry interval for recording a result while the database is unavailable. */
const recordRetryMs = 1_000

/** What a worker writes to a row to acquire it. Rows of a crashed panel are acquired by another one when `next_at` is over. */
export interface Lease {
  readonly state: 'sending'
  readonly tries: number
  readonly next_at: number
  readonly lease: string
}

interface AcquireOptions<Row> {
  readonly at: number
  readonly leaseMs: number
  /** Writes the lease, unless another panel has changed the row. Resolves with whether it did. */
  readonly write: (row: Row, lease: Lease) => Promise<boolean>
}

/** Acquires rows of a queue that are due, and returns those that no other panel acquired first. */
export async function acquireRows<Row extends { readonly tries: number }>(
  due: readonly Row[],
  { at, leaseMs, write }: AcquireOptions<Row>,
): Promise<(Row & Lease)[]> {
  const acquired: (Row & Lease)[] = []
  for (const row of due) {
    const lease: Lease = { state: 'sending', tries: row.tries + 1, next_at: at + leaseMs, lease: randomUUID() }
    try {
      if (await write(row, lease)) acquired.push({ ...row, ...lease })
    } catch (error) {
      // Otherwise acquired rows would wait for the end of their lease.
      if (acquired.length === 0 || !isDatabaseError(error)) throw error
      break
    }
  }
  return acquired
}

interface RecordOptions {
  /** End of the lease. */
  readonly until: number
  readonly now: () => number
  /** Aborted when the worker closes. */
  readonly signal: AbortSignal
}

/**
 * Writes the result of a row that this worker has leased. Retries while the database is unavailable and the lease is
 * valid: otherwise another worker would send it again.
 */
export async function recordResult(
  write: () => Promise<unknown>,
  { until, now, signal }: RecordOptions,
): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!isDatabaseError(error) || now() >= until || signal.aborted) throw error
    }
    // Closing aborts the pause; one last attempt follows.
    await sleep(recordRetryMs, undefined, { signal }).catch(() => {})
  }
}

/** Sends batches until nothing is due. The first error is thrown when all rows of its batch have ended. */
export async function sendBatches<Row>(
  acquire: () => Promise<readonly Row[]>,
  send: (row: Row) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const rows = await acquire()
    if (rows.length === 0) return
    const ends = await Promise.allSettled(rows.map(send))
    const failed = ends.find((end) => end.status === 'rejected')
    if (failed) throw failed.reason
  }
}
