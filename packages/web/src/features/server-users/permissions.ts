import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import { shownPermissions } from '../../ui/names/server-permissions.ts'

/**
 * The width of columns with these headings beside each other, in pixels: 7 for each character, and at least what a switch
 * needs. An estimate, because a measured width depends on how the headings are shown.
 */
export function estimateHeadingsWidth(headings: readonly string[]): number {
  return headings.reduce((sum, heading) => {
    const longestWord = Math.max(...heading.split(' ').map((word) => word.length))
    return sum + Math.max(48, 6 + 7 * longestWord)
  }, 0)
}

/** The granted permissions. */
export type PermissionSet = ReadonlySet<ServerPermission>

/** Whether the signed-in user can grant a permission. */
export type PermissionCheck = (permission: ServerPermission) => boolean

/** Props of controls for the permissions of one user. */
export interface PermissionsProps {
  readonly permissions: PermissionSet
  /** The saved permissions, if any: those that differ are marked. */
  readonly saved?: PermissionSet
  readonly canGrant: PermissionCheck
  readonly onChange: (permissions: PermissionSet) => void
}

/** Permissions that are useless without another one: granting the first grants the second too. */
const requires: Partial<Record<ServerPermission, ServerPermission>> = {
  sendServerConsole: 'viewServerConsole',
  putServerFiles: 'viewServerFiles',
  createServerBackups: 'viewServerBackups',
  restoreServerBackups: 'viewServerBackups',
  kickPlayers: 'viewServerPlayers',
  banPlayers: 'viewServerPlayers',
  unbanPlayers: 'viewServerPlayers',
  opPlayers: 'viewServerPlayers',
  whitelistPlayers: 'viewServerPlayers',
  messagePlayers: 'viewServerPlayers',
}

/** Grants or revokes a permission. */
export function setPermission(
  permissions: PermissionSet,
  permission: ServerPermission,
  isOn: boolean,
  canGrant: PermissionCheck = () => true,
): PermissionSet {
  const after = new Set(permissions)
  if (!isOn) {
    after.delete(permission)
    return after
  }
  after.add(permission)
  const required = requires[permission]
  if (required && canGrant(required)) after.add(required)
  return after
}

export const presets = ['Viewer', 'PlayerModerator', 'Operator', 'CoOwner'] as const
export type Preset = (typeof presets)[number]

const presetPermissions: Readonly<Record<Preset, readonly ServerPermission[]>> = {
  Viewer: ['viewServerConsole', 'viewServerStats', 'viewServerPlayers'],
  PlayerModerator: [
    'viewServerConsole',
    'viewServerStats',
    'viewServerPlayers',
    'kickPlayers',
    'banPlayers',
    'unbanPlayers',
    'whitelistPlayers',
    'messagePlayers',
  ],
  Operator: [
    'viewServerConsole',
    'sendServerConsole',
    'startServer',
    'stopServer',
    'viewServerStats',
    'viewServerPlayers',
    'viewServerFiles',
  ],
  // Everything except the one action that cannot be undone.
  CoOwner: shownPermissions.filter((permission) => permission !== 'deleteServer'),
}

/** Replaces the permissions that the page shows by those of a preset; other permissions stay. */
export function applyPreset(permissions: PermissionSet, preset: Preset, canGrant: PermissionCheck): PermissionSet {
  const others = [...permissions].filter((permission) => !shownPermissions.includes(permission))
  return new Set([
    ...others,
    ...presetPermissions[preset].filter((permission) => permissions.has(permission) || canGrant(permission)),
  ])
}

/** Returns the preset that equals these permissions, or `undefined`. */
export function findPreset(permissions: PermissionSet): Preset | undefined {
  const shown = shownPermissions.filter((permission) => permissions.has(permission))
  return presets.find((preset) => {
    const expected = presetPermissions[preset]
    return expected.length === shown.length && expected.every((permission) => permissions.has(permission))
  })
}

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
  /** When the access ends, ISO 8601. */
  readonly until: string | undefined
  readonly isSaving: boolean
  readonly canGrant: PermissionCheck
}
