import type { SettingValues } from '@innkeeper/contract/settings'
import { mailgun } from './mailgun.ts'
import { mailjet } from './mailjet.ts'
import type { Message } from './messages.ts'
import { smtp } from './smtp.ts'

/** An address with a name. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/** A mail on its way. */
export interface OutgoingMessage extends Message {
  /** The same at every try, so that a mail that came twice is seen to be one. */
  readonly id: string
  readonly from: Mailbox
  readonly to: string
}

/** Base addresses of the services that take mail by HTTPS. */
export interface ProviderUrls {
  readonly mailgun: string
  readonly mailjet: string
}

export const defaultProviderUrls: ProviderUrls = {
  mailgun: 'https://api.mailgun.net',
  mailjet: 'https://api.mailjet.com',
}

/**
 * Hands a letter over to a provider and answers what it said.
 * @throws DeliveryError with the provider's words.
 */
export type Provider = (settings: SettingValues, letter: OutgoingMessage, signal: AbortSignal) => Promise<string>

/** The provider that the settings name; `undefined` when no mail is sent. */
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
