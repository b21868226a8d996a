import { Email } from '@innkeeper/contract/text/names'
import { countRows } from '../database/rows.ts'
import type { Database } from '../database/schema.ts'
import { noAddress } from './mailer.ts'
import type { Recipient } from './recipient-language.ts'

/** Mails to one recipient within the window. */
export const maxMailsPerRecipient = 20
/** Mails on behalf of one user within the window. */
export const maxMailsPerSender = 100
const mailWindowMs = 60 * 60 * 1000

/** Error of a mail over the rate limit; an administrator may retry it. */
export const rateLimitMessage = 'Not sent: the limit of mails per hour was exceeded.'

/** Limits mails per recipient and per sender, from the rows of the queue. */
export function mailRateLimit(now: () => number) {
  /** Number of mails in the last hour that were sent or rejected by the rate limit. */
  async function recent(
    on: Database,
    column: 'recipient_key' | 'sender_id',
    value: string | number,
    rateLimitedCount = false,
  ): Promise<number> {
    return await countRows(
      on
        .selectFrom('mails')
        .where(column, '=', value)
        .where('created_at', '>', now() - mailWindowMs)
        .where('last_error', rateLimitedCount ? '=' : '!=', rateLimitMessage),
    )
  }

  return {
    /** Returns why a mail cannot be sent at all. */
    async reasonNotToSend(on: Database, { to, by }: Recipient, key: string): Promise<string | undefined> {
      if (!Email.safeParse(to).success) return noAddress
      const exceedsRateLimit =
        (await recent(on, 'recipient_key', key)) >= maxMailsPerRecipient ||
        (by !== undefined && (await recent(on, 'sender_id', by)) >= maxMailsPerSender)
      return exceedsRateLimit ? rateLimitMessage : undefined
    },

    /** Whether the queue already shows enough mails over the limit. */
    async isOverflowing(on: Database, key: string, by: number | undefined): Promise<boolean> {
      const count =
        by === undefined ? await recent(on, 'recipient_key', key, true) : await recent(on, 'sender_id', by, true)
      return count >= maxMailsPerSender
    },
  }
}
