import { randomUUID } from 'node:crypto'
import { limits } from '@innkeeper/contract/limits'
import { type MailKind, type MailState, mailStates, type QueuedMail } from '@innkeeper/contract/mail'
import { Email } from '@innkeeper/contract/names'
import { type PageQuery, type Paging, pagingOf } from '@innkeeper/contract/paging'
import { Refusal } from '@innkeeper/contract/refusals'
import { emailFields, type SettingKey, type SettingValues } from '@innkeeper/contract/settings'
import type { Logger } from 'pino'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { Database, MailRow, Transaction } from '../database/schema.ts'
import type { SettingsService } from '../settings/settings.ts'
import { noAddress, type SendMail } from './mailer.ts'
import { isLinked, type MailData, onOneLine } from './messages.ts'
import { type Recipient, recipientLanguage } from './recipient-language.ts'

interface Deps {
  readonly db: Database
  readonly settings: SettingsService
  readonly post: SendMail
  /** Wakes the worker after a mail was queued. */
  readonly wake: () => void
  readonly log: Logger
  readonly now: () => number
}

/** Error of a mail over the rate limit; an administrator may retry it. */
const rateLimitMessage = 'Not sent: the limit of mails per hour was exceeded.'

type MailRequest = PageQuery & { readonly state?: MailState | undefined }

export interface MailService {
  /** Whether mails with links can be sent. */
  isReady(within?: Database): Promise<boolean>
  /** @throws Refusal that names the missing setting */
  requireConfigured(within?: Database): Promise<void>
  /**
   * Queues a mail within a transaction, without contacting a mail server. Returns false when it will not be sent: no
   * provider is configured, the recipient or sender has exceeded the rate limit, or the address is invalid. In the last
   * two cases it is queued as failed, where an administrator sees it.
   */
  queue<K extends MailKind>(db: Database | Transaction, kind: K, who: Recipient, facts: MailData[K]): Promise<boolean>
  /** Sends a test mail immediately and returns the provider's response. */
  test(to: string, by: number): Promise<{ delivered: boolean; answer: string }>
  list(query: MailRequest): Promise<{ mail: QueuedMail[]; paging: Paging; counts: Record<MailState, number> }>
  retry(id: string, audit: AuditContext): Promise<void>
  remove(id: string, audit: AuditContext): Promise<void>
}

