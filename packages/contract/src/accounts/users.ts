import { z } from 'zod/mini'
import { endpoint, ifMatch } from '../api/endpoint.ts'
import { PageQuery, Paging } from '../api/paging.ts'
import { GlobalPermissions } from '../api/permissions.ts'
import { limits } from '../text/limits.ts'
import { Email, Password, Username } from '../text/names.ts'

/** A user in lists. */
export const UserView = z.object({ id: z.number(), username: z.string(), email: z.string() })
export type UserView = z.infer<typeof UserView>

/** A user in the user list. */
export const UserEntry = z.extend(UserView, {
  /** Administrator, any other permission, or none yet: no panel permission and no server. */
  access: z.optional(z.enum(['admin', 'some', 'none'])),
})
export type UserEntry = z.infer<typeof UserEntry>

/** A user on the user page. */
export const UserDetail = z.extend(UserView, {
  otpEnabled: z.boolean(),
  /** Whether the email address is confirmed. */
  emailConfirmed: z.boolean(),
})
export type UserDetail = z.infer<typeof UserDetail>

export const UserId = z.object({
  id: z.pipe(
    z.union([z.string(), z.number()]),
    z.transform((input) => (/^\d{1,9}$/.test(String(input)) ? Number(input) : 0)),
  ),
})

/**
 * Sorted by name. `username` and `email` may contain `*`; `username` is found in email addresses too. `access` filters
 * for administrators.
 */
export const listUsers = endpoint('GET', '/api/users', {
  access: { scope: 'users.view' },
  query: z.extend(PageQuery, {
    username: z.optional(z.string().check(z.maxLength(limits.userQueryMax))),
    email: z.optional(z.string().check(z.maxLength(limits.userQueryMax))),
    access: z.optional(z.literal('admin')),
  }),
  response: z.object({ users: z.array(UserEntry), paging: Paging }),
})

export const createUser = endpoint('POST', '/api/users', {
  access: { scope: 'users.edit' },
  audit: 'user.create',
  body: z.strictObject({ username: Username, email: Email, password: Password }),
  response: UserView,
})

/** The version of name and address is in the `ETag` header. */
export const getUser = endpoint('GET', '/api/users/:id', {
  access: { scope: 'users.view' },
  params: UserId,
  response: UserDetail,
})

/**
 * Changes the given fields. A new name, address or password requires all permissions of that user, so that no user
 * takes over an account with more permissions (`ErrMissingScope` names a missing one). One's own address and password:
 * `ErrOwnAccount`. A new password ends the user's sessions. With `If-Match` ErrStaleVersion.
 */
export const editUser = endpoint('POST', '/api/users/:id', {
  access: { scope: 'users.edit' },
  audit: 'user.edit',
  params: UserId,
  body: z.strictObject({
    username: z.optional(Username),
    email: z.optional(Email),
    /** Empty keeps the current password. */
    password: z.optional(z.union([z.literal(''), Password])),
  }),
  headers: ifMatch,
  status: 204,
})

/** `ErrLastAdministrator` for the last administrator. */
export const deleteUser = endpoint('DELETE', '/api/users/:id', {
  access: { scope: 'users.edit' },
  audit: 'user.delete',
  params: UserId,
})

/**
 * Confirms the email address of a user, and accepts the permissions that were granted to the address in the meantime.
 */
export const confirmUserEmail = endpoint('POST', '/api/users/:id/email/confirm', {
  access: { scope: 'servers.admin' },
  audit: 'user.email.confirm',
  params: UserId,
})

/** Disables two-factor for a user who lost phone and recovery codes; requires the same as a new password. */
export const resetUserOtp = endpoint('DELETE', '/api/users/:id/otp', {
  access: { scope: 'users.edit', by: 'user' },
  audit: 'user.otp.disable',
  params: UserId,
})

/** Their version is in the `ETag` header. */
export const getUserPermissions = endpoint('GET', '/api/users/:id/perms', {
  access: { scope: 'users.view' },
  params: UserId,
  response: GlobalPermissions,
})

/** A server that a user has access to, with the server permissions. */
export const ServerOfUser = z.object({ id: z.string(), name: z.string(), permissions: z.array(z.string()) })
export type ServerOfUser = z.infer<typeof ServerOfUser>

/** Servers that a user has been given access to, by name. Access through panel permissions is not included. */
export const listUserServers = endpoint('GET', '/api/users/:id/servers', {
  access: { scope: 'servers.admin' },
  params: UserId,
  query: PageQuery,
  response: z.object({ servers: z.array(ServerOfUser), paging: Paging }),
})

/**
 * Replaces the permissions: a missing one is revoked. Only permissions of the current user can be granted, and only
 * administrators can change an administrator. With `If-Match` ErrStaleVersion.
 */
export const putUserPermissions = endpoint('PUT', '/api/users/:id/perms', {
  access: { scope: 'users.edit' },
  audit: 'user.permissions',
  params: UserId,
  body: GlobalPermissions,
  headers: ifMatch,
})
