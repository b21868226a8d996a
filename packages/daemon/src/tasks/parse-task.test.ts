import { expect, test, vi } from 'vitest'
import { parseTask } from './parse-task.ts'

const daily = { name: 'Backup', cronSchedule: '0 4 * * *', operations: [], savedBy: 1 }
const next = (task: object) =>
  parseTask('a', task).schedule?.after(new Date('2026-01-01T00:00:00Z'), 1)[0]?.toISOString()

test('a schedule uses the time zone of its task, or else that of the node', () => {
  vi.stubEnv('TZ', 'America/New_York')

  expect(next({ ...daily, timezone: 'Asia/Tokyo' })).toBe('2026-01-01T19:00:00.000Z')
  expect(next(daily)).toBe('2026-01-01T09:00:00.000Z')
  expect(next({ ...daily, timezone: ' ' })).toBe('2026-01-01T09:00:00.000Z')
  vi.unstubAllEnvs()
})

test('an invalid pattern disables neither the other patterns nor the schedule', () => {
  const triggers = ['(', 'joined'].map((pattern) => ({ event: 'console', pattern }))

  const { patterns, schedule, problem } = parseTask('a', { ...daily, triggers })

  expect(patterns).toEqual(['joined'])
  expect(schedule).toBeDefined()
  expect(problem).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field: 'triggers.0.pattern' } })
})
