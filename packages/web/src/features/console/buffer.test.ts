import { limits } from '@innkeeper/contract/limits'
import { expect, test } from 'vitest'
import { textOf } from './ansi.ts'
import { ConsoleBuffer, type Lines, snapshotOf } from './buffer.ts'

function texts(lines: Lines): string[] {
  return Array.from({ length: lines.end - lines.first }, (_, index) =>
    textOf(lines.at(lines.first + index)?.text ?? ''),
  )
}

function written(...chunks: string[]): ConsoleBuffer {
  const buffer = new ConsoleBuffer()
  for (const [index, chunk] of chunks.entries()) buffer.write(chunk, 1000 + index)
  return buffer
}

test('chunks split anywhere become the same lines', () => {
  const whole = 'one\r\ntwo\n\nfour'

  for (let size = 1; size <= whole.length; size++) {
    const chunks = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(texts(written(...chunks))).toEqual(['one', 'two', '', 'four'])
  }
})

test('a line without an end is shown, and grows', () => {
  const buffer = written('load')
  const before = texts(buffer)

  buffer.write('ing\n', 1001)

  expect(before).toEqual(['load'])
  expect(texts(buffer)).toEqual(['loading'])
})

test('a line keeps the time of its first byte', () => {
  const buffer = written('slow', ' line\n', 'next\n')

  expect(buffer.at(0)?.time).toBe(1000)
  expect(buffer.at(1)?.time).toBe(1002)
})

test('a line that is not touched stays the same object', () => {
  const buffer = written('one\ntwo')
  const line = buffer.at(0)

  buffer.write('\nthree\n', 1001)

  expect(buffer.at(0)).toBe(line)
})

test('a progress bar that is written over for ever takes no room', () => {
  const buffer = new ConsoleBuffer()

  for (let percent = 0; percent <= 10_000; percent++) buffer.write(`\r${percent} of 10000`, 1000)
  buffer.write('\ndone\n', 1001)

  expect(texts(buffer)).toEqual(['10000 of 10000', 'done'])
  expect(buffer.size).toBeLessThan(200)
})

test('what the daemon says is told apart, without its prefix', () => {
  const buffer = written('[DAEMON] Starting server\nhello [DAEMON] no\n')

  expect(buffer.at(0)).toMatchObject({ kind: 'daemon', text: 'Starting server' })
  expect(buffer.at(1)).toMatchObject({ kind: 'output' })
})

test('a colour goes on in the lines below until it ends', () => {
  const buffer = written('\x1b[31mfirst\nsecond\n\x1b[0mthird\nfourth\n')

  expect([0, 1, 2, 3].map((number) => buffer.at(number)?.style)).toEqual([{}, { color: 1 }, { color: 1 }, {}])
})

test('the oldest lines are dropped when the budget is full, and numbers stay', () => {
  const buffer = new ConsoleBuffer()
  const line = `${'x'.repeat(99)}\n`

  for (let times = 0; times < 300; times++) buffer.write(line.repeat(100), 1000)

  expect(buffer.size).toBeLessThanOrEqual(limits.consoleKeptBytes)
  expect(buffer.size).toBeGreaterThan(limits.consoleKeptBytes - 200)
  expect(buffer.end).toBe(30_000)
  expect(buffer.hasDropped).toBe(true)
  expect(buffer.at(buffer.first - 1)).toBeUndefined()
  expect(buffer.at(buffer.first)).toBeDefined()
  expect(buffer.at(buffer.end - 1)).toBeDefined()
})

test('a line that never ends is cut, so that it too keeps to the budget', () => {
  const buffer = new ConsoleBuffer()

  for (let times = 0; times < 400; times++) buffer.write('x'.repeat(10_000), 1000)

  expect(buffer.size).toBeLessThanOrEqual(limits.consoleKeptBytes)
  expect(buffer.end).toBeGreaterThan(100)
})

test('cutting a long line loses no character', () => {
  const text = Array.from({ length: 30_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')

  expect(texts(written(`${text}\n`)).join('')).toBe(text)
})

test('a gap is a line of its own and ends colours', () => {
  const buffer = written('\x1b[31mhalf')

  buffer.gap(4096)
  buffer.write('after\n', 1001)

  expect(buffer.at(0)).toMatchObject({ text: '\x1b[31mhalf' })
  expect(buffer.at(1)).toMatchObject({ kind: 'gap', bytes: 4096 })
  expect(buffer.at(2)).toMatchObject({ text: 'after', style: {} })
})

test('a command that the daemon recorded is told apart, with who sent it', () => {
  const buffer = written('[DAEMON] mara> say hi\n', 'mara> say hi\n')

  expect(buffer.at(0)).toMatchObject({ kind: 'command', author: 'mara', text: 'say hi' })
  expect(buffer.at(1)).toMatchObject({ kind: 'output', text: 'mara> say hi' })
})

test('starting over leaves nothing of the other console', () => {
  const buffer = written('\x1b[31mold\npart')

  buffer.reset()
  buffer.write('new\n', 1001)

  expect(texts(buffer)).toEqual(['new'])
  expect(buffer.at(buffer.first)?.style).toEqual({})
})

test('a snapshot stays as it was', () => {
  const buffer = written('one\ntwo')
  const snapshot = snapshotOf(buffer)

  buffer.write(' grows\nthree\n', 1001)

  expect(texts(snapshot)).toEqual(['one', 'two'])
})
