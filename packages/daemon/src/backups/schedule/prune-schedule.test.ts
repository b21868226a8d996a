import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PruneSchedule } from './prune-schedule.ts'

const log = pino({ level: 'silent' })
const quietHours = { from: 2, to: 6 }
const at = (text: string) => new Date(`2026-11-${text}:00`)
let dir = ''

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'innkeeper-prunes-'))
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dir, { recursive: true })
})

const open = (requestMaintenance = () => {}) =>
  PruneSchedule.open({
    path: join(dir, 'prunes.json'),
    directory: dir,
    quietHours,
    queue: { requestMaintenance },
    log,
  })

test('a target is pruned in quiet hours, also after a restart, and at any hour after a day', async () => {
  vi.setSystemTime(at('20T12:00'))
  const first = await open()
  await first.add('0a0a0a0a')

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
})

test('pruning is requested in quiet hours, and again after a while when it failed', async () => {
  vi.setSystemTime(at('20T12:00'))
  let requests = 0
  const schedule = await open(() => void requests++)
  expect(await schedule.next(Date.now())).toBeUndefined()
  await schedule.add('0a0a0a0a')
  const next = (text: string) => schedule.next(at(text).getTime())

  expect((await next('20T12:00'))?.at).toBe(at('21T02:00').getTime())
  const due = await next('21T03:00')
  expect(due?.at).toBe(at('21T03:00').getTime())
  due?.start()

  expect(requests).toBe(1)
  expect((await next('21T03:00'))?.at).toBe(at('21T03:15').getTime())
  await schedule.remove('0a0a0a0a')
  expect(await next('21T03:00')).toBeUndefined()
})

test('a damaged list does not stop the daemon', async () => {
  writeFileSync(join(dir, 'prunes.json'), '{')

  const schedule = await open()

  expect(schedule.planned()).toEqual([])
})
