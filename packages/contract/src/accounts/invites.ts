import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { serverPermissionNames } from '../api/permissions.ts'
import { Email, Password, Username } from '../text/names.ts'
import { LoginResult } from './auth.ts'

/** Query of the invite link: `/auth/invite?token=…&email=…`. */
const Link = z.object({
  token: z.string().check(z.minLength(1), z.maxLength(200)),
  email: z.string().check(z.minLength(1), z.maxLength(320)),
})

/**
 * Returns the invite; ErrInviteLinkInvalid when it is used or expired. A POST, so that the token is not logged with the
 * URL.
 */
export const checkInvite = endpoint('POST', '/auth/invite/check', {
  access: 'public',
  audit: false,
  body: Link,
  response: z.object({
    email: z.string(),
    /** Name of the inviting user and of the server. */
    invitedBy: z.optional(z.string()),
    server: z.optional(z.string()),
    /** ISO 8601. */
    expiresAt: z.string(),
    /** Whether an account with this address exists. */
    hasAccount: z.boolean(),
  }),
})

/**
 * Accepts an invite with the current account. Its email address must be the invited one, and becomes confirmed.
 * ErrInviteLinkInvalid for any other address.
 */
export const acceptInviteAsSelf = endpoint('POST', '/api/self/invite', {
  access: 'user',
  audit: 'invite.accept',
  body: z.object({ token: z.string().check(z.minLength(1), z.maxLength(200)) }),
})

/**
 * Creates an account for the invited address and logs it in. Works while registration is disabled; an invite can be
 * accepted once. An account that registered with the address without confirming it loses the address and keeps
 * everything else.
 */
export const acceptInvite = endpoint('POST', '/auth/invite', {
  access: 'public',
  audit: 'invite.accept',
  body: z.extend(Link, { username: Username, password: Password }),
  response: LoginResult,
})

/** A pending invite. Times are ISO 8601. */
export const Invite = z.object({
  id: z.string(),
  email: z.string(),
  /** Absent when the inviting user was deleted. */
  invitedBy: z.optional(z.string()),
  /** The servers of the invite, with the permissions on each. */
  servers: z.array(z.object({ id: z.string(), name: z.string(), flags: z.array(z.enum(serverPermissionNames)) })),
  createdAt: z.string(),
  expiresAt: z.string(),
})
export type Invite = z.infer<typeof Invite>

const access = { scope: 'users.edit' } as const

/** Pending invites, newest first. */
export const listInvites = endpoint('GET', '/api/invites', {
  access,
  query: PageQuery,
  response: z.object({ invites: z.array(Invite), paging: Paging }),
})

/** Invites an address to the panel, without a server. A second invite sends a new link and revokes the previous one. */
export const createInvite = endpoint('POST', '/api/invites', {
  access,
  audit: 'invite.create',
  body: z.object({ email: Email }),
  response: z.object({ id: z.string() }),
})

/** Revokes the link. */
export const deleteInvite = endpoint('DELETE', '/api/invites/:id', {
  access,
  audit: 'invite.revoke',
  params: z.object({ id: z.uuid() }),
})
