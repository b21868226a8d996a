import type { MailKind } from '@innkeeper/contract/mail'
import { Email } from '@innkeeper/contract/names'
import { emailFields, type SettingValues, secretSettings } from '@innkeeper/contract/settings'
import type { SettingsService } from '../settings/settings.ts'
import { DeliveryError, redact } from './delivery-error.ts'
import { type Facts, write } from './messages.ts'
import { type ProviderUrls, providerOf } from './providers.ts'

interface Deps {
  readonly settings: SettingsService
  readonly services: ProviderUrls
  readonly now: () => number
}

/** A mail before it is written. */
export interface MailJob {
  readonly id: string
  readonly kind: MailKind | 'test'
  readonly to: string
  readonly facts: Facts
  readonly language: string
}

/** What became of a mail, in the provider's words without our secrets. */
export interface DeliveryResult {
  readonly delivered: boolean
  readonly answer: string
  /** Whether another try would end the same. */
  readonly isFinal: boolean
}

/** Writes a mail with the settings of this moment and hands it to the provider; ends when the signal does. */
export type SendMail = (draft: MailJob, signal: AbortSignal) => Promise<DeliveryResult>

/** Why a mail to what is no address ends before anybody is asked to take it. */
export const noAddress = 'The address of the recipient is not valid.'

export function createMailer({ settings, services, now }: Deps): SendMail {
  return async ({ id, kind, to, facts, language }, signal) => {
    const values = await settings.current()
    const said = (words: string) => redact(words, secretsOf(values))
    try {
      if (!Email.safeParse(to).success) throw new DeliveryError(noAddress, { isFinal: true })
      // A link that is dead when it comes helps nobody.
      if (facts.until !== undefined && Date.parse(facts.until) <= now()) {
        throw new DeliveryError('Its link is no longer good.', { isFinal: true })
      }
      const provider = providerOf(values, services)
      const isSetUp = emailFields[values['panel.email.provider']].needed.every((key) => values[key] !== '')
      if (!provider || !isSetUp) throw new DeliveryError('Email not configured')
      const company = await settings.companyName()
      const message = write(kind, facts, { company, masterUrl: await settings.masterUrl() }, language)
      const from = { name: company, address: values['panel.email.from'] }
      const answer = await withTimeout(provider(values, { ...message, id, from, to }, signal), signal)
      return { delivered: true, answer: said(answer), isFinal: true }
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      return { delivered: false, answer: said(error.message), isFinal: error.isFinal }
    }
  }
}

/** A provider that does not heed the signal is left behind. */
async function withTimeout(answer: Promise<string>, signal: AbortSignal): Promise<string> {
  const late = Promise.withResolvers<never>()
  const give = () => late.reject(new DeliveryError('It took too long.', { cause: signal.reason }))
  signal.addEventListener('abort', give, { once: true })
  if (signal.aborted) give()
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    signal.removeEventListener('abort', give)
  }
}

function secretsOf(values: SettingValues): string[] {
  return secretSettings.map((key) => String(values[key]))
}
