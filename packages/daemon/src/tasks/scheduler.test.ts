import { findSchedule } from '@innkeeper/contract/jobs/cron'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { clockCheckIntervalMs, type DueTask, Scheduler } from './scheduler.ts'

const hourMs = 3_600_000

/** A scheduler at a time, and what came due: the time of each, with `!` when it was missed. */
function setUp(time: string) {
  const clock = new FakeClock(time)
  const scheduler = new Scheduler(clock)
  const calls: string[] = []
  let dueUntil = clock.now()
  const add = (expression: string, timezone = 'UTC', key = 'task', from = clock.now()) => {
    const schedule = findSchedule(expression, timezone)
    if (!schedule) throw new Error(`${expression} is no schedule`)
    const onDue = (one: DueTask) => {
      dueUntil = one.dueUntil
      calls.push(`${new Date(clock.now()).toISOString().slice(5, 19).replace('T', ' ')}${one.wasMissed ? '!' : ''}`)
    }
    scheduler.set(key, { schedule, dueUntil: from, due: onDue })
  }
  /** A task whose state is restored after the node was down. */
  const addAgain = (expression: string) => add(expression, 'UTC', 'task', dueUntil)
  return { clock, scheduler, calls, add, addAgain }
}

test('each time comes due once, and the next one is known', () => {
  const { clock, scheduler, calls, add } = setUp('2026-05-01T11:59:30Z')
  add('0 * * * *')

  expect(scheduler.getNext('task')).toEqual(new Date('2026-05-01T12:00:00Z'))
  clock.passTo('2026-05-01T14:30:00Z')

  expect(calls).toEqual(['05-01 12:00:00', '05-01 13:00:00', '05-01 14:00:00'])
  expect(scheduler.getNext('task')).toEqual(new Date('2026-05-01T15:00:00Z'))
})

test.each([
  ['30 2 * * *', '2026-03-28T12:00:00Z', ['03-29 01:00:00', '03-30 00:30:00']],
  ['30 2 * * *', '2026-10-24T12:00:00Z', ['10-25 00:30:00', '10-26 01:30:00']],
  ['0 */6 * * *', '2026-10-24T21:00:00Z', ['10-24 22:00:00', '10-25 05:00:00', '10-25 11:00:00', '10-25 17:00:00']],
])('“%s” runs once for each local time across a DST change (%s)', (expression, from, expected) => {
  const { clock, calls, add } = setUp(from)
  add(expression, 'Europe/Berlin')

  clock.passTo(from.startsWith('2026-03') ? '2026-03-30T12:00:00Z' : '2026-10-26T02:00:00Z')

  expect(calls.slice(0, expected.length)).toEqual(expected)
})

test('across a whole autumn DST change, every half hour comes due once', () => {
  const { clock, calls, add } = setUp('2026-10-24T22:45:00Z')
  add('*/30 * * * *', 'Europe/Berlin')

  clock.pass(4 * hourMs)

  expect(calls).toHaveLength(8)
  expect(new Set(calls).size).toBe(8)
})

test('months have their own lengths, and leap years their extra day', () => {
  const { clock, calls, add } = setUp('2028-01-15T00:00:00Z')
  add('0 0 31 * *')
  add('0 12 29 2 *', 'UTC', 'leap')

  clock.passTo('2028-04-15T00:00:00Z')

  expect(calls).toEqual(['01-31 00:00:00', '02-29 12:00:00', '03-31 00:00:00'])
})

describe('when the clock is set', () => {
  test('forward by an hour, the skipped times count as one missed time', () => {
    const { clock, calls, add } = setUp('2026-05-01T12:00:10Z')
    add('15,30,45 * * * *')

    clock.jump(hourMs)
    clock.passTo('2026-05-01T13:20:00Z')

    expect(calls).toEqual([expect.stringMatching(/^05-01 13:00:\d\d!$/), '05-01 13:15:00'])
  })

  test('forward to just after a time, that one is not missed', () => {
    const { clock, calls, add } = setUp('2026-05-01T12:00:10Z')
    add('* * * * *')

    clock.jump(hourMs)
    clock.pass(60_000)

    expect(calls).toEqual([expect.stringMatching(/^05-01 13:00:\d\d$/), '05-01 13:01:00'])
  })

  test('back by an hour, times that were done do not repeat, and later ones do', () => {
    const { clock, calls, add } = setUp('2026-05-01T11:30:00Z')
    add('0 * * * *')
    clock.passTo('2026-05-01T12:10:00Z')

    clock.jump(-hourMs)
    clock.passTo('2026-05-01T13:10:00Z')

    expect(calls).toEqual(['05-01 12:00:00', '05-01 13:00:00'])
  })

  test('back from a future year, times are as before', () => {
    const { clock, scheduler, calls, add } = setUp('2026-05-01T12:30:00Z')
    add('0 * * * *')
    clock.jump(4 * 365 * 24 * hourMs)
    clock.pass(clockCheckIntervalMs)
    clock.jump(-4 * 365 * 24 * hourMs)

    clock.pass(hourMs)

    expect(calls).toEqual([expect.stringMatching(/!$/), '05-01 13:00:00'])
    expect(scheduler.getNext('task')).toEqual(new Date('2026-05-01T14:00:00Z'))
  })
})

describe('after a restart', () => {
  test('all missed times count as one, and none comes due twice', () => {
    const { clock, calls, add, addAgain } = setUp('2026-05-01T11:59:00Z')
    add('0 * * * *')
    clock.passTo('2026-05-01T12:00:30Z')

    addAgain('0 * * * *')
    clock.passTo('2026-05-01T12:01:00Z')
    expect(calls).toEqual(['05-01 12:00:00'])

    clock.jump(5 * hourMs)
    addAgain('0 * * * *')
    clock.passTo('2026-05-01T18:01:00Z')
    expect(calls).toEqual(['05-01 12:00:00', '05-01 17:01:00!', '05-01 18:00:00'])
  })

  test('a time that passed a moment before was missed too', () => {
    const { clock, calls, add } = setUp('2026-05-01T12:00:02Z')

    add('0 * * * *', 'UTC', 'task', Date.parse('2026-05-01T11:30:00Z'))
    clock.pass(1_000)

    expect(calls).toEqual(['05-01 12:00:02!'])
  })
})

test('a thousand tasks that are due at the same time use one wake-up', () => {
  const { clock, calls, add } = setUp('2026-05-01T11:59:50Z')
  for (let at = 0; at < 1_000; at++) add('0 12 * * *', 'UTC', `task ${at}`)

  clock.pass(20_000)

  expect(calls).toHaveLength(1_000)
  expect(clock.wakes).toBe(1)
})

test('deleted entries do not come due, and without entries there is no timer', () => {
  const { clock, scheduler, calls, add } = setUp('2026-05-01T11:59:50Z')
  add('0 * * * *')
  scheduler.delete('task')
  clock.pass(10 * hourMs)
  expect([calls, clock.wakes]).toEqual([[], 0])

  add('0 * * * *')
  scheduler.close()
  clock.pass(10 * hourMs)
  expect([calls, clock.wakes]).toEqual([[], 0])
})
