import type { ServerState, ServerStatus } from '@innkeeper/contract/servers/status'
import { expect, test } from 'vitest'
import {
  getActionInProgress,
  getActions,
  getAvailableActions,
  getDisabledReason,
  getDisplayStatus,
  getEffectiveStatus,
  getPrimaryAction,
  type PendingAction,
} from './power.ts'

const status = (state: ServerState, since = 'then'): ServerStatus => ({
  running: state === 'online',
  installing: state === 'installing',
  state,
  since,
})
const pending = (action: PendingAction['action'], since = 'then'): PendingAction => ({
  action,
  startedAt: 1_000,
  since,
})

test('the expected status of a pending action is shown until the node reports a newer one', () => {
  expect(getDisplayStatus(status('offline'), false, pending('start'), 1_100)).toBe('starting')
  expect(getDisplayStatus(status('offline', 'later'), false, pending('start'), 1_100)).toBe('offline')
  expect(getDisplayStatus(status('online', 'later'), false, pending('start'), 1_100)).toBe('online')
})

test('a suspended server is shown as such, also of an unknown node, unless it still stops; it has no actions', () => {
  expect(getDisplayStatus(status('offline'), false, pending('start'), 1_100, true)).toBe('suspended')
  expect(getDisplayStatus(undefined, true, undefined, 0, true)).toBe('suspended')
  expect(getDisplayStatus(status('stopping'), false, undefined, 0, true)).toBe('stopping')
  expect(getAvailableActions('suspended', status('offline'), () => true)).toEqual([])
})

test('a pending action expires after a minute without a report', () => {
  expect(getDisplayStatus(status('offline'), false, pending('start'), 61_001)).toBe('offline')
})

test('a restart is shown as one status from stop to start', () => {
  const states = (['stopping', 'waiting', 'starting', 'online'] as const).map((state) =>
    getDisplayStatus(status(state, 'later'), false, pending('restart'), 2_000),
  )

  expect(getDisplayStatus(status('online'), false, pending('restart'), 1_100)).toBe('restarting')
  expect(states).toEqual(['restarting', 'restarting', 'restarting', 'online'])
})

test('a server that runs but is not ready is starting, and allows the actions of an online server', () => {
  const notReady = { ...status('starting', 'later'), running: true }

  expect(getDisplayStatus(notReady, false, pending('restart'), 2_000)).toBe('starting')
  expect(getEffectiveStatus('starting', notReady)).toBe('online')
  expect(getEffectiveStatus('starting', status('starting'))).toBe('starting')
  // A pending action still takes precedence.
  expect(getEffectiveStatus(getDisplayStatus(notReady, false, pending('stop', 'later'), 1_100), notReady)).toBe(
    'stopping',
  )
})

test('a restart that ends with the server offline is shown as offline', () => {
  expect(getDisplayStatus(status('offline', 'later'), false, pending('restart'), 2_000)).toBe('offline')
})

test('the status of a server whose node is unreachable is unknown', () => {
  expect(getDisplayStatus(status('online'), true, undefined, 0)).toBe('unknown')
  expect(getDisplayStatus(undefined, false, undefined, 0)).toBe('unknown')
})

test('a server whose node is not sure of its status is unknown, but it can be killed', () => {
  const inDoubt = { ...status('online'), isInDoubt: true }

  expect(getDisplayStatus(inDoubt, false, undefined, 0)).toBe('unknown')
  expect(getDisplayStatus(inDoubt, false, pending('kill'), 1_100)).toBe('stopping')
  expect(getDisabledReason('kill', 'unknown', undefined, true)).toBeUndefined()
  expect(getDisabledReason('stop', 'unknown', undefined, true)).toBe('server.PowerDisabledStatusUnknown')
  expect(getDisabledReason('kill', 'unknown')).toBe('server.PowerDisabledStatusUnknown')
})

test.each([
  ['offline', 'start'],
  ['waiting', 'start'],
  ['online', 'restart'],
  ['starting', 'restart'],
] as const)('the primary action of a server that is %s is %s', (state, action) => {
  expect(getPrimaryAction(state)).toBe(action)
})

test('kill is possible only while something runs', () => {
  for (const state of ['installing', 'starting', 'online', 'stopping', 'restarting'] as const) {
    expect(getDisabledReason('kill', state)).toBeUndefined()
  }
  for (const state of ['offline', 'waiting'] as const)
    expect(getDisabledReason('kill', state)).toBe('errors.ErrServerOffline')
})

test('a crashed server is shown as crashed and allows the actions of an offline server', () => {
  const lastExit = { at: 'then', reason: 'crashed', code: 1, signal: null } as const

  expect(getDisplayStatus({ ...status('offline'), lastExit }, false, undefined, 0)).toBe('crashed')
  expect(
    getDisplayStatus({ ...status('offline'), lastExit: { ...lastExit, reason: 'stopped' } }, false, undefined, 0),
  ).toBe('offline')
  expect(getAvailableActions('crashed', { ...status('offline'), lastExit }, () => true)).toEqual(['start', 'install'])
})

test('during an install, canceling it is the only action', () => {
  expect(getActions('installing')).toEqual(['cancelInstall', 'install'])
  expect(getAvailableActions('installing', status('installing'), () => true)).toEqual(['cancelInstall'])
})

test('stop is possible while starting, and not while stopping', () => {
  expect(getDisabledReason('stop', 'starting')).toBeUndefined()
  expect(getDisabledReason('stop', 'restarting')).toBeUndefined()
  expect(getDisabledReason('stop', 'stopping')).toBe('server.PowerDisabledBusy')
  expect(getDisabledReason('stop', 'offline')).toBe('errors.ErrServerOffline')
})

test('an unreachable node or panel disables every action', () => {
  for (const action of ['start', 'restart', 'stop', 'kill', 'install'] as const) {
    expect(getDisabledReason(action, 'online', 'node')).toBe('server.PowerDisabledNodeUnreachable')
    expect(getDisabledReason(action, 'online', 'panel')).toBe('server.PowerDisabledPanelUnreachable')
  }
})

test('the action in progress belongs to the status', () => {
  expect(getActionInProgress('stopping')).toBe('stop')
  expect(getActionInProgress('installing')).toBe('install')
  expect(getActionInProgress('online')).toBeUndefined()
})
