import type { PermissionCheck, PermissionSet } from './permissions.ts'

/** A user with access to the server, and the unsaved changes of their permissions. */
export interface UserRow {
  readonly email: string
  readonly name: string
  readonly saved: PermissionSet
  readonly permissions: PermissionSet
  /** Number of permissions that differ from the saved ones. */
  readonly changes: number
  readonly isSelf: boolean
  /** Invited by email; the invitation is not accepted yet. */
  readonly isInvited: boolean
  readonly isSaving: boolean
  readonly canGrant: PermissionCheck
}
