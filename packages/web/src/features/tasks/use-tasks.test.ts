import { expect, test } from 'vitest'
import { nextLook } from './use-tasks.ts'

const now = Date.parse('2026-11-22T04:00:00.000Z')
const rests = { isRunning: false }
const due = (inMs: number) => ({ isRunning: false, nextRun: new Date(now + inMs).toISOString() })

test.each([
  ['there is none', [], 10_000],
  ['all rest', [rests, rests], 10_000],
  ['one runs', [rests, { isRunning: true }], 1_000],
  ['one is due within seconds', [rests, due(3_000)], 4_000],
  ['one is due tomorrow', [due(86_400_000)], 10_000],
  // The clock of the node may be behind ours.
  ['one was due a while ago', [due(-60_000)], 1_000],
])('while %s, tasks are looked at again after a while that fits', (_, tasks, wait) => {
  expect(nextLook(tasks, now)).toBe(wait)
})
