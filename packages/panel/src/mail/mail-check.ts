import { redact } from '@innkeeper/contract/alerts/delivery-error'
import { emailFields } from '@innkeeper/contract/settings/settings'
import type { Logger } from 'pino'
import { connect, inspectDatabase } from '../database/database.ts'
import { settingsService } from '../settings/settings.ts'
import { verifySmtp } from './smtp.ts'

/** Whether mail can be sent. Only a mail server is contacted, not a service. */
export type MailCheck =
  | { readonly status: 'unknown' | 'notConfigured' | 'reachable' }
  | { readonly status: 'notChecked'; readonly provider: string }
  | { readonly status: 'failed'; readonly reason: string }

interface Options {
  readonly databaseUrl: string
  readonly log: Logger
  readonly signal: AbortSignal
  readonly smtpTimeoutMs?: number
}

/** Checks the mail settings in the database, and logs in to the mail server without sending anything. */
export async function checkMail({ databaseUrl, log, signal, smtpTimeoutMs }: Options): Promise<MailCheck> {
  const isUsable = await inspectDatabase(databaseUrl).then(
    ({ applied }) => applied.length > 0,
    () => false,
  )
  if (!isUsable) return { status: 'unknown' }
  const db = await connect(databaseUrl)
  try {
    const values = await settingsService({ db, masterUrl: undefined, log, now: Date.now }).current()
    const provider = values['panel.email.provider']
    if (provider === 'none' || !emailFields[provider].needed.every((key) => values[key] !== ''))
      return { status: 'notConfigured' }
    if (provider !== 'smtp') return { status: 'notChecked', provider }
    const reason = await verifySmtp(values, {
      signal,
      ...(smtpTimeoutMs === undefined ? {} : { timeoutMs: smtpTimeoutMs }),
    })
    if (reason === undefined) return { status: 'reachable' }
    return { status: 'failed', reason: redact(reason, [values['panel.email.password']]) }
  } finally {
    await db.destroy()
  }
}
