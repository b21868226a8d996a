import type { DeliveryResult } from '@innkeeper/contract/alerts/delivery-error'
import type { MailKind } from '@innkeeper/contract/alerts/mail'
import type { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Database, MailRow } from '../database/schema.ts'
import { deliveryWorker } from '../queue/delivery-worker.ts'
import type { SendMail } from './mailer.ts'
import { isLinked, type MessageData } from './messages.ts'
import { sendTimeoutMs } from './smtp.ts'

/** Delays before further attempts; after the last one the mail has failed. */
export const retryDelaysMs = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000] as const
/** How long a mail belongs to one panel that sends it. */
export const mailLeaseMs = 120_000
const mailsPerBatch = 5

interface Deps {
  readonly db: Database
  readonly post: SendMail
  /** Called when a mail was sent, or has failed permanently. */
  readonly onEnd?: (mail: MailRow, result: DeliveryResult) => Promise<void>
  readonly log: Logger
  readonly now: () => number
}

/** Sends the mails of the queue. */
export function mailWorker({ db, post, onEnd, log, now }: Deps): PeriodicJob {
  return deliveryWorker<MailRow>({
    db,
    table: 'mails',
    noun: 'a mail',
    everyMs: limits.mailEveryMs,
    leaseMs: mailLeaseMs,
    timeoutMs: sendTimeoutMs,
    retryDelaysMs,
    readDue: (at) => dueMails(db, at),
    async send({ id, kind, recipient: to, language, facts: stored }, signal) {
      const facts = parseFacts(stored)
      return facts ? await post({ id, kind: kind as MailKind, to, language, facts }, signal) : damaged
    },
    resultColumns: ({ kind }, { delivered, answer, isOver }) => ({
      last_error: delivered ? '' : answer,
      // Links grant access, so they are deleted as soon as the mail was sent.
      ...((delivered || (isOver && isLinked(kind))) && { facts: '{}' }),
    }),
    logFields: ({ id, kind }) => ({ mail: id, kind }),
    onEnd,
    purge: (before) => purgeMails(db, before),
    log,
    now,
  })
}

async function dueMails(db: Database, at: number): Promise<MailRow[]> {
  return await db
    .selectFrom('mails')
    .selectAll()
    .where('state', 'in', ['waiting', 'sending'])
    .where('next_at', '<=', at)
    .orderBy('next_at')
    .limit(mailsPerBatch)
    .execute()
}

async function purgeMails(db: Database, before: number): Promise<void> {
  await db.deleteFrom('mails').where('state', 'in', ['sent', 'failed']).where('created_at', '<', before).execute()
}

const damaged: DeliveryResult = { delivered: false, answer: 'Its data is damaged.', isFinal: true }
const StoredFacts = z.record(z.string(), z.string())

/** Parses the data of a row; `undefined` when it is damaged. */
function parseFacts(text: string): MessageData | undefined {
  try {
    return StoredFacts.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
