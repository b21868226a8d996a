import type { Database, MailRow } from '../database/schema.ts'
import { acquireRows, recordResult } from '../queue/leases.ts'

/** How long a mail belongs to one panel that sends it. */
export const mailLeaseMs = 120_000
const mailsPerBatch = 5
const mailRetentionMs = 7 * 24 * 60 * 60 * 1000

interface Deps {
  readonly db: Database
  readonly now: () => number
  /** Aborted when the worker closes. */
  readonly signal: AbortSignal
}

const purgeEveryMs = 60 * 60 * 1000

/**
 * Leases of queued mails. A worker acquires a mail by updating its row, for the time of a lease: mails of a crashed
 * panel are sent by another one.
 */
export class MailLeases {
  readonly #deps: Deps
  #purgedAt = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Acquires some of the mails that are due. */
  async acquire(): Promise<MailRow[]> {
    const { db, now } = this.#deps
    const at = now()
    const dueMails = await db
      .selectFrom('mails')
      .selectAll()
      .where('state', 'in', ['waiting', 'sending'])
      .where('next_at', '<=', at)
      .orderBy('next_at')
      .limit(mailsPerBatch)
      .execute()
    return await acquireRows(dueMails, {
      at,
      leaseMs: mailLeaseMs,
      write: async (mail, lease) => {
        const { numUpdatedRows } = await db
          .updateTable('mails')
          .set(lease)
          .where('id', '=', mail.id)
          .where('state', '=', mail.state)
          .where('lease', '=', mail.lease)
          .where('next_at', '=', mail.next_at)
          .executeTakeFirst()
        return numUpdatedRows > 0n
      },
    })
  }

  /** Updates a mail that this worker has leased, see `recordResult`. */
  async update({ id, lease, next_at }: MailRow, changed: Partial<MailRow>): Promise<void> {
    const { db, now, signal } = this.#deps
    await recordResult(
      () => db.updateTable('mails').set(changed).where('id', '=', id).where('lease', '=', lease).execute(),
      { until: next_at, now, signal },
    )
  }

  /** Releases a mail that was not sent because of the worker itself. */
  async release(mail: MailRow): Promise<void> {
    await this.update(mail, { state: 'waiting', tries: mail.tries - 1, next_at: this.#deps.now(), lease: '' })
  }

  /** Deletes old mails, at most once an hour. */
  async purge(): Promise<void> {
    const { db, now } = this.#deps
    const at = now()
    if (at - this.#purgedAt < purgeEveryMs) return
    this.#purgedAt = at
    await db
      .deleteFrom('mails')
      .where('state', 'in', ['sent', 'failed'])
      .where('created_at', '<', at - mailRetentionMs)
      .execute()
  }
}
