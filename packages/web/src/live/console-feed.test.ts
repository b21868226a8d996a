import { expect, test } from 'vitest'
import { type Reading, readOutput, readReplay, unread } from './console-feed.ts'

function output(from: number, text: string) {
  return { logs: [text], from, to: from + new TextEncoder().encode(text).length, epoch: 1000 }
}

const waiting = (at: number | undefined): Reading => ({ at, awaitingReplay: true })
const reading = (at: number): Reading => ({ at, awaitingReplay: false })

test('a first replay begins where the held output begins', () => {
  const { reading: now, feed } = readReplay(waiting(undefined), { from: 300, to: 400 })

  expect(now).toEqual(reading(300))
  expect(feed).toEqual([])
})

test('output that follows is taken whole', () => {
  const { reading: now, feed } = readOutput(reading(300), output(300, 'hello\n'))

  expect(now.at).toBe(306)
  expect(feed).toEqual([{ kind: 'text', text: 'hello\n', epoch: 1000 }])
})

test('output that was read before is not taken again', () => {
  const { reading: now, feed } = readOutput(reading(306), output(300, 'hello\n'))

  expect(now.at).toBe(306)
  expect(feed).toEqual([])
})

test('of output that overlaps only the new bytes are taken, counted as UTF-8', () => {
  const { feed } = readOutput(reading(304), output(300, 'zoë\nnew\n'))

  expect(feed).toEqual([{ kind: 'text', text: '\nnew\n', epoch: 1000 }])
})

test('a jump forward is said with the number of missing bytes', () => {
  const { reading: now, feed } = readOutput(reading(100), output(350, 'late\n'))

  expect(now.at).toBe(355)
  expect(feed[0]).toEqual({ kind: 'gap', bytes: 250 })
})

test('a replay that can no longer begin where we are says what is missing once', () => {
  const answered = readReplay(waiting(100), { from: 160, to: 400 })
  const then = readOutput(answered.reading, output(160, 'on'))

  expect(answered.feed).toEqual([{ kind: 'gap', bytes: 60 }])
  expect(then.feed).toEqual([{ kind: 'text', text: 'on', epoch: 1000 }])
})

test('positions that went back begin the console anew and ask for all of it', () => {
  const { reading: now, feed, replayAll } = readReplay(waiting(5000), { from: 0, to: 40 })

  expect(feed).toEqual([{ kind: 'startOver' }])
  expect(replayAll).toBe(true)
  expect(now).toEqual({ at: undefined, awaitingReplay: true })
})

test('live output that overtakes the answer to a replay is no gap', () => {
  const overtaking = readOutput(waiting(100), output(180, 'new'))
  const answered = readReplay(overtaking.reading, { from: 0, to: 183 })
  const replayed = readOutput(answered.reading, output(100, 'x'.repeat(80)))
  const again = readOutput(replayed.reading, output(180, 'new'))

  expect(overtaking.feed).toEqual([])
  expect(replayed.feed).toHaveLength(1)
  expect(again.feed).toEqual([{ kind: 'text', text: 'new', epoch: 1000 }])
  expect(again.reading.at).toBe(183)
})

test('output before any answer waits for the replay that holds it', () => {
  expect(readOutput(waiting(undefined), output(10, 'x')).feed).toEqual([])
  expect(readOutput(unread, output(10, 'x')).feed).toHaveLength(1)
})
