import { closeCodes } from '@innkeeper/contract/servers/live'
import { expect, test } from 'vitest'
import { type Connection, hasGivenUp, transition } from './connection.ts'

const lost = { type: 'lost' } as const
const due = { type: 'due' } as const

/** The pauses before each try, until it gives up. */
function pausesUntilGivingUp(from: Connection): number[] {
  const pauses: number[] = []
  let now = transition(from, lost)
  while (now.status === 'closed') {
    pauses.push(now.retryInMs)
    now = transition(transition(now, due), lost)
  }
  expect(now).toEqual({ status: 'failed' })
  return pauses
}

test('a lost connection is tried five times, each half a second later than the last, and then given up', () => {
  const pauses = pausesUntilGivingUp({ status: 'open', failures: 0 })

  expect(pauses).toEqual([500, 1000, 1500, 2000, 2500])
})

test('a connection that opens and falls at once keeps counting its failures', () => {
  let now: Connection = { status: 'connecting', failures: 4 }

  now = transition(now, { type: 'opened' })
  now = transition(now, lost)

  expect(now).toEqual({ status: 'closed', failures: 5, retryInMs: 2500 })
})

test('a stable connection resets the number of failures', () => {
  const stable = transition({ status: 'open', failures: 5 }, { type: 'stabilized' })

  expect(pausesUntilGivingUp(stable)).toHaveLength(5)
})

test('reconnecting starts with all attempts again', () => {
  const now = transition({ status: 'failed' }, { type: 'reconnect' })

  expect(now).toEqual({ status: 'connecting', failures: 0 })
})

test.each([
  [closeCodes.revoked, 'revoked'],
  [closeCodes.deleted, 'deleted'],
] as const)('a connection closed with code %i is not tried again', (code, because) => {
  const now = transition({ status: 'open', failures: 0 }, { type: 'lost', code })

  expect(now).toEqual({ status: 'ended', because })
  expect(transition(now, { type: 'reconnect' })).toBe(now)
})

test('a node that goes away is tried again', () => {
  expect(transition({ status: 'open', failures: 0 }, { type: 'lost', code: closeCodes.goingAway }).status).toBe(
    'closed',
  )
})

test('leaving the page ends it from every state', () => {
  const states: Connection[] = [
    { status: 'connecting', failures: 1 },
    { status: 'open', failures: 0 },
    { status: 'closed', failures: 2, retryInMs: 1000 },
    { status: 'failed' },
  ]

  for (const state of states) expect(transition(state, { type: 'leave' })).toEqual({ status: 'ended', because: 'left' })
})

test('what comes too late changes nothing', () => {
  const failed: Connection = { status: 'failed' }

  expect(transition(failed, lost)).toBe(failed)
  expect(transition(failed, due)).toBe(failed)
  expect(transition(failed, { type: 'opened' })).toBe(failed)
})

test('a single try after the connection was given up either opens it or leaves it given up', () => {
  const trying = transition({ status: 'failed' }, { type: 'tryOnce' })

  expect(hasGivenUp(trying)).toBe(true)
  expect(transition(trying, lost)).toEqual({ status: 'failed' })
  expect(transition(trying, { type: 'opened' })).toEqual({ status: 'open', failures: 0 })
})
