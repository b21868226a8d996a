import { z } from 'zod'
import { LoggedIn } from './auth.ts'
import { call } from './call.ts'
import { Email, Password, Username } from './names.ts'
import { PageQuery, Paging } from './paging.ts'
import { serverFlags } from './permissions.ts'

/** What the link of an invite carries: `/auth/invite?token=…&email=…`. */
const Link = z.object({ token: z.string().min(1).max(200), email: z.string().min(1).max(320) })

/** Says whether an invite is still good; ErrInviteLinkInvalid when it is not. A POST, so that no log holds the token. */
export const checkInvite = call({
  method: 'POST',
  path: '/auth/invite/check',
  access: 'public',
  body: Link,
  answer: z.object({
    email: z.string(),
    /** Who invites, and to which server, by name. */
    invitedBy: z.string().optional(),
    server: z.string().optional(),
    /** ISO 8601. */
    expiresAt: z.string(),
    /** Whether somebody registered an account with this address already. */
    hasAccount: z.boolean(),
  }),
})

/**
 * Accepts an invite with the account that is logged in: its email address must be the one that was invited, and counts as
 * confirmed from now on. ErrInviteLinkInvalid for a link to any other address.
 */
export const acceptInviteAsSelf = call({
  method: 'POST',
  path: '/api/self/invite',
  access: 'person',
  body: z.object({ token: z.string().min(1).max(200) }),
})

/**
 * Creates the invited person's account and logs in. Works with registration switched off; an invite is good once. An account
 * that somebody registered with the address and never confirmed loses the address, and keeps the rest.
 */
export const acceptInvite = call({
  method: 'POST',
  path: '/auth/invite',
  access: 'public',
  body: Link.extend({ username: Username, password: Password }),
  answer: LoggedIn,
})

/** An invite that nobody accepted yet. Times are ISO 8601. */
export const Invite = z.object({
  id: z.string(),
  email: z.string(),
  /** Absent when whoever invited is gone. */
  invitedBy: z.string().optional(),
  /** The servers that come with it, and what the person will be able to do there. */
  servers: z.array(z.object({ id: z.string(), name: z.string(), flags: z.array(z.enum(serverFlags)) })),
  createdAt: z.string(),
  expiresAt: z.string(),
})
export type Invite = z.infer<typeof Invite>

const access = { scope: 'users.edit' } as const

/** Pending invites, the newest first. */
export const listInvites = call({
  method: 'GET',
  path: '/api/invites',
  access,
  query: PageQuery,
  answer: z.object({ invites: z.array(Invite), paging: Paging }),
})

/** Invites somebody to the panel, without a server. Inviting again sends a new link, and the old one ends. */
export const createInvite = call({
  method: 'POST',
  path: '/api/invites',
  access,
  body: z.object({ email: Email }),
  answer: z.object({ id: z.string() }),
})

/** The link ends at once. */
export const deleteInvite = call({
  method: 'DELETE',
  path: '/api/invites/:id',
  access,
  params: z.object({ id: z.uuid() }),
})
