import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { NewServerPermissions, ServerPermissions } from '../api/permissions.ts'
import { limits } from '../text/limits.ts'
import { Email } from '../text/names.ts'
import { ServerId } from '../text/server-id.ts'

/** A user with access to a server; permissions that are not granted are absent. */
export const ServerUser = z.extend(ServerPermissions, {
  username: z.string(),
  email: z.string(),
  serverIdentifier: z.string(),
  /** Invited by mail, not accepted yet. For an entry with a username, accepting adds permissions to the ones listed. */
  isInvited: z.optional(z.boolean()),
  /** Version of these permissions for `If-Match`. */
  version: z.optional(z.string()),
})
export type ServerUser = z.infer<typeof ServerUser>

/**
 * Users with access to the server, by name. Without `?self` (any value) the current user is omitted, for compatibility.
 */
export const listServerUsers = endpoint('GET', '/api/servers/:id/user', {
  access: { onServer: 'editServerUsers' },
  params: OnServer,
  query: z.object({ self: z.optional(z.string()) }),
  response: z.array(ServerUser),
})

/**
 * Grants or changes access. Users with a permission on this server that the current user does not have cannot be
 * changed or removed (`ErrNoPermission`). A permission can be granted only by a user who has it (`ErrMissingScope`). At
 * `until` all access of the user ends, on open connections within 5 seconds. It must be in the future
 * (`ErrFieldNotFuture`), and not after the end of the own access (`ErrFieldTooLarge`). An unknown address gets an
 * invitation, or `ErrEmailNotConfigured`. So does an address that its account has not confirmed, or
 * `ErrEmailNotConfirmed`: the account gets new permissions when the invitation is accepted. With `If-Match`
 * ErrStaleVersion.
 */
export const putServerUser = endpoint('PUT', '/api/servers/:id/user/:email', {
  access: { onServer: 'editServerUsers' },
  audit: 'server.user.edit',
  params: z.object({ id: ServerId, email: Email }),
  body: NewServerPermissions,
  headers: ifMatch,
})

/**
 * Invites an address without account by a link that the current user hands over, with or without mail. It creates one
 * account within 7 days, with what the inviting user can still grant by then. The address of that account is confirmed only
 * if the inviting user may create accounts. Another link for the address replaces one's own. ErrDuplicateEmail when the
 * address has an account, ErrInvitePending when another user has invited it.
 */
export const createServerInvite = endpoint('POST', '/api/servers/:id/invite', {
  access: { onServer: 'editServerUsers' },
  audit: 'invite.create',
  params: OnServer,
  body: z.object({ email: Email, permissions: NewServerPermissions }),
  response: z.object({
    /** Path and query of the link, which follow the address of the panel. It cannot be read again. */
    path: z.string(),
    /** ISO 8601. */
    expiresAt: z.string(),
  }),
})

/** Revokes all access of a user, also one's own. */
export const deleteServerUser = endpoint('DELETE', '/api/servers/:id/user/:email', {
  access: { onServer: 'editServerUsers' },
  audit: 'server.user.remove',
  params: z.object({ id: ServerId, email: z.string().check(z.minLength(1), z.maxLength(limits.emailMax)) }),
})
