import { randomUUID } from 'node:crypto'
import type { MailKind } from '@innkeeper/contract/alerts/mail'
import { onOneLine } from '@innkeeper/contract/errors/one-line'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { emailFields, type SettingKey, type SettingValues } from '@innkeeper/contract/settings/settings'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { Database, MailRow, Transaction } from '../database/schema.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { SendMail } from './mailer.ts'
import { isLinked, type MailData } from './messages.ts'
import { mailRateLimit, rateLimitMessage } from './rate-limit.ts'
import { type Recipient, recipientLanguage } from './recipient-language.ts'

const testMailTimeoutMs = 15_000

interface Deps {
  readonly db: Database
  readonly settings: SettingsService
  readonly post: SendMail
  /** Wakes the worker after a mail was queued. */
  readonly wake: () => void
  readonly log: Logger
  readonly now: () => number
}

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
}

/** The mail queue: rows that `mailWorker` sends. */
export function mailService({ db, settings, post, wake, log, now }: Deps): MailService {
  const rateLimit = mailRateLimit(now)

  /** The first missing setting that is required for mails with links. */
  async function missing(within?: Database): Promise<SettingKey | undefined> {
    const values = await settings.current(within)
    const absent = findAbsent(values)
    if (absent) return absent
    return (await settings.masterUrl(within)) === undefined ? 'panel.settings.masterUrl' : undefined
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
      const reason = await rateLimit.reasonNotToSend(on, who, key)
      if (reason !== undefined) log.warn({ kind, by, reason }, 'a mail is not sent')
      // The queue shows the first mails over the limit, and is not filled with more.
      if (reason === rateLimitMessage && (await rateLimit.isOverflowing(on, key, by))) return false
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
      const absent = findAbsent(values)
      if (absent) throw refusalFor(absent)
      const language = await recipientLanguage(db, { to, by })
      const letter = { id: randomUUID(), kind: 'test', to, facts: {}, language } as const
      return post(letter, AbortSignal.timeout(testMailTimeoutMs))
    },
  }
}

/** The first setting that the configured provider requires and that is missing. */
function findAbsent(values: SettingValues): SettingKey | undefined {
  const provider = values['panel.email.provider']
  if (provider === 'none') return 'panel.email.provider'
  return emailFields[provider].needed.find((key) => values[key] === '')
}

function refusalFor(setting: SettingKey): Refusal {
  if (setting === 'panel.email.provider') return new Refusal('ErrEmailNotConfigured')
  return new Refusal('ErrSettingNotConfigured', { setting })
}
