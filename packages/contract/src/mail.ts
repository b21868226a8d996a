import { z } from 'zod'
import { call } from './call.ts'
import { PageQuery, Paging } from './paging.ts'

/** Every message that the panel sends by mail. */
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
  'oauthCreated',
  'oauthDeleted',
  'sshKeyAdded',
  'accessRemoved',
  'passwordReset',
] as const
export type MailKind = (typeof mailKinds)[number]

/** `waiting` goes out at `nextTryAt`; `failed` was given up. */
export const mailStates = ['waiting', 'sending', 'sent', 'failed'] as const
export type MailState = (typeof mailStates)[number]

/** A mail of the queue, without what it says. Times are ISO 8601. */
export const QueuedMail = z.object({
  id: z.string(),
  kind: z.enum(mailKinds),
  to: z.string(),
  state: z.enum(mailStates),
  tries: z.number(),
  createdAt: z.string(),
  /** Absent when there will be no further try. */
  nextTryAt: z.string().optional(),
  /** When it was sent or given up. */
  endedAt: z.string().optional(),
  /** What went wrong at the last try. */
  lastError: z.string().optional(),
})
export type QueuedMail = z.infer<typeof QueuedMail>

/** The list tells who was invited and who asked for a new password: it is for administrators, as the settings of email are. */
const access = { scope: 'servers.admin' } as const
const OnMail = z.object({ id: z.uuid() })

/** The newest first. Sent ones are kept for some days. */
export const listMail = call({
  method: 'GET',
  path: '/api/mail',
  access,
  query: PageQuery.extend({ state: z.enum(mailStates).optional() }),
  answer: z.object({
    mail: z.array(QueuedMail),
    paging: Paging,
    /** How many there are in each state. */
    counts: z.record(z.enum(mailStates), z.number()),
  }),
})

/** Tries a waiting or failed mail again now, with all its tries before it. */
export const retryMail = call({ method: 'POST', path: '/api/mail/:id/retry', access, params: OnMail })

/** Takes a mail out of the queue; one that is being sent stays. */
export const deleteMail = call({ method: 'DELETE', path: '/api/mail/:id', access, params: OnMail })
