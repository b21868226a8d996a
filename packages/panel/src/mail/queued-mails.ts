import { type MailKind, type MailState, mailStates, type QueuedMail } from '@innkeeper/contract/alerts/mail'
import { getPaging, type PageQuery, type Paging } from '@innkeeper/contract/api/paging'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, MailRow } from '../database/schema.ts'
import { isLinked } from './messages.ts'

interface Deps {
  readonly db: Database
  /** Wakes the worker after a mail was queued again. */
  readonly wake: () => void
  readonly now: () => number
}

type MailQuery = PageQuery & { readonly state?: MailState | undefined }

export type QueuedMails = ReturnType<typeof queuedMails>

/** The mail queue as administrators see it. */
export function queuedMails({ db, wake, now }: Deps) {
  return {
    async list(query: MailQuery): Promise<{ mail: QueuedMail[]; paging: Paging; counts: Record<MailState, number> }> {
      const rows = await db
        .selectFrom('mails')
        .selectAll()
        .$if(query.state !== undefined, (rows) => rows.where('state', '=', query.state ?? ''))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(query.limit)
        .offset((query.page - 1) * query.limit)
        .execute()
      const counted = await db
        .selectFrom('mails')
        .select(({ fn }) => ['state', fn.countAll<number | bigint | string>().as('count')])
        .groupBy('state')
        .execute()
      const found = new Map(counted.map(({ state, count }) => [state, Number(count)]))
      const counts = Object.fromEntries(mailStates.map((state) => [state, found.get(state) ?? 0]))
      const all = [...found.values()].reduce((sum, count) => sum + count, 0)
      const total = query.state === undefined ? all : (found.get(query.state) ?? 0)
      return {
        mail: rows.map(toView),
        paging: getPaging(query, total),
        counts: counts as Record<MailState, number>,
      }
    },

    async retry(id: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const mails = transaction.selectFrom('mails').select(['kind', 'facts']).where('id', '=', id)
        const mail = await mails.executeTakeFirst()
        if (mail && isLinked(mail.kind) && mail.facts === '{}') throw new Refusal('ErrMailWithoutLink')
        const update = transaction
          .updateTable('mails')
          .set({ state: 'waiting', tries: 0, next_at: now(), ended_at: null })
          .where('id', '=', id)
          .where('state', 'in', ['waiting', 'failed'])
        if (!(await affectsRows(update))) throw new Refusal('ErrNotFound')
      })
      wake()
    },

    async remove(id: string, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('mails').where('id', '=', id).where('state', '!=', 'sending')
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },
  }
}

function toView(row: MailRow): QueuedMail {
  const state = row.state as MailState
  const time = (at: number) => new Date(at).toISOString()
  return {
    id: row.id,
    kind: row.kind as MailKind,
    to: row.recipient,
    state,
    tries: row.tries,
    createdAt: time(row.created_at),
    ...(state === 'waiting' ? { nextTryAt: time(row.next_at) } : {}),
    ...(row.ended_at === null ? {} : { endedAt: time(row.ended_at) }),
    ...(row.last_error === '' ? {} : { lastError: row.last_error }),
  }
}
