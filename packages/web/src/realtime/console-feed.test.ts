import { expect, test } from 'vitest'
import { type Cursor, initialCursor, readOutput, readReplay } from './console-feed.ts'

function output(from: number, text: string) {
  return { logs: [text], from, to: from + new TextEncoder().encode(text).length, epoch: 1000 }
}

const waiting = (at: number | undefined): Cursor => ({ position: at, awaitingReplay: true })
const reading = (at: number): Cursor => ({ position: at, awaitingReplay: false })

test('a first replay starts at the oldest stored output', () => {
  const { cursor: now, chunks } = readReplay(waiting(undefined), { from: 300, to: 400 })

  expect(now).toEqual(reading(300))
  expect(chunks).toEqual([])
})

test('output that follows is taken whole', () => {
  const { cursor: now, chunks } = readOutput(reading(300), output(300, 'hello\n'))

  expect(now.position).toBe(306)
  expect(chunks).toEqual([{ type: 'text', text: 'hello\n', epoch: 1000 }])
})

test('output that was read before is not taken again', () => {
  const { cursor: now, chunks } = readOutput(reading(306), output(300, 'hello\n'))

  expect(now.position).toBe(306)
  expect(chunks).toEqual([])
})

test('only the new bytes of overlapping output are added, counted as UTF-8', () => {
  const { chunks } = readOutput(reading(304), output(300, 'zoë\nnew\n'))

  expect(chunks).toEqual([{ type: 'text', text: '\nnew\n', epoch: 1000 }])
})

test('a jump forward reports the number of missing bytes', () => {
  const { cursor: now, chunks } = readOutput(reading(100), output(350, 'late\n'))

  expect(now.position).toBe(355)
  expect(chunks[0]).toEqual({ type: 'gap', bytes: 250 })
})

test('a replay that starts after the current position reports the gap once', () => {
  const answered = readReplay(waiting(100), { from: 160, to: 400 })
  const then = readOutput(answered.cursor, output(160, 'on'))

  expect(answered.chunks).toEqual([{ type: 'gap', bytes: 60 }])
  expect(then.chunks).toEqual([{ type: 'text', text: 'on', epoch: 1000 }])
})

test('positions that went back reset the console and request all output', () => {
  const { cursor: now, chunks, replayAll } = readReplay(waiting(5000), { from: 0, to: 40 })

  expect(chunks).toEqual([{ type: 'reset' }])
  expect(replayAll).toBe(true)
  expect(now).toEqual({ at: undefined, awaitingReplay: true })
})

test('live output that overtakes the answer to a replay is no gap', () => {
  const overtaking = readOutput(waiting(100), output(180, 'new'))
  const answered = readReplay(overtaking.cursor, { from: 0, to: 183 })
  const replayed = readOutput(answered.cursor, output(100, 'x'.repeat(80)))
  const retry = readOutput(replayed.cursor, output(180, 'new'))

  expect(overtaking.chunks).toEqual([])
  expect(replayed.chunks).toHaveLength(1)
  expect(retry.chunks).toEqual([{ type: 'text', text: 'new', epoch: 1000 }])
  expect(retry.cursor.position).toBe(183)
})

test('output before any answer waits for the replay that holds it', () => {
  expect(readOutput(waiting(undefined), output(10, 'x')).chunks).toEqual([])
  expect(readOutput(initialCursor, output(10, 'x')).chunks).toHaveLength(1)
})
