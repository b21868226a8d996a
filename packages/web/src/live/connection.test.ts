import { closeCodes } from '@innkeeper/contract/live'
import { expect, test } from 'vitest'
import { after, type Connection, isGivenUp } from './connection.ts'

const lost = { kind: 'lost' } as const
const due = { kind: 'due' } as const

/** The pauses before each try, until it gives up. */
function pausesUntilGivingUp(from: Connection): number[] {
  const pauses: number[] = []
  let now = after(from, lost)
  while (now.is === 'closed') {
    pauses.push(now.retryInMs)
    now = after(after(now, due), lost)
  }
  expect(now).toEqual({ is: 'failed' })
  return pauses
}

test('a lost connection is tried five times, each half a second later than the last, and then given up', () => {
  const pauses = pausesUntilGivingUp({ is: 'open', failures: 0 })

  expect(pauses).toEqual([500, 1000, 1500, 2000, 2500])
})

test('a connection that opens and falls at once keeps counting its failures', () => {
  let now: Connection = { is: 'connecting', failures: 4 }

  now = after(now, { kind: 'opened' })
  now = after(now, lost)

  expect(now).toEqual({ is: 'closed', failures: 5, retryInMs: 2500 })
})

test('a connection that held forgets earlier failures', () => {
  const held = after({ is: 'open', failures: 5 }, { kind: 'held' })

  expect(pausesUntilGivingUp(held)).toHaveLength(5)
})

test('asking to reconnect begins again with a full set of tries', () => {
  const now = after({ is: 'failed' }, { kind: 'reconnect' })

  expect(now).toEqual({ is: 'connecting', failures: 0 })
})

test.each([
  [closeCodes.revoked, 'revoked'],
  [closeCodes.deleted, 'deleted'],
] as const)('a connection closed with code %i is not tried again', (code, because) => {
  const now = after({ is: 'open', failures: 0 }, { kind: 'lost', code })

  expect(now).toEqual({ is: 'ended', because })
  expect(after(now, { kind: 'reconnect' })).toBe(now)
})

test('a node that goes away is tried again', () => {
  expect(after({ is: 'open', failures: 0 }, { kind: 'lost', code: closeCodes.goingAway }).is).toBe('closed')
})

test('leaving the page ends it from every state', () => {
  const states: Connection[] = [
    { is: 'connecting', failures: 1 },
    { is: 'open', failures: 0 },
    { is: 'closed', failures: 2, retryInMs: 1000 },
    { is: 'failed' },
  ]

  for (const state of states) expect(after(state, { kind: 'leave' })).toEqual({ is: 'ended', because: 'left' })
})

test('what comes too late changes nothing', () => {
  const failed: Connection = { is: 'failed' }

  expect(after(failed, lost)).toBe(failed)
  expect(after(failed, due)).toBe(failed)
  expect(after(failed, { kind: 'opened' })).toBe(failed)
})

test('a single try after the connection was given up either opens it or leaves it given up', () => {
  const trying = after({ is: 'failed' }, { kind: 'tryOnce' })

  expect(isGivenUp(trying)).toBe(true)
  expect(after(trying, lost)).toEqual({ is: 'failed' })
  expect(after(trying, { kind: 'opened' })).toEqual({ is: 'open', failures: 0 })
})
