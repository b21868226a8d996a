import { type ServerFlag, type ServerPermissions, serverFlags } from '@innkeeper/contract/permissions'

/** A right that the grid shows, with its short name (column) and long name (phone) in the catalogue. */
export interface Column {
  readonly flag: ServerFlag
  readonly short: string
  readonly long: string
}

/** Columns that belong together, under one heading. */
export interface ColumnGroup {
  readonly name: string
  readonly columns: readonly Column[]
}

/** The rights of a person on a server, in five groups. */
export const columnGroups: readonly ColumnGroup[] = [
  {
    name: 'server-users.Console',
    columns: [
      { flag: 'viewServerConsole', short: 'server-users.View', long: 'server-users.ViewConsole' },
      { flag: 'sendServerConsole', short: 'server-users.Send', long: 'server-users.SendCommands' },
    ],
  },
  {
    name: 'server-users.Power',
    columns: [
      { flag: 'startServer', short: 'server-users.Start', long: 'server-users.StartAndRestart' },
      { flag: 'stopServer', short: 'server-users.Stop', long: 'server-users.StopAndKill' },
      { flag: 'installServer', short: 'server-users.Install', long: 'server-users.InstallIt' },
    ],
  },
  {
    name: 'server-users.Stats',
    columns: [{ flag: 'viewServerStats', short: 'server-users.View', long: 'server-users.ViewUsage' }],
  },
  {
    name: 'server-users.Files',
    columns: [
      { flag: 'sftpServer', short: 'server-users.Sftp', long: 'server-users.SftpAccess' },
      { flag: 'viewServerFiles', short: 'server-users.View', long: 'server-users.ViewFiles' },
      { flag: 'putServerFiles', short: 'server-users.Edit', long: 'server-users.EditFiles' },
    ],
  },
  {
    name: 'server-users.Manage',
    columns: [
      { flag: 'editServerData', short: 'server-users.Settings', long: 'server-users.ChangeSettings' },
      { flag: 'editServerUsers', short: 'server-users.Users', long: 'server-users.ManageUsers' },
      { flag: 'deleteServer', short: 'server-users.Delete', long: 'server-users.DeleteIt' },
    ],
  },
]

export const columns: readonly Column[] = columnGroups.flatMap((group) => group.columns)
export const shownFlags: readonly ServerFlag[] = columns.map(({ flag }) => flag)

/** The rights that somebody has: those in the set. */
export type Flags = ReadonlySet<ServerFlag>

export function flagsOf(permissions: ServerPermissions): Flags {
  return new Set(serverFlags.filter((flag) => permissions[flag] === true))
}

/** What a right is of no use without: giving the first gives the second too. Taking away is left to the person. */
const needs: Partial<Record<ServerFlag, ServerFlag>> = {
  sendServerConsole: 'viewServerConsole',
  putServerFiles: 'viewServerFiles',
}

/** The rights after one was switched. */
export function switched(flags: Flags, flag: ServerFlag, isOn: boolean, mayGive: MayGive = () => true): Flags {
  const after = new Set(flags)
  if (!isOn) {
    after.delete(flag)
    return after
  }
  after.add(flag)
  const needed = needs[flag]
  if (needed && mayGive(needed)) after.add(needed)
  return after
}

/** Whether the person at the screen may give a right: those they have themselves, and those that are there already. */
export type MayGive = (flag: ServerFlag) => boolean

export const presets = ['Viewer', 'PlayerModerator', 'Operator', 'CoOwner'] as const
export type Preset = (typeof presets)[number]

const flagsOfPreset: Readonly<Record<Preset, readonly ServerFlag[]>> = {
  Viewer: ['viewServerConsole', 'viewServerStats'],
  PlayerModerator: ['viewServerConsole', 'sendServerConsole', 'viewServerStats'],
  Operator: [
    'viewServerConsole',
    'sendServerConsole',
    'startServer',
    'stopServer',
    'viewServerStats',
    'viewServerFiles',
  ],
  // Everything but the one thing that cannot be undone.
  CoOwner: shownFlags.filter((flag) => flag !== 'deleteServer'),
}

/** The rights after a preset filled a row. What the grid does not show stays as it is. */
export function withPreset(flags: Flags, preset: Preset, mayGive: MayGive): Flags {
  const unseen = [...flags].filter((flag) => !shownFlags.includes(flag))
  return new Set([...unseen, ...flagsOfPreset[preset].filter((flag) => flags.has(flag) || mayGive(flag))])
}

/** The preset that these rights are; `undefined` when they are a choice of their own. */
export function presetOf(flags: Flags): Preset | undefined {
  const shown = shownFlags.filter((flag) => flags.has(flag))
  return presets.find((preset) => {
    const wanted = flagsOfPreset[preset]
    return wanted.length === shown.length && wanted.every((flag) => flags.has(flag))
  })
}

/** Which rights were switched and are not saved, and to what: what somebody else switches meanwhile stays. */
export type Edits = Readonly<Partial<Record<ServerFlag, boolean>>>

export function editsBetween(saved: Flags, flags: Flags): Edits {
  const changed = serverFlags.filter((flag) => saved.has(flag) !== flags.has(flag))
  return Object.fromEntries(changed.map((flag) => [flag, flags.has(flag)]))
}

/** The rights as they would be with the edits. */
export function withEdits(saved: Flags, edits: Edits): Flags {
  return new Set(serverFlags.filter((flag) => edits[flag] ?? saved.has(flag)))
}

/** The edits that are left when some of them were saved: those that were switched again since. */
export function editsLeft(edits: Edits, sent: Edits): Edits {
  return Object.fromEntries(Object.entries(edits).filter(([flag, isOn]) => sent[flag as ServerFlag] !== isOn))
}

/** How many rights differ. */
export function differences(before: Flags, after: Flags): number {
  return [...before].filter((flag) => !after.has(flag)).length + [...after].filter((flag) => !before.has(flag)).length
}
