import { expect, test } from 'vitest'
import { findLiveness, problemOfLiveness } from './liveness.ts'

const query = { type: 'query' }
const command = { type: 'command', command: 'list', pattern: 'players online' }

test('a check has defaults for its interval, timeout and failures in a row', () => {
  expect(findLiveness({ liveness: { checks: [query] } })).toEqual({
    checks: [query],
    interval: 30,
    timeout: 5,
    failures: 3,
  })
})

test.for<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a query', { checks: [query] }],
  ['all types', { checks: [query, command, { type: 'output', within: '60' }], interval: '10' }],
  ['a save by its command', { checks: [query], saving: { command: 'save-all', seconds: 300 } }],
  ['fields of later versions', { checks: [{ ...query, added: 'later' }], later: true }],
])('a definition with %s has no problem', ([, liveness]) => {
  expect(problemOfLiveness({ liveness, query: { type: 'source' } })).toBeUndefined()
})

test.for<[string, unknown, string]>([
  ['no object', 'query', 'liveness'],
  ['no check', { checks: [] }, 'liveness.checks'],
  ['an unknown check', { checks: [{ type: 'smoke' }] }, 'liveness.checks.0.type'],
  ['a command without a pattern', { checks: [{ type: 'command', command: 'list' }] }, 'liveness.checks.0.pattern'],
  ['a pattern that is none', { checks: [query, { ...command, pattern: '(' }] }, 'liveness.checks.1.pattern'],
  ['an output without a time', { checks: [{ type: 'output' }] }, 'liveness.checks.0.within'],
  ['an interval that is too short', { checks: [query], interval: 1 }, 'liveness.interval'],
  ['no failure in a row', { checks: [query], failures: 0 }, 'liveness.failures'],
  ['a save without an end', { checks: [query], saving: { command: 'save' } }, 'liveness.saving.seconds'],
  [
    'a pattern of a save that is none',
    { checks: [query], saving: { pattern: '[', seconds: 1 } },
    'liveness.saving.pattern',
  ],
])('%s is a problem, and then nothing is checked', ([, liveness, field]) => {
  expect(problemOfLiveness({ liveness, query: { type: 'source' } })).toMatchObject({ field })
  expect(findLiveness({ liveness })).toBeUndefined()
})

test('a query needs to know how the game is asked', () => {
  expect(problemOfLiveness({ liveness: { checks: [command, query] } })).toEqual({ field: 'liveness.checks.1.type' })
})
