import { expect, test } from 'vitest'
import { stripAnsi } from './ansi.ts'
import { ConsoleBuffer, type Lines, maxConsoleBytes, takeSnapshot } from './buffer.ts'

function getTexts(lines: Lines): string[] {
  return Array.from({ length: lines.end - lines.first }, (_, index) =>
    stripAnsi(lines.at(lines.first + index)?.text ?? ''),
  )
}

function createBuffer(...chunks: string[]): ConsoleBuffer {
  const buffer = new ConsoleBuffer()
  for (const [index, chunk] of chunks.entries()) buffer.write(chunk, 1000 + index)
  return buffer
}

test('chunks result in the same lines wherever they are split', () => {
  const whole = 'one\r\ntwo\n\nfour'

  for (let size = 1; size <= whole.length; size++) {
    const chunks = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
    expect(getTexts(createBuffer(...chunks))).toEqual(['one', 'two', '', 'four'])
  }
})

test('an incomplete line is shown and grows', () => {
  const buffer = createBuffer('load')
  const before = getTexts(buffer)

  buffer.write('ing\n', 1001)

  expect(before).toEqual(['load'])
  expect(getTexts(buffer)).toEqual(['loading'])
})

test('a line keeps the time of its first byte', () => {
  const buffer = createBuffer('slow', ' line\n', 'next\n')

  expect(buffer.at(0)?.time).toBe(1000)
  expect(buffer.at(1)?.time).toBe(1002)
})

test('an unchanged line stays the same object', () => {
  const buffer = createBuffer('one\ntwo')
  const line = buffer.at(0)

  buffer.write('\nthree\n', 1001)

  expect(buffer.at(0)).toBe(line)
})

test('a progress bar that overwrites its line does not grow the buffer', () => {
  const buffer = new ConsoleBuffer()

  for (let percent = 0; percent <= 10_000; percent++) buffer.write(`\r${percent} of 10000`, 1000)
  buffer.write('\ndone\n', 1001)

  expect(getTexts(buffer)).toEqual(['10000 of 10000', 'done'])
  expect(buffer.size).toBeLessThan(200)
})

test('lines of the daemon have their own type and no prefix', () => {
  const buffer = createBuffer('[DAEMON] Starting server\nhello [DAEMON] no\n')

  expect(buffer.at(0)).toMatchObject({ type: 'daemon', text: 'Starting server' })
  expect(buffer.at(1)).toMatchObject({ type: 'output' })
})

test('a color continues in the following lines until it is reset', () => {
  const buffer = createBuffer('\x1b[31mfirst\nsecond\n\x1b[0mthird\nfourth\n')

  expect([0, 1, 2, 3].map((number) => buffer.at(number)?.style)).toEqual([{}, { color: 1 }, { color: 1 }, {}])
})

test('the oldest lines are dropped above the limit, and line numbers stay the same', () => {
  const buffer = new ConsoleBuffer()
  const line = `${'x'.repeat(99)}\n`

  for (let times = 0; times < 300; times++) buffer.write(line.repeat(100), 1000)

  expect(buffer.size).toBeLessThanOrEqual(maxConsoleBytes)
  expect(buffer.size).toBeGreaterThan(maxConsoleBytes - 200)
  expect(buffer.end).toBe(30_000)
  expect(buffer.hasDropped).toBe(true)
  expect(buffer.at(buffer.first - 1)).toBeUndefined()
  expect(buffer.at(buffer.first)).toBeDefined()
  expect(buffer.at(buffer.end - 1)).toBeDefined()
})

test('a line without an end is split, so that it stays within the limit', () => {
  const buffer = new ConsoleBuffer()

  for (let times = 0; times < 400; times++) buffer.write('x'.repeat(10_000), 1000)

  expect(buffer.size).toBeLessThanOrEqual(maxConsoleBytes)
  expect(buffer.end).toBeGreaterThan(100)
})

test('splitting a long line loses no characters', () => {
  const text = Array.from({ length: 30_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join('')

  expect(getTexts(createBuffer(`${text}\n`)).join('')).toBe(text)
})

test('a gap is a separate line and resets colors', () => {
  const buffer = createBuffer('\x1b[31mhalf')

  buffer.gap(4096)
  buffer.write('after\n', 1001)

  expect(buffer.at(0)).toMatchObject({ text: '\x1b[31mhalf' })
  expect(buffer.at(1)).toMatchObject({ type: 'gap', bytes: 4096 })
  expect(buffer.at(2)).toMatchObject({ text: 'after', style: {} })
})

test('a command recorded by the daemon has its own type and a sender', () => {
  const buffer = createBuffer('[DAEMON] mara> say hi\n', 'mara> say hi\n')

  expect(buffer.at(0)).toMatchObject({ type: 'command', author: 'mara', text: 'say hi' })
  expect(buffer.at(1)).toMatchObject({ type: 'output', text: 'mara> say hi' })
})

test('a reset removes all lines and styles', () => {
  const buffer = createBuffer('\x1b[31mold\npart')

  buffer.reset()
  buffer.write('new\n', 1001)

  expect(getTexts(buffer)).toEqual(['new'])
  expect(buffer.at(buffer.first)?.style).toEqual({})
})

test('a snapshot does not change', () => {
  const buffer = createBuffer('one\ntwo')
  const snapshot = takeSnapshot(buffer)

  buffer.write(' grows\nthree\n', 1001)

  expect(getTexts(snapshot)).toEqual(['one', 'two'])
})
