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
  /** Called when there may be something to send. */
  readonly wake: () => void
  readonly log: Logger
  readonly now: () => number
}

/** What the queue says of a mail that is not sent because there were too many; an administrator may send it again. */
const rateLimitMessage = 'Not sent: there were too many within an hour.'

type MailRequest = PageQuery & { readonly state?: MailState | undefined }

export interface MailService {
  /** Whether mail can go out, with links in it. */
  isReady(within?: Database): Promise<boolean>
  /** @throws Refusal naming what is missing before mail can go out. */
  requireConfigured(within?: Database): Promise<void>
  /**
   * Writes a mail into the queue, with whatever else the transaction does; nothing waits for a mail server. False when
   * none will go out: no provider is set up, the recipient or sender had too many within an hour, or the address is none.
   * The last two stand in the queue as failed, where an administrator sees them, and stop nothing else.
   */
  queue<K extends MailKind>(db: Database | Transaction, kind: K, who: Recipient, facts: MailData[K]): Promise<boolean>
  /** Sends somebody's test at once and tells what the provider said. */
  test(to: string, by: number): Promise<{ delivered: boolean; answer: string }>
  list(wanted: MailRequest): Promise<{ mail: QueuedMail[]; paging: Paging; counts: Record<MailState, number> }>
  retry(id: string, audit: AuditContext): Promise<void>
  remove(id: string, audit: AuditContext): Promise<void>
}

/** Mail that is to be sent: rows, which {@link MailWorker} takes one after the other. */
export function mailService({ db, settings, post, wake, log, now }: Deps): MailService {
  /** The first setting that is missing before mail with links can go out. */
  async function missing(within?: Database): Promise<SettingKey | undefined> {
    const values = await settings.current(within)
    const absent = absentOf(values)
    if (absent) return absent
    return (await settings.masterUrl(within)) === undefined ? 'panel.settings.masterUrl' : undefined
  }

  /** How many mails of the last hour went out or were held back for their number. */
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

  /** Why a mail is not sent, however often that is tried. */
  async function whyNotSent(on: Database, { to, by }: Recipient, key: string): Promise<string | undefined> {
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
      // Without links most mails still tell what they have to tell.
      if (setting !== undefined && (setting !== 'panel.settings.masterUrl' || isLinked(kind))) {
        log.debug({ kind, setting }, 'a mail is not sent: mail is not set up')
        return false
      }
      // RFC 2606: no mail is delivered there, and no address is.
      if (/\.invalid$/i.test(to)) return false
      const recipient = onOneLine(to).slice(0, limits.emailMax)
      const key = recipient.toLowerCase()
      const objection = await whyNotSent(on, who, key)
      if (objection !== undefined) log.warn({ kind, by, objection }, 'a mail is not sent')
      if (objection === rateLimitMessage) {
        const heldBack =
          by === undefined ? await recent(on, 'recipient_key', key, true) : await recent(on, 'sender_id', by, true)
        // The queue shows that there were too many, and is not filled with them.
        if (heldBack >= limits.mailPerSender) return false
      }
      const isHeldBack = objection !== undefined
      const at = now()
      const row: MailRow = {
        id: randomUUID(),
        kind,
        recipient,
        recipient_key: key,
        sender_id: by ?? null,
        language: await recipientLanguage(on, who),
        // Nobody needs the token of a link that does not go out.
        facts: JSON.stringify(isHeldBack && isLinked(kind) ? {} : facts),
        state: isHeldBack ? 'failed' : 'waiting',
        tries: 0,
        created_at: at,
        next_at: at,
        ended_at: isHeldBack ? at : null,
        lease: '',
        last_error: objection ?? '',
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

    async list(wanted) {
      const rows = await db
        .selectFrom('mails')
        .selectAll()
        .$if(wanted.state !== undefined, (query) => query.where('state', '=', wanted.state ?? ''))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(wanted.limit)
        .offset((wanted.page - 1) * wanted.limit)
        .execute()
      const counted = await db
        .selectFrom('mails')
        .select(({ fn }) => ['state', fn.countAll<number | bigint | string>().as('count')])
        .groupBy('state')
        .execute()
      const found = new Map(counted.map(({ state, count }) => [state, Number(count)]))
      const counts = Object.fromEntries(mailStates.map((state) => [state, found.get(state) ?? 0]))
      const all = [...found.values()].reduce((sum, count) => sum + count, 0)
      const total = wanted.state === undefined ? all : (found.get(wanted.state) ?? 0)
      return {
        mail: rows.map(shownMail),
        paging: pagingOf(wanted, total),
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

/** What the chosen provider cannot do without and does not have. */
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
