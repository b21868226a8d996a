import type { SettingValues } from '@innkeeper/contract/settings'
import { mailgun } from './mailgun.ts'
import { mailjet } from './mailjet.ts'
import type { Message } from './messages.ts'
import { smtp } from './smtp.ts'

/** A mail address with a display name. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** A mail to be sent. */
export interface OutgoingMessage extends Message {
  /** The same for every attempt, so that duplicates can be detected. */
  readonly id: string
  readonly from: Mailbox
  readonly to: string
}

/** Base URLs of the mail services. */
export interface ProviderUrls {
  readonly mailgun: string
  readonly mailjet: string
}

export const defaultProviderUrls: ProviderUrls = {
  mailgun: 'https://api.mailgun.net',
  mailjet: 'https://api.mailjet.com',
}

/**
 * Sends a mail through a provider and returns its response.
 * @throws DeliveryError with the provider's response
 */
export type Provider = (settings: SettingValues, letter: OutgoingMessage, signal: AbortSignal) => Promise<string>

/** The configured provider; `undefined` when there is none. */
export function providerOf(settings: SettingValues, services: ProviderUrls): Provider | undefined {
  switch (settings['panel.email.provider']) {
    case 'none':
      return undefined
    case 'smtp':
      return smtp
    case 'mailgun':
      return mailgun(services.mailgun)
    case 'mailjet':
      return mailjet(services.mailjet)
  }
}
