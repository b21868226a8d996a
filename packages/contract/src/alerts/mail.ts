import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'

/** Templates of the mails that the panel sends. */
export const mailKinds = [
  'invite',
  'accountCreation',
  'addedToServer',
  'removedFromServer',
  'deletedServer',
  'passwordChanged',
  'emailChanged',
  'emailConfirm',
  'otpEnabled',
  'otpDisabled',
  'otpWrongCodes',
  'otpLocked',
  'passkeyAdded',
  'passkeyRemoved',
  'oauthCreated',
  'oauthDeleted',
  'oauthNewNetwork',
  'sshKeyAdded',
  'accessRemoved',
  'passwordReset',
] as const
export type MailKind = (typeof mailKinds)[number]

/** `waiting` is sent at `nextTryAt`; `failed` is not retried. */
export const mailStates = ['waiting', 'sending', 'sent', 'failed'] as const
export type MailState = (typeof mailStates)[number]

/** A mail in the queue, without its content. Times are ISO 8601. */
export const QueuedMail = z.object({
  id: z.string(),
  kind: z.enum(mailKinds),
  to: z.string(),
  state: z.enum(mailStates),
  tries: z.number(),
  createdAt: z.string(),
  /** Absent when there are no more retries. */
  nextTryAt: z.optional(z.string()),
  /** When it was sent or failed permanently. */
  endedAt: z.optional(z.string()),
  /** Error of the last attempt. */
  lastError: z.optional(z.string()),
})
export type QueuedMail = z.infer<typeof QueuedMail>

/**
 * Only for administrators, like the email settings: the list shows who was invited and who requested a new password.
 */
const access = { scope: 'servers.admin' } as const
const OnMail = z.object({ id: z.uuid() })

/** Newest first. Sent mails are kept for some days. */
export const listMail = endpoint('GET', '/api/mail', {
  access,
  query: z.extend(PageQuery, { state: z.optional(z.enum(mailStates)) }),
  response: z.object({
    mail: z.array(QueuedMail),
    paging: Paging,
    /** Number of mails in each state. */
    counts: z.record(z.enum(mailStates), z.number()),
  }),
})

/** Sends a waiting or failed mail now, and resets its number of attempts. */
export const retryMail = endpoint('POST', '/api/mail/:id/retry', {
  access,
  audit: 'mail.retry',
  params: OnMail,
})

/** Deletes a mail from the queue, except while it is being sent. */
export const deleteMail = endpoint('DELETE', '/api/mail/:id', {
  access,
  audit: 'mail.delete',
  params: OnMail,
})
