import { z } from 'zod'
import { call, ifMatch } from './call.ts'
import { Email, Password, Username } from './names.ts'
import { PageQuery, Paging } from './paging.ts'
import { GlobalPermissions } from './permissions.ts'

/** A person as lists show them. */
export const UserView = z.object({ id: z.number(), username: z.string(), email: z.string() })
export type UserView = z.infer<typeof UserView>

/** A person in a list. */
export const UserEntry = UserView.extend({
  /** Administrator, anything less, or nothing at all yet: no panel permission and no server. */
  access: z.enum(['admin', 'some', 'none']).optional(),
})
export type UserEntry = z.infer<typeof UserEntry>

/** A person as their page shows them. */
export const UserDetail = UserView.extend({
  otpEnabled: z.boolean(),
  /** Whether the email address is known to be theirs. */
  emailConfirmed: z.boolean(),
})
export type UserDetail = z.infer<typeof UserDetail>

const UserId = z.object({
  id: z
    .string()
    .or(z.number())
    .transform((given) => (/^\d{1,9}$/.test(String(given)) ? Number(given) : 0)),
})

/** Sorted by name. `username` and `email` may hold `*` for anything; `access` lists administrators only. */
export const listUsers = call({
  method: 'GET',
  path: '/api/users',
  access: { scope: 'users.view' },
  query: PageQuery.extend({
    username: z.string().max(100).optional(),
    email: z.string().max(255).optional(),
    access: z.literal('admin').optional(),
  }),
  answer: z.object({ users: z.array(UserEntry), paging: Paging }),
})

export const createUser = call({
  method: 'POST',
  path: '/api/users',
  access: { scope: 'users.edit' },
  body: z.strictObject({ username: Username, email: Email, password: Password }),
  answer: UserView,
})

/** The version of name and address is in the `ETag` header. */
export const getUser = call({
  method: 'GET',
  path: '/api/users/:id',
  access: { scope: 'users.view' },
  params: UserId,
  answer: UserDetail,
})

/**
 * Changes what is given. Nobody gets into an account that holds more than they do, nor takes its name: a new name, address
 * or password needs every right of that person (`ErrMissingScope` names one that is missing). One's own address and
 * password are `ErrOwnAccount`. A new password
 * ends the person's sessions. With `If-Match` ErrStaleVersion.
 */
export const editUser = call({
  method: 'POST',
  path: '/api/users/:id',
  access: { scope: 'users.edit' },
  params: UserId,
  body: z.strictObject({
    username: Username.optional(),
    email: Email.optional(),
    /** Empty stands for the one that is. */
    password: z.literal('').or(Password).optional(),
  }),
  headers: ifMatch,
  status: 204,
})

/** `ErrLastAdministrator` for the last one. */
export const deleteUser = call({
  method: 'DELETE',
  path: '/api/users/:id',
  access: { scope: 'users.edit' },
  params: UserId,
})

/** Says that the email address belongs to the person. Permissions that were given to the address meanwhile come with it. */
export const confirmUserEmail = call({
  method: 'POST',
  path: '/api/users/:id/email/confirm',
  access: { scope: 'servers.admin' },
  params: UserId,
})

/** Switches two-factor off for someone who lost phone and recovery codes; needs what a new password needs. */
export const resetUserOtp = call({
  method: 'DELETE',
  path: '/api/users/:id/otp',
  access: { scope: 'users.edit', by: 'person' },
  params: UserId,
})

/** Their version is in the `ETag` header. */
export const getUserPermissions = call({
  method: 'GET',
  path: '/api/users/:id/perms',
  access: { scope: 'users.view' },
  params: UserId,
  answer: GlobalPermissions,
})

/** A server that a user was given access to, and the server permissions that came with it. */
export const ServerOfUser = z.object({ id: z.string(), name: z.string(), permissions: z.array(z.string()) })
export type ServerOfUser = z.infer<typeof ServerOfUser>

/** The servers that a user was given access to, by name. What panel permissions allow on every server is not part of it. */
export const listUserServers = call({
  method: 'GET',
  path: '/api/users/:id/servers',
  access: { scope: 'servers.admin' },
  params: UserId,
  query: PageQuery,
  answer: z.object({ servers: z.array(ServerOfUser), paging: Paging }),
})

/**
 * Any flag that is not there is taken away. What is given must be held by the giver; only administrators change one. With
 * `If-Match` ErrStaleVersion.
 */
export const putUserPermissions = call({
  method: 'PUT',
  path: '/api/users/:id/perms',
  access: { scope: 'users.edit' },
  params: UserId,
  body: GlobalPermissions,
  headers: ifMatch,
})
