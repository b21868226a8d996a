import { expect, test } from 'vitest'
import type { LastExit, NotResponding, ServerStatus } from '../servers/status.ts'
import { recoveredAfterMs, recoveryOutcome } from './rules.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const long = recoveredAfterMs
const lastExit = (reason: LastExit['reason']): LastExit => ({ at: '', reason, code: null, signal: null })
const notResponding: NotResponding = { since: '', reason: 'query' }

test.for<[string, Partial<ServerStatus>, number, string]>([
  ['online for a while', { state: 'online' }, long, 'recovered'],
  ['online for less', { state: 'online' }, long - 1, 'lasts'],
  ['online, but does not respond', { state: 'online', notResponding }, long, 'lasts'],
  ['being restarted', { state: 'stopping', notResponding }, long, 'lasts'],
  ['waiting for a start', { state: 'waiting', lastExit: lastExit('crashed') }, long, 'lasts'],
  ['down after a crash', { state: 'offline', lastExit: lastExit('crashed') }, long, 'lasts'],
  ['stopped', { state: 'offline', lastExit: lastExit('stopped') }, 0, 'stopped'],
  ['killed', { state: 'offline', lastExit: lastExit('killed') }, 0, 'stopped'],
])('after an alert, a server that is %s', ([, status, sinceMs, outcome]) => {
  const since = new Date(now - sinceMs).toISOString()
  expect(recoveryOutcome({ state: 'offline', since, ...status }, now)).toBe(outcome)
})
