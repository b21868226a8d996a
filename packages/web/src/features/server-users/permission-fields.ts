import type { ServerUser } from '@innkeeper/contract/accounts/server-users'
import {
  type ServerPermission,
  type ServerPermissions,
  serverPermissionNames,
} from '@innkeeper/contract/api/permissions'
import type { Saved } from '../../forms/use-save-form.ts'
import type { PermissionSet } from './permissions.ts'

/** The permissions of all users as fields of one form: each may be changed by another user at the same time. */
export type PermissionFields = Readonly<Record<string, boolean>>

/** The version of each user's permissions. */
export type Versions = Readonly<Record<string, string | undefined>>

export function toSaved(users: readonly ServerUser[]): Saved<PermissionFields, Versions> {
  const fields = users.flatMap((user) =>
    serverPermissionNames.map((permission) => [toField(user.email, permission), user[permission] === true]),
  )
  return {
    values: Object.fromEntries(fields),
    version: Object.fromEntries(users.map(({ email, version }) => [email, version])),
  }
}

export function getFields(email: string): readonly string[] {
  return serverPermissionNames.map((permission) => toField(email, permission))
}

export function getEmail(field: string): string {
  return field.slice(0, field.lastIndexOf(' '))
}

export function toFields(email: string, permissions: PermissionSet): PermissionFields {
  return Object.fromEntries(
    serverPermissionNames.map((permission) => [toField(email, permission), permissions.has(permission)]),
  )
}

/** The permissions of a user; those that are no field yet are as they were read. */
export function toPermissions(
  fields: PermissionFields,
  user: ServerPermissions & { readonly email: string },
): PermissionSet {
  return new Set(
    serverPermissionNames.filter((permission) => fields[toField(user.email, permission)] ?? user[permission] === true),
  )
}

// The name of a permission has no space.
export const toField = (email: string, permission: ServerPermission): string => [email, permission].join(' ')
