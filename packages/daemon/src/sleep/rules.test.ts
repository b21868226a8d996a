import { expect, test } from 'vitest'
import { type SleepFacts, SleepRule } from './rules.ts'

const idle: SleepFacts = { isOnline: true, players: 0, isUsed: false, usedAt: Number.NEGATIVE_INFINITY }
const afterMs = 100

/** Whether it is time after each of the facts, 50 ms apart. */
function decide(...facts: readonly SleepFacts[]): boolean[] {
  const rule = new SleepRule()
  return facts.map((one, at) => rule.advance(one, at * 50, afterMs))
}

test('a server falls asleep after it has been idle for the whole time', () => {
  expect(decide(idle, idle, idle)).toEqual([false, false, true])
})

test.for<[string, Partial<SleepFacts>]>([
  ['plays', { players: 1 }],
  ['may play, because the game does not answer', { players: undefined }],
  ['uses it', { isUsed: true }],
  ['has used it', { usedAt: 50 }],
  ['has stopped it', { isOnline: false }],
])('it begins anew when somebody %s', ([, fact]) => {
  expect(decide(idle, { ...idle, ...fact }, idle, { ...idle, usedAt: fact.usedAt ?? 0 })).toEqual([
    false,
    false,
    false,
    fact.usedAt !== undefined,
  ])
})
