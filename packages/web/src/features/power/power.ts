import type { ServerPermission } from '@innkeeper/contract/api/permissions'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import {
  IconCloudDownload,
  IconPlayerPlay,
  IconPlayerStop,
  IconRotateClockwise,
  IconSkull,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import { type DisplayStatus, toDisplayStatus, toSuspendedStatus } from '../../ui/feedback/status.tsx'

export type PowerAction = 'start' | 'restart' | 'stop' | 'kill' | 'install' | 'cancelInstall'

/** An action that was requested in this browser and whose effect the node has not reported yet. */
export interface PendingAction {
  readonly action: PowerAction
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** `since` of the status at that time: a status with another `since` is newer than the request. */
  readonly since: string | undefined
}

/** How long the optimistic status is shown when the node reports nothing. */
export const optimisticTimeoutMs = 60_000

const optimisticStatus: Readonly<Record<PowerAction, DisplayStatus>> = {
  start: 'starting',
  restart: 'restarting',
  stop: 'stopping',
  kill: 'stopping',
  install: 'installing',
  cancelInstall: 'stopping',
}

/**
 * The status to show: what the node reports, or the expected result of a pending action until the node reports a newer
 * status. The node goes through several states during a restart; they are shown as one. A suspended server is shown as such
 * as soon as it is not known to do anything.
 */
export function getDisplayStatus(
  status: ServerStatus | undefined,
  isUnreachable: boolean,
  pending: PendingAction | undefined,
  now: number,
  isSuspended = false,
): DisplayStatus {
  const reported = isUnreachable || !status ? 'unknown' : toDisplayStatus(status)
  if (isSuspended) return toSuspendedStatus(reported)
  if (isUnreachable || !status) return reported
  if (!pending || now - pending.startedAt > optimisticTimeoutMs) return reported
  if (pending.action === 'restart') return isRestarting(status, pending) ? 'restarting' : reported
  return status.since === pending.since ? optimisticStatus[pending.action] : reported
}

function isRestarting(status: ServerStatus, pending: PendingAction): boolean {
  if (status.since === pending.since) return true
  // As soon as the process runs again, it starts like any other.
  return status.state === 'stopping' || status.state === 'waiting' || (status.state === 'starting' && !status.running)
}

/**
 * The status that decides which actions are possible: a starting server that runs is online, also one that does not
 * respond, a crashed one offline.
 */
export function getEffectiveStatus(displayed: DisplayStatus, status: ServerStatus | undefined): DisplayStatus {
  if (displayed === 'crashed') return 'offline'
  if (displayed === 'notResponding') return 'online'
  return displayed === 'starting' && status?.running ? 'online' : displayed
}

/** Why an action is disabled, as a key of the catalog. */
export type DisabledReason =
  | 'server.PowerDisabledPanelUnreachable'
  | 'server.PowerDisabledNodeUnreachable'
  | 'server.PowerDisabledStatusUnknown'
  | 'server.PowerDisabledBusy'
  | 'server.PowerDisabledSuspended'
  | 'errors.ErrServerOffline'

/** The first button: Start for a server that does not run or sleeps, Restart for any other. */
export function getPrimaryAction(status: DisplayStatus): 'start' | 'restart' {
  return status === 'offline' ||
    status === 'waiting' ||
    status === 'sleeping' ||
    status === 'suspended' ||
    status === 'unknown'
    ? 'start'
    : 'restart'
}

/** The actions to show, in the order of the buttons. During an install, "Cancel installation" is possible, and Install keeps the focus. */
export function getActions(status: DisplayStatus): readonly PowerAction[] {
  return status === 'installing' ? ['cancelInstall', 'install'] : [getPrimaryAction(status), 'stop', 'kill', 'install']
}

/**
 * Why an action is not possible; `undefined` when it is. Kill is possible while anything runs, also when the node is not
 * sure what runs (`isInDoubt`).
 */
export function getDisabledReason(
  action: PowerAction,
  status: DisplayStatus,
  unreachable?: 'panel' | 'node',
  isInDoubt = false,
): DisabledReason | undefined {
  if (status === 'suspended') return 'server.PowerDisabledSuspended'
  if (unreachable)
    return unreachable === 'panel' ? 'server.PowerDisabledPanelUnreachable' : 'server.PowerDisabledNodeUnreachable'
  if (status === 'unknown') return isInDoubt && action === 'kill' ? undefined : 'server.PowerDisabledStatusUnknown'
  switch (action) {
    case 'kill':
      return status === 'offline' || status === 'waiting' ? 'errors.ErrServerOffline' : undefined
    case 'cancelInstall':
      return status === 'installing' ? undefined : 'errors.ErrServerOffline'
    case 'start':
      return status === 'offline' || status === 'waiting' || status === 'sleeping'
        ? undefined
        : 'server.PowerDisabledBusy'
    case 'restart':
      return status === 'online' ? undefined : 'server.PowerDisabledBusy'
    case 'stop':
      if (status === 'offline') return 'errors.ErrServerOffline'
      return ['online', 'sleeping', 'starting', 'waiting', 'restarting'].includes(status)
        ? undefined
        : 'server.PowerDisabledBusy'
    case 'install':
      return status === 'offline' || status === 'online' || status === 'sleeping'
        ? undefined
        : 'server.PowerDisabledBusy'
  }
}

/** The label of an action, as a key of the catalog: Start wakes a server that sleeps. */
export function getPowerLabel(action: PowerAction, displayed: DisplayStatus): TranslationKey {
  return action === 'start' && displayed === 'sleeping' ? 'server.PowerWake' : powerDisplays[action].label
}

/** The label of an action on one of several servers, as a key of the catalog with `name`. */
export function getNamedPowerLabel(action: PowerAction, displayed: DisplayStatus) {
  const isWake = action === 'start' && displayed === 'sleeping'
  return `servers.Named_${isWake ? 'wake' : action}` as const
}

/** The action whose button shows that it is in progress. */
export function getActionInProgress(status: DisplayStatus): PowerAction | undefined {
  const actions: Partial<Record<DisplayStatus, PowerAction>> = {
    starting: 'restart',
    restarting: 'restart',
    stopping: 'stop',
    installing: 'install',
  }
  return actions[status]
}

/** The actions that a user with these permissions can run now; none while the status is unknown. */
export function getAvailableActions(
  displayed: DisplayStatus,
  status: ServerStatus | undefined,
  can: (permission: ServerPermission) => boolean,
): readonly PowerAction[] {
  const effective = getEffectiveStatus(displayed, status)
  const unreachable = status === undefined ? 'node' : undefined
  return getActions(effective).filter(
    (action) =>
      can(requiredPermissions[action]) && !getDisabledReason(action, effective, unreachable, status?.isInDoubt),
  )
}

export const requiredPermissions: Readonly<Record<PowerAction, ServerPermission>> = {
  start: 'startServer',
  restart: 'startServer',
  stop: 'stopServer',
  kill: 'stopServer',
  install: 'installServer',
  cancelInstall: 'stopServer',
}

interface PowerDisplay {
  readonly label: TranslationKey
  readonly Icon: TablerIcon
  /** The keys of its shortcut. */
  readonly keys: string
}

export const powerDisplays: Readonly<Record<PowerAction, PowerDisplay>> = {
  start: { label: 'server.PowerStart', Icon: IconPlayerPlay, keys: 'r r' },
  restart: { label: 'server.PowerRestart', Icon: IconRotateClockwise, keys: 'r r' },
  stop: { label: 'server.PowerStop', Icon: IconPlayerStop, keys: 'r s' },
  kill: { label: 'server.PowerKill', Icon: IconSkull, keys: 'r k' },
  install: { label: 'server.PowerInstall', Icon: IconCloudDownload, keys: 'r i' },
  cancelInstall: { label: 'server.PowerCancelInstall', Icon: IconX, keys: 'r k' },
}
