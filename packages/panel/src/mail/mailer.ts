import { DeliveryError, type DeliveryResult, redact } from '@innkeeper/contract/alerts/delivery-error'
import { emailFields, type SettingValues, secretSettings } from '@innkeeper/contract/settings/settings'
import { Email } from '@innkeeper/contract/text/names'
import type { SettingsService } from '../settings/settings.ts'
import { type MessageData, type MessageKind, renderMessage } from './messages.ts'
import { findProvider, type ProviderUrls } from './providers.ts'

interface Deps {
  readonly settings: SettingsService
  readonly services: ProviderUrls
  readonly now: () => number
}

/** A mail before it is rendered. */
export interface MailJob {
  readonly id: string
  readonly kind: MessageKind
  readonly to: string
  readonly facts: MessageData
  readonly language: string
}

/** Renders a mail with the current settings and sends it through the provider. Aborts with the signal. */
export type SendMail = (draft: MailJob, signal: AbortSignal) => Promise<DeliveryResult>

/** Error for an invalid recipient, without contacting the provider. */
export const noAddress = 'The address of the recipient is not valid.'

export function createMailer({ settings, services, now }: Deps): SendMail {
  return async ({ id, kind, to, facts, language }, signal) => {
    const values = await settings.current()
    const redacted = (words: string) => redact(words, getSecrets(values))
    try {
      if (!Email.safeParse(to).success) throw new DeliveryError(noAddress, { isFinal: true })
      // A mail with an expired link is not sent.
      if (facts.until !== undefined && Date.parse(facts.until) <= now()) {
        throw new DeliveryError('Its link has expired.', { isFinal: true })
      }
      const provider = findProvider(values, services)
      const isSetUp = emailFields[values['panel.email.provider']].needed.every((key) => values[key] !== '')
      if (!provider || !isSetUp) throw new DeliveryError('Email not configured')
      const company = await settings.companyName()
      const message = renderMessage(kind, facts, { company, masterUrl: await settings.masterUrl() }, language)
      const from = { name: company, address: values['panel.email.from'] }
      const response = await withTimeout(provider(values, { ...message, id, from, to }, signal), signal)
      return { delivered: true, answer: redacted(response), isFinal: true }
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      return { delivered: false, answer: redacted(error.message), isFinal: error.isFinal }
    }
  }
}

/** A provider that ignores the signal is abandoned. */
async function withTimeout(response: Promise<string>, signal: AbortSignal): Promise<string> {
  const late = Promise.withResolvers<never>()
  const give = () => late.reject(new DeliveryError('The mail timed out.', { cause: signal.reason }))
  signal.addEventListener('abort', give, { once: true })
  if (signal.aborted) give()
  try {
    return await Promise.race([response, late.promise])
  } finally {
    signal.removeEventListener('abort', give)
  }
}

function getSecrets(values: SettingValues): string[] {
  return secretSettings.map((key) => String(values[key]))
}
