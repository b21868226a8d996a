import type { ServerState, ServerStatus } from '@innkeeper/contract/status'
import { expect, test } from 'vitest'
import { type Asked, actionsFor, firstAction, obstacleTo, runningAction, shownState, stateToActOn } from './power.ts'
import { possibleActions } from './use-list-power.ts'

const status = (state: ServerState, since = 'then'): ServerStatus => ({
  running: state === 'online',
  installing: state === 'installing',
  state,
  since,
})
const asked = (action: Asked['action'], since = 'then'): Asked => ({ action, at: 1_000, since })

test('what was asked shows at once, until the node says what is', () => {
  expect(shownState(status('offline'), false, asked('start'), 1_100)).toBe('starting')
  expect(shownState(status('offline', 'later'), false, asked('start'), 1_100)).toBe('offline')
  expect(shownState(status('online', 'later'), false, asked('start'), 1_100)).toBe('online')
})

test('after a minute without a word only the report counts', () => {
  expect(shownState(status('offline'), false, asked('start'), 61_001)).toBe('offline')
})

test('a restart is one state from stop to start', () => {
  const states = (['stopping', 'waiting', 'starting', 'online'] as const).map((state) =>
    shownState(status(state, 'later'), false, asked('restart'), 2_000),
  )

  expect(shownState(status('online'), false, asked('restart'), 1_100)).toBe('restarting')
  expect(states).toEqual(['restarting', 'restarting', 'restarting', 'online'])
})

test('a server that runs and is not ready yet is starting, and can be dealt with like one that is', () => {
  const unready = { ...status('starting', 'later'), running: true }

  expect(shownState(unready, false, asked('restart'), 2_000)).toBe('starting')
  expect(stateToActOn('starting', unready)).toBe('online')
  expect(stateToActOn('starting', status('starting'))).toBe('starting')
  // Of what was asked of it, that shows.
  expect(stateToActOn(shownState(unready, false, asked('stop', 'later'), 1_100), unready)).toBe('stopping')
})

test('a restart that ends in a server that stays down says so', () => {
  expect(shownState(status('offline', 'later'), false, asked('restart'), 2_000)).toBe('offline')
})

test('nothing is known of a server whose node is silent', () => {
  expect(shownState(status('online'), true, undefined, 0)).toBe('unknown')
  expect(shownState(undefined, false, undefined, 0)).toBe('unknown')
})

test('nothing is known of a server that its node itself doubts, but it can be killed', () => {
  const doubted = { ...status('online'), isInDoubt: true }

  expect(shownState(doubted, false, undefined, 0)).toBe('unknown')
  expect(shownState(doubted, false, asked('kill'), 1_100)).toBe('stopping')
  expect(obstacleTo('kill', 'unknown', undefined, true)).toBeUndefined()
  expect(obstacleTo('stop', 'unknown', undefined, true)).toBe('NotKnownYet')
  expect(obstacleTo('kill', 'unknown')).toBe('NotKnownYet')
})

test.each([
  ['offline', 'start'],
  ['waiting', 'start'],
  ['online', 'restart'],
  ['starting', 'restart'],
] as const)('of a server that is %s the front button is %s', (state, action) => {
  expect(firstAction(state)).toBe(action)
})

test('kill is possible while anything runs, and only then', () => {
  for (const state of ['installing', 'starting', 'online', 'stopping', 'restarting'] as const) {
    expect(obstacleTo('kill', state)).toBeUndefined()
  }
  for (const state of ['offline', 'waiting'] as const) expect(obstacleTo('kill', state)).toBe('NotRunning')
})

test('a server that crashed shows it, and can be dealt with like one that is off', () => {
  const lastExit = { at: 'then', reason: 'crashed', code: 1, signal: null } as const

  expect(shownState({ ...status('offline'), lastExit }, false, undefined, 0)).toBe('crashed')
  expect(shownState({ ...status('offline'), lastExit: { ...lastExit, reason: 'stopped' } }, false, undefined, 0)).toBe(
    'offline',
  )
  expect(possibleActions('crashed', { ...status('offline'), lastExit }, () => true)).toEqual(['start', 'install'])
})

test('while a server installs, cancelling that is the only action', () => {
  expect(actionsFor('installing')).toEqual(['restart', 'cancelInstall', 'install'])
  expect(possibleActions('installing', status('installing'), () => true)).toEqual(['cancelInstall'])
})

test('stop is possible while starting, and not while stopping', () => {
  expect(obstacleTo('stop', 'starting')).toBeUndefined()
  expect(obstacleTo('stop', 'restarting')).toBeUndefined()
  expect(obstacleTo('stop', 'stopping')).toBe('Busy')
  expect(obstacleTo('stop', 'offline')).toBe('NotRunning')
})

test('a silent node is the reason for everything', () => {
  for (const action of ['start', 'restart', 'stop', 'kill', 'install'] as const) {
    expect(obstacleTo(action, 'online', 'node')).toBe('NodeSilent')
    expect(obstacleTo(action, 'online', 'panel')).toBe('PanelAway')
  }
})

test('the button of what is going on shows it', () => {
  expect(runningAction('stopping')).toBe('stop')
  expect(runningAction('installing')).toBe('install')
  expect(runningAction('online')).toBeUndefined()
})
