import { expect, test } from 'vitest'
import { getSince, LogReader } from './log-reader.ts'

const stamp = (nanoseconds: number) => `2026-01-31T12:00:00.${String(nanoseconds).padStart(9, '0')}Z `

/** Reads a log in pieces of one size. */
function read(log: string, size: number) {
  const entries: [time: string, from: number][] = []
  const reader = new LogReader(100, ({ time, from }) => entries.push([time.slice(20), from]))
  const bytes = Buffer.from(log)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) parts.push(...reader.read(bytes.subarray(at, at + size)))
  return { text: Buffer.concat(parts).toString(), entries, at: reader.at }
}

test.each([1, 7, 31, 32, 4096, 1_000_000])(
  'the output in a log equals what was printed, read in pieces of %i bytes',
  (size) => {
    const long = 'x'.repeat(16_384)
    const log = `${stamp(1)}one\r\n${stamp(2)}\n${stamp(3)}${long}${stamp(3)}${long}${stamp(3)}rest\n${stamp(4)}half`

    const { text, entries, at } = read(log, size)

    expect(text).toBe(`one\r\n\n${long}${long}rest\nhalf`)
    expect(at).toBe(100 + text.length)
    expect(entries.map(([, from]) => from - 100)).toEqual([0, 5, 6, 6 + 16_384, 6 + 2 * 16_384, text.length - 4])
  },
)

test('a line as long as an entry keeps its end', () => {
  const long = 'x'.repeat(16_384)

  expect(read(`${stamp(1)}${long}${stamp(1)}\n${stamp(2)}next\n`, 1000).text).toBe(`${long}\nnext\n`)
})

test('a time is passed back to the engine with nanoseconds', () => {
  expect(getSince('2026-01-31T12:00:00.000000007Z')).toBe('1769860800.000000007')
})
