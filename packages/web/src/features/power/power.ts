import type { ServerFlag } from '@innkeeper/contract/permissions'
import type { ServerStatus } from '@innkeeper/contract/status'
import { type DisplayStatus, toDisplayStatus } from '../../ui/status.tsx'

export type PowerAction = 'start' | 'restart' | 'stop' | 'kill' | 'install' | 'cancelInstall'

/** What a person asked for here, and what the server was doing then. */
export interface Asked {
  readonly action: PowerAction
  readonly at: number
  /** When the state began in which it was asked. */
  readonly since: string | undefined
}

/** After this long without a word from the node, what was asked is no longer believed. */
export const believedMs = 60_000

const expected: Readonly<Partial<Record<PowerAction, DisplayStatus>>> = {
  start: 'starting',
  restart: 'restarting',
  stop: 'stopping',
  kill: 'stopping',
  install: 'installing',
  cancelInstall: 'stopping',
}

/**
 * The state that is shown: what the node reports, or, until it does, what was asked for. A restart is one state from
 * here, though the node goes through several.
 */
export function shownState(
  status: ServerStatus | undefined,
  isSilent: boolean,
  asked: Asked | undefined,
  now: number,
): DisplayStatus {
  if (isSilent || !status) return 'unknown'
  const reported = toDisplayStatus(status)
  if (!asked || now - asked.at > believedMs) return reported
  if (asked.action === 'restart') return isRestarting(status, asked) ? 'restarting' : reported
  return status.since === asked.since ? (expected[asked.action] ?? reported) : reported
}

function isRestarting(status: ServerStatus, asked: Asked): boolean {
  if (status.since === asked.since) return true
  // Once its process runs again it has been restarted, and starts like any other.
  return status.state === 'stopping' || status.state === 'waiting' || (status.state === 'starting' && !status.running)
}

/**
 * The state that decides on what can be done: a server that runs is up, though it may not be ready yet, and one that
 * crashed is off.
 */
export function stateToActOn(shown: DisplayStatus, status: ServerStatus | undefined): DisplayStatus {
  if (shown === 'crashed') return 'offline'
  return shown === 'starting' && status?.running ? 'online' : shown
}

/** Why an action is not possible now, as a key of the catalogue. */
export type Obstacle = 'PanelAway' | 'NodeSilent' | 'NotKnownYet' | 'NotRunning' | 'Busy'

/** The button in front: a server that does not run can be started, any other restarted. */
export function firstAction(state: DisplayStatus): 'start' | 'restart' {
  return state === 'offline' || state === 'waiting' || state === 'unknown' ? 'start' : 'restart'
}

/**
 * The actions to offer, in the order of the buttons. Killing an install aborts it, and stopping does not: while a server
 * installs, "Cancel install" stands in the place of both.
 */
export function actionsFor(state: DisplayStatus): readonly PowerAction[] {
  return state === 'installing'
    ? ['restart', 'cancelInstall', 'install']
    : [firstAction(state), 'stop', 'kill', 'install']
}

/**
 * What stands in the way of an action; `undefined` when nothing does. Kill is possible while anything runs, also when
 * only its node doubts (`isInDoubt`) what that is.
 */
export function obstacleTo(
  action: PowerAction,
  state: DisplayStatus,
  unreachable?: 'panel' | 'node',
  isInDoubt = false,
): Obstacle | undefined {
  if (unreachable) return unreachable === 'panel' ? 'PanelAway' : 'NodeSilent'
  if (state === 'unknown') return isInDoubt && action === 'kill' ? undefined : 'NotKnownYet'
  switch (action) {
    case 'kill':
      return state === 'offline' || state === 'waiting' ? 'NotRunning' : undefined
    case 'cancelInstall':
      return state === 'installing' ? undefined : 'NotRunning'
    case 'start':
      return state === 'offline' || state === 'waiting' ? undefined : 'Busy'
    case 'restart':
      return state === 'online' ? undefined : 'Busy'
    case 'stop':
      if (state === 'offline') return 'NotRunning'
      return state === 'online' || state === 'starting' || state === 'waiting' || state === 'restarting'
        ? undefined
        : 'Busy'
    case 'install':
      return state === 'offline' || state === 'online' ? undefined : 'Busy'
  }
}

/** The action that the server is at; its button shows it. */
export function runningAction(state: DisplayStatus): PowerAction | undefined {
  const actions: Partial<Record<DisplayStatus, PowerAction>> = {
    starting: 'restart',
    restarting: 'restart',
    stopping: 'stop',
    installing: 'install',
  }
  return actions[state]
}

/** The names of the actions, as keys of the catalogue. */
export const actionNames: Readonly<Record<PowerAction, string>> = {
  start: 'server.PowerStart',
  restart: 'server.PowerRestart',
  stop: 'server.PowerStop',
  kill: 'server.PowerKill',
  install: 'server.PowerInstall',
  cancelInstall: 'server.PowerCancelInstall',
}

export const rightFor: Readonly<Record<PowerAction, ServerFlag>> = {
  start: 'startServer',
  restart: 'startServer',
  stop: 'stopServer',
  kill: 'stopServer',
  install: 'installServer',
  cancelInstall: 'stopServer',
}
