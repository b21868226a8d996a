import { z } from 'zod/mini'
import { endpoint, etag, ifMatch } from '../api/endpoint.ts'
import { panelScopes, serverPermissionNames } from '../api/permissions.ts'
import { ServerTag } from '../text/names.ts'
import { UserId } from './users.ts'

/** Scopes that a role can have. Administrators are named one by one. */
export const roleScopes = panelScopes.filter((scope) => scope !== 'servers.admin')

export const maxRoles = 100
export const maxRolesPerUser = 50

const name = z.string().check(z.trim(), z.minLength(1), z.maxLength(64))

/** Scopes apply in the whole panel, `permissions` on the servers that the role is given for. */
const RoleInput = z.strictObject({
  name,
  description: z._default(z.string().check(z.trim(), z.maxLength(500)), ''),
  scopes: z._default(z.array(z.enum(roleScopes)), []),
  permissions: z._default(z.array(z.enum(serverPermissionNames)), []),
})
export type RoleInput = z.infer<typeof RoleInput>

export const Role = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  scopes: z.array(z.enum(panelScopes)),
  permissions: z.array(z.enum(serverPermissionNames)),
  /** Number of users who have it. */
  users: z.number(),
})
export type Role = z.infer<typeof Role>

const RoleId = z.object({ id: z.string().check(z.minLength(1), z.maxLength(36)) })
const admin = { scope: 'servers.admin' } as const

/** All roles, by name. */
export const listRoles = endpoint('GET', '/api/roles', {
  access: { scope: 'users.view' },
  response: z.array(Role),
})

/** ErrDuplicateRoleName for a name that is taken. */
export const createRole = endpoint('POST', '/api/roles', {
  access: admin,
  audit: 'role.create',
  body: RoleInput,
  response: z.object({ id: z.string() }),
  errorStatuses: [409],
})

/** Replaces a role. Its users have what it then gives, on open connections within 5 seconds. */
export const putRole = endpoint('PUT', '/api/roles/:id', {
  access: admin,
  audit: 'role.edit',
  params: RoleId,
  body: RoleInput,
  errorStatuses: [404, 409],
})

/** Takes it from its users, too. */
export const deleteRole = endpoint('DELETE', '/api/roles/:id', {
  access: admin,
  audit: 'role.delete',
  params: RoleId,
})

/** A role that a user has: on all servers, or on those with a tag. */
const RoleOfUser = z.object({ role: z.string(), tag: z.optional(ServerTag) })

/** Roles of a user. `source` names what gives it: `manual` for a person. The version is in the `ETag` header. */
export const getUserRoles = endpoint('GET', '/api/users/:id/roles', {
  access: { scope: 'users.view' },
  params: UserId,
  response: z.object({
    roles: z.array(z.extend(RoleOfUser, { name: z.string(), source: z.string() })),
  }),
  responseHeaders: etag,
})

/**
 * Replaces the roles that people have given a user. Who gives a role must have its scopes, and its permissions on all
 * servers, or on those with the tag (`ErrMissingScope`).
 */
export const putUserRoles = endpoint('PUT', '/api/users/:id/roles', {
  access: { scope: 'users.edit' },
  audit: 'user.roles',
  params: UserId,
  body: z.strictObject({ roles: z.array(RoleOfUser).check(z.maxLength(maxRolesPerUser)) }),
  headers: ifMatch,
})