/** The mail queue: rows that {@link MailWorker} sends. */
export function mailService({ db, settings, post, wake, log, now }: Deps): MailService {
  /** The first missing setting that is required for mails with links. */
  async function missing(within?: Database): Promise<SettingKey | undefined> {
    const values = await settings.current(within)
    const absent = absentOf(values)
    if (absent) return absent
    return (await settings.masterUrl(within)) === undefined ? 'panel.settings.masterUrl' : undefined
  }

  /** Number of mails in the last hour that were sent or rejected by the rate limit. */
  async function recent(
    on: Database,
    column: 'recipient_key' | 'sender_id',
    value: string | number,
    rateLimitedCount = false,
  ): Promise<number> {
    const { count } = await on
      .selectFrom('mails')
      .select(({ fn }) => fn.countAll<number | bigint | string>().as('count'))
      .where(column, '=', value)
      .where('created_at', '>', now() - limits.mailWindowMs)
      .where('last_error', rateLimitedCount ? '=' : '!=', rateLimitMessage)
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  /** Returns why a mail cannot be sent at all. */
  async function reasonNotToSend(on: Database, { to, by }: Recipient, key: string): Promise<string | undefined> {
    if (!Email.safeParse(to).success) return noAddress
    const exceedsRateLimit =
      (await recent(on, 'recipient_key', key)) >= limits.mailPerRecipient ||
      (by !== undefined && (await recent(on, 'sender_id', by)) >= limits.mailPerSender)
    return exceedsRateLimit ? rateLimitMessage : undefined
  }

  return {
    isReady: async (within) => (await missing(within)) === undefined,

    async requireConfigured(within) {
      const setting = await missing(within)
      if (setting) throw refusalFor(setting)
    },

    async queue(on, kind, who, facts) {
      const { to, by } = who
      const setting = await missing(on)
      // Most mails are useful without links.
      if (setting !== undefined && (setting !== 'panel.settings.masterUrl' || isLinked(kind))) {
        log.debug({ kind, setting }, 'a mail is not sent: mail is not configured')
        return false
      }
      // Reserved domain (RFC 2606): cannot receive mail.
      if (/\.invalid$/i.test(to)) return false
      const recipient = onOneLine(to).slice(0, limits.emailMax)
      const key = recipient.toLowerCase()
      const reason = await reasonNotToSend(on, who, key)
      if (reason !== undefined) log.warn({ kind, by, reason }, 'a mail is not sent')
      if (reason === rateLimitMessage) {
        const heldBack =
          by === undefined ? await recent(on, 'recipient_key', key, true) : await recent(on, 'sender_id', by, true)
        // The queue shows the first mails over the limit, and is not filled with more.
        if (heldBack >= limits.mailPerSender) return false
      }
      const isHeldBack = reason !== undefined
      const at = now()
      const row: MailRow = {
        id: randomUUID(),
        kind,
        recipient,
        recipient_key: key,
        sender_id: by ?? null,
        language: await recipientLanguage(on, who),
        // The token of a link that is not sent is not needed.
        facts: JSON.stringify(isHeldBack && isLinked(kind) ? {} : facts),
        state: isHeldBack ? 'failed' : 'waiting',
        tries: 0,
        created_at: at,
        next_at: at,
        ended_at: isHeldBack ? at : null,
        lease: '',
        last_error: reason ?? '',
      }
      await on.insertInto('mails').values(row).execute()
      if (!isHeldBack) wake()
      return !isHeldBack
    },

    async test(to, by) {
      const values = await settings.current()
      const absent = absentOf(values)
      if (absent) throw refusalFor(absent)
      const language = await recipientLanguage(db, { to, by })
      const letter = { id: randomUUID(), kind: 'test', to, facts: {}, language } as const
      return post(letter, AbortSignal.timeout(limits.mailTestMs))
    },

    async list(query) {
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
        mail: rows.map(shownMail),
        paging: pagingOf(query, total),
        counts: counts as Record<MailState, number>,
      }
    },

    async retry(id, audit) {
      await auditedTransaction(audit, db, async (transaction) => {
        const mails = transaction.selectFrom('mails').select(['kind', 'facts']).where('id', '=', id)
        const mail = await mails.executeTakeFirst()
        if (mail && isLinked(mail.kind) && mail.facts === '{}') throw new Refusal('ErrMailWithoutLink')
        const { numUpdatedRows } = await transaction
          .updateTable('mails')
          .set({ state: 'waiting', tries: 0, next_at: now(), ended_at: null })
          .where('id', '=', id)
          .where('state', 'in', ['waiting', 'failed'])
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new Refusal('ErrNotFound')
      })
      wake()
    },

    async remove(id, audit) {
      await auditedTransaction(audit, db, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('mails')
          .where('id', '=', id)
          .where('state', '!=', 'sending')
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw new Refusal('ErrNotFound')
      })
    },
  }
}

/** The first setting that the configured provider requires and that is missing. */
function absentOf(values: SettingValues): SettingKey | undefined {
  const provider = values['panel.email.provider']
  if (provider === 'none') return 'panel.email.provider'
  return emailFields[provider].needed.find((key) => values[key] === '')
}

function refusalFor(setting: SettingKey): Refusal {
  if (setting === 'panel.email.provider') return new Refusal('ErrEmailNotConfigured')
  return new Refusal('ErrSettingNotConfigured', { setting })
}

function shownMail(row: MailRow): QueuedMail {
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
