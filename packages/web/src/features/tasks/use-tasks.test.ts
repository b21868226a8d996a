import { expect, test } from 'vitest'
import { nextPollMs } from './use-tasks.ts'

const now = Date.parse('2026-11-22T04:00:00.000Z')
const idle = { isRunning: false }
const due = (inMs: number) => ({ isRunning: false, nextRun: new Date(now + inMs).toISOString() })

test.each([
  ['there is none', [], 10_000],
  ['all are idle', [idle, idle], 10_000],
  ['one runs', [idle, { isRunning: true }], 1_000],
  ['one is due within seconds', [idle, due(3_000)], 4_000],
  ['one is due tomorrow', [due(86_400_000)], 10_000],
  // The clock of the node may be behind.
  ['one is overdue', [due(-60_000)], 1_000],
])('the poll interval when %s', (_, tasks, interval) => {
  expect(nextPollMs(tasks, now)).toBe(interval)
})
