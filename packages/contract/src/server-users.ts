import { z } from 'zod'
import { call, ifMatch } from './call.ts'
import { limits } from './limits.ts'
import { Email, ServerId } from './names.ts'
import { NewServerPermissions, ServerPermissions } from './permissions.ts'

/** Someone with access to a server; what is not granted is absent. */
export const ServerUser = ServerPermissions.extend({
  username: z.string(),
  email: z.string(),
  serverIdentifier: z.string(),
  /** Invited by mail, and did not accept yet. Somebody with a username has what is shown, and more waits for them. */
  isInvited: z.boolean().optional(),
  /** Of these permissions: `If-Match` on a change refuses to overwrite another one. */
  version: z.string().optional(),
})
export type ServerUser = z.infer<typeof ServerUser>

/** Everyone with access to the server, by name. Without `?self` (any value) the caller is left out, as ever. */
export const listServerUsers = call({
  method: 'GET',
  path: '/api/servers/:id/user',
  access: { onServer: 'editServerUsers' },
  params: z.object({ id: ServerId }),
  query: z.object({ self: z.string().optional() }),
  answer: z.array(ServerUser),
})

/**
 * Gives someone access, or changes it. Whoever holds a permission here that the caller does not hold can be neither changed
 * nor removed (`ErrNoPermission`). A flag that they do not have yet must be held by the giver (`ErrMissingScope`). An
 * address that nobody has gets an invitation, or `ErrEmailNotConfigured`. So does one that its account never confirmed,
 * or `ErrEmailNotConfirmed`: the account gets new flags when the invitation is accepted. With `If-Match` ErrStaleVersion.
 */
export const putServerUser = call({
  method: 'PUT',
  path: '/api/servers/:id/user/:email',
  access: { onServer: 'editServerUsers' },
  params: z.object({ id: ServerId, email: Email }),
  body: NewServerPermissions,
  headers: ifMatch,
})

/** Takes all access away, also from oneself. */
export const deleteServerUser = call({
  method: 'DELETE',
  path: '/api/servers/:id/user/:email',
  access: { onServer: 'editServerUsers' },
  params: z.object({ id: ServerId, email: z.string().min(1).max(limits.emailMax) }),
})
