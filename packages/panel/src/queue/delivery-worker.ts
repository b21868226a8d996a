import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { isDatabaseError } from '../database/errors.ts'
import type { AlertDeliveryRow, Database, MailRow } from '../database/schema.ts'
import { LeasedQueue } from './leased-queue.ts'

/** Retry interval for recording a result while the database is unavailable. */
const recordRetryMs = 1_000
const purgeEveryMs = 60 * 60 * 1000
const retentionMs = 7 * 24 * 60 * 60 * 1000

interface Options<Row> {
  readonly db: Database
  readonly table: 'mails' | 'alert_deliveries'
  /** For the log, with its article. */
  readonly noun: string
  readonly everyMs: number
  /** How long a row belongs to one panel. */
  readonly leaseMs: number
  readonly timeoutMs: number
  /** Delays before further attempts; after the last one the delivery has failed. */
  readonly retryDelaysMs: readonly number[]
  /** Reads some of the rows that are due. */
  readonly readDue: (at: number) => Promise<Row[]>
  readonly send: (row: Row, signal: AbortSignal) => Promise<DeliveryResult>
  /** Columns of the result that only this table has. */
  readonly resultColumns: (row: Row, result: DeliveryResult & { readonly isOver: boolean }) => Partial<Row>
  readonly logFields: (row: Row) => object
  /** Called when a row was sent, or has failed permanently. */
  readonly onEnd?: ((row: Row, result: DeliveryResult) => Promise<void>) | undefined
  /** Deletes rows that have ended and are from before this time. Called once an hour. */
  readonly purge: (before: number) => Promise<void>
  readonly log: Logger
  readonly now: () => number
}

/**
 * Sends the rows of a queue, one worker per panel. Rows of a crashed panel are sent by another one. Closing aborts
 * deliveries; their rows stay in the queue. A row that fails for good stays as `failed`, as in a dead letter queue.
 */
export function deliveryWorker<Row extends MailRow | AlertDeliveryRow>(options: Options<Row>): PeriodicJob {
  const { db, table, noun, everyMs, purge, log, now } = options
  const queue = new LeasedQueue(db, table)
  let purgedAt = 0
  return new PeriodicJob({
    everyMs,
    async run(signal) {
      while (!signal.aborted && (await sendBatch(queue, options, signal)));
      if (now() - purgedAt < purgeEveryMs) return
      purgedAt = now()
      await purge(purgedAt - retentionMs)
    },
    onError(err) {
      // Database outages are logged elsewhere; the rows are sent later.
      const level = isDatabaseError(err) ? 'debug' : 'error'
      log[level]({ err }, `sending ${noun} failed`)
    },
  })
}

/** Returns whether anything was due. The first error is thrown when all rows of the batch have ended. */
async function sendBatch<Row extends MailRow | AlertDeliveryRow>(
  queue: LeasedQueue,
  options: Options<Row>,
  signal: AbortSignal,
): Promise<boolean> {
  const at = options.now()
  const rows = await queue.acquire(await options.readDue(at), ({ tries: attempts }) => ({
    state: 'sending',
    tries: attempts + 1,
    next_at: at + options.leaseMs,
  }))
  const ends = await Promise.allSettled(rows.map((row) => deliver(queue, row, options, signal)))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  return rows.length > 0
}

async function deliver<Row extends MailRow | AlertDeliveryRow>(
  queue: LeasedQueue,
  row: Row,
  options: Options<Row>,
  closing: AbortSignal,
): Promise<void> {
  const { noun, retryDelaysMs, log, now } = options
  const write = (changes: Partial<MailRow | AlertDeliveryRow>) =>
    record(
      () =>
        queue
          .updateLeased(row.id, row.lease)
          .set({ ...changes, lease: '' })
          .execute(),
      {
        until: row.next_at,
        now,
        closing,
      },
    )
  const result = await attempt(row, options, closing)
  // An attempt that ended because of this worker or the database does not count.
  if (!result || (!result.delivered && closing.aborted))
    return await write({ state: 'waiting', tries: row.tries - 1, next_at: now() })
  const { delivered, answer, isFinal } = result
  const [at, pause] = [now(), retryDelaysMs[row.tries - 1]]
  const isOver = delivered || isFinal || pause === undefined
  const fields = { ...options.logFields(row), tries: row.tries, answer }
  if (delivered) log.info(fields, `${noun} was sent`)
  else log.warn(fields, isOver ? `${noun} failed permanently` : `${noun} was not accepted; it will be retried`)
  await write({
    state: delivered ? 'sent' : isOver ? 'failed' : 'waiting',
    next_at: at + (pause ?? 0),
    ended_at: isOver ? at : null,
    ...options.resultColumns(row, { ...result, isOver }),
  })
  if (isOver) await options.onEnd?.(row, result)
}

/** Returns undefined when the database is unavailable. */
async function attempt<Row extends MailRow | AlertDeliveryRow>(
  row: Row,
  { noun, timeoutMs, send, logFields, log }: Options<Row>,
  closing: AbortSignal,
): Promise<DeliveryResult | undefined> {
  try {
    return await send(row, AbortSignal.any([closing, AbortSignal.timeout(timeoutMs)]))
  } catch (error) {
    if (isDatabaseError(error)) return undefined
    log.error({ err: error, ...logFields(row) }, `${noun} could not be rendered`)
    return { delivered: false, answer: 'It could not be rendered.', isFinal: false }
  }
}

interface RecordOptions {
  /** End of the lease. */
  readonly until: number
  readonly now: () => number
  /** Aborted when the worker closes. */
  readonly closing: AbortSignal
}

/** Retries while the database is unavailable and the lease is valid: otherwise another worker would send the row again. */
async function record(write: () => Promise<unknown>, { until, now, closing }: RecordOptions): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!isDatabaseError(error) || now() >= until || closing.aborted) throw error
    }
    // Closing aborts the pause; one last attempt follows.
    await sleep(recordRetryMs, undefined, { signal: closing }).catch(() => {})
  }
}
