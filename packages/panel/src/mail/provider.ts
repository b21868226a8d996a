import type { SettingValues } from '@innkeeper/contract/settings/settings'
import type { Message } from './messages.ts'

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

/**
 * Sends a mail through a provider and returns its response.
 * @throws DeliveryError with the provider's response
 */
export type Provider = (settings: SettingValues, letter: OutgoingMessage, signal: AbortSignal) => Promise<string>
