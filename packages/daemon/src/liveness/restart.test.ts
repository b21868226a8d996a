import { expect, test } from 'vitest'
import { decideAction } from './restart.ts'

const hour = 60 * 60 * 1000
const now = Date.parse('2026-01-01T12:00:00Z')
const before = (ms: number, action: 'restart' | 'limit' | 'none' = 'restart') => ({
  at: new Date(now - ms).toISOString(),
  action,
})

test.for<[string, boolean, ReturnType<typeof before>[], string]>([
  ['nothing is done where the owner has not switched it on', false, [], 'none'],
  ['it is restarted', true, [], 'restart'],
  ['it is restarted a third time', true, [before(1), before(hour - 1)], 'restart'],
  ['but not a fourth time in an hour', true, [before(1), before(2), before(hour - 1)], 'limit'],
  ['older restarts do not count', true, [before(1), before(2), before(hour)], 'restart'],
  ['nor do other reports', true, [before(1, 'limit'), before(2, 'none'), before(3, 'none')], 'restart'],
])('%s', ([, isOn, reports, action]) => {
  expect(decideAction(isOn, reports, now)).toBe(action)
})
