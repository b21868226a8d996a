import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { nextProofTime } from './proof-schedule.ts'
import { PruneSchedule } from './prune-schedule.ts'

const log = pino({ level: 'silent' })
const quietHours = { from: 2, to: 6 }
const at = (text: string) => new Date(`2026-11-${text}:00`)
let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'innkeeper-prunes-'))
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true })
})

const open = (onDue = () => {}) =>
  PruneSchedule.open({ path: join(dir, 'prunes.json'), directory: dir, quietHours, checkMs: 1_000, onDue, log })

test('a target is pruned in quiet hours, also after a restart, and at any hour after a day', async () => {
  vi.setSystemTime(at('20T12:00'))
  const first = await open()
  await first.add('0a0a0a0a')
  first.close()

  const schedule = await open()

  const due = (text: string) => schedule.isDue('0a0a0a0a', at(text))
  expect([await due('20T13:00'), await due('21T01:59'), await due('21T02:00'), await due('21T06:00')]).toEqual([
    false,
    false,
    true,
    false,
  ])
  expect(await due('21T12:01')).toBe(true)
  expect(schedule.planned(at('20T13:00'))).toEqual([{ target: '0a0a0a0a', at: at('21T02:00').getTime() }])
  await schedule.remove('0a0a0a0a')
  expect(await due('21T02:00')).toBe(false)
  schedule.close()
})

test('work waits for quiet hours by a timer, not for a later deletion', async () => {
  vi.setSystemTime(at('20T12:00'))
  let calls = 0
  const schedule = await open(() => void calls++)
  await schedule.add('0a0a0a0a')

  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls).toBe(0)
  vi.setSystemTime(at('21T03:00'))
  await vi.advanceTimersByTimeAsync(1_000)

  await vi.waitFor(() => expect(calls).toBe(1))
  schedule.close()
})

test('a damaged list does not stop the daemon', async () => {
  writeFileSync(join(dir, 'prunes.json'), '{')

  const schedule = await open()

  expect(schedule.planned()).toEqual([])
  schedule.close()
})

test.for([
  ['20T12:00', '20T10:00', '21T02:00'],
  ['20T03:00', '20T01:00', '20T03:00'],
  ['20T12:00', '22T10:00', '23T02:00'],
  ['20T12:00', '18T10:00', '20T12:00'],
] as const)('at %s, work due since %s is planned at %s', ([now, due, planned]) => {
  expect(nextProofTime({ dueAt: at(due).getTime() }, quietHours, at(now))).toEqual(at(planned))
})
