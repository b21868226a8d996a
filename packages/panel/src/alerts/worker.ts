import { alertRetryDelaysMs, alertTimeoutMs } from '@innkeeper/contract/alert-delivery/deliver'
import type { DeliveryResult } from '@innkeeper/contract/delivery-error'
import { limits } from '@innkeeper/contract/limits'
import { PeriodicJob } from '@innkeeper/contract/periodic-job'
import type { Logger } from 'pino'
import { isDatabaseError } from '../database/errors.ts'
import type { AlertDeliveryRow, Database } from '../database/schema.ts'
import { sendBatches } from '../queue/leases.ts'
import { pausedAnswer, withOwners } from './channel-owners.ts'
import { type AlertQueue, messageOf } from './queue.ts'
import type { AlertSender } from './sender.ts'

interface Deps {
  readonly db: Database
  readonly queue: AlertQueue
  readonly sender: AlertSender
  readonly log: Logger
  readonly now: () => number
}

/** Checks conditions and sends the deliveries that are due, one worker per panel. */
export class AlertWorker {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  readonly #polling = new PeriodicJob({
    everyMs: limits.alertEveryMs,
    run: () => this.#poll(),
    onError: (error) => this.#reportError(error),
  })
  #check = async (): Promise<void> => {}

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Starts polling; `check` looks for new conditions and for those that have ended. */
  start(check: () => Promise<void>): void {
    this.#check = check
    this.#polling.start()
  }

  /** Sends soon, because a delivery was queued. */
  wake(): void {
    this.#polling.wake()
  }

  /** Sends all deliveries that are due. */
  async sendDue(): Promise<void> {
    await sendBatches(
      () => this.#deps.queue.acquire(),
      (row) => this.#deliver(row),
      this.#closing.signal,
    )
  }

  /** Aborts deliveries; they stay in the queue. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#polling.close()
  }

  async #poll(): Promise<void> {
    // Each on its own: a condition that cannot be checked must not hold up alerts that are due.
    for (const step of [this.#check, () => this.sendDue(), () => this.#deps.queue.purge()]) {
      try {
        await step()
      } catch (error) {
        this.#reportError(error)
      }
    }
  }

  #reportError(error: unknown): void {
    // Database outages are logged elsewhere; the alerts are sent later.
    const level = isDatabaseError(error) ? 'debug' : 'error'
    this.#deps.log[level]({ err: error }, 'processing the alerts failed')
  }

  async #deliver(row: AlertDeliveryRow): Promise<void> {
    const { queue, log, now } = this.#deps
    const result = await this.#send(row)
    // An attempt that ended because of this worker or the database does not count.
    if (!result || (!result.delivered && this.#closing.signal.aborted)) {
      const released = { state: 'waiting', tries: row.tries - 1, next_at: now(), lease: '' }
      return queue.update(row, released, this.#closing.signal)
    }
    const { delivered, answer, isFinal } = result
    const pause = alertRetryDelaysMs[row.tries - 1]
    const isOver = delivered || isFinal || pause === undefined
    const fields = { delivery: row.id, channel: row.channel_id, type: row.type, tries: row.tries, answer }
    if (delivered) log.info(fields, 'an alert was sent')
    else log.warn(fields, isOver ? 'an alert failed permanently' : 'an alert was not accepted; it will be retried')
    const changed = {
      state: delivered ? 'sent' : isOver ? 'failed' : 'waiting',
      next_at: now() + (pause ?? 0),
      ended_at: isOver ? now() : null,
      lease: '',
      answer,
    }
    await queue.update(row, changed, this.#closing.signal)
  }

  /** Returns undefined when the database is unavailable. */
  async #send(row: AlertDeliveryRow): Promise<DeliveryResult | undefined> {
    const { db, sender, log } = this.#deps
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(alertTimeoutMs)])
    try {
      const channel = await db
        .selectFrom('alert_channels')
        .selectAll()
        .where('id', '=', row.channel_id)
        .executeTakeFirst()
      if (channel?.is_enabled !== 1) return { delivered: false, answer: 'The channel is disabled.', isFinal: true }
      const [owned] = await withOwners(db, [channel])
      if (owned?.paused) return { delivered: false, answer: pausedAnswer, isFinal: true }
      return await sender.send(channel, messageOf(row), signal)
    } catch (error) {
      if (isDatabaseError(error)) return undefined
      log.error({ err: error, delivery: row.id }, 'an alert could not be rendered')
      return { delivered: false, answer: 'The alert could not be rendered.', isFinal: false }
    }
  }
}
