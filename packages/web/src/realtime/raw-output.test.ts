import { expect, test } from 'vitest'
import { RawOutput } from './raw-output.ts'

test('output keeps its escape sequences, and lines of the daemon are left out wherever they are split', () => {
  const output = new RawOutput()
  const written: string[] = []
  output.subscribe({ write: (text) => written.push(text), reset: () => written.push('reset') })

  output.write('\x1b[2J> [DAEMON] mara types in ')
  output.write('the terminal\n\x1b[H')
  output.write('[DAEMON] Restarting\n[DAEMON] Started\ndone')

  expect(written).toEqual(['\x1b[2J> ', '\x1b[H', 'done'])
  expect(output.text).toBe('\x1b[2J> \x1b[Hdone')
})

test('a program that prints the prefix of the daemon without an end of line hides only a little of its own output', () => {
  const output = new RawOutput()

  output.write(`[DAEMON] ${'x'.repeat(10_000)}`)
  output.write('y')

  expect(output.text.length).toBe(10_000 + '[DAEMON] '.length - 4_096 + 1)
})

test('old output is dropped, and what is kept does not begin inside of an escape sequence', () => {
  const output = new RawOutput()

  for (let line = 0; line < 60_000; line++) output.write(`\x1b[38;5;${line % 256}mline ${line}\r\n`)

  expect(output.text.length).toBeLessThanOrEqual(256 * 1024)
  expect(output.text.length).toBeGreaterThan(100 * 1024)
  expect(output.text).toMatch(/^(\x1b\[38;5;\d+m|\n)/)
  expect(output.text).toMatch(/line 59999\r\n$/)
})

test('missing output ends an escape sequence that was cut off', () => {
  const output = new RawOutput()

  output.write('\x1b]0;a title without')
  output.gap()
  output.write('text')

  expect(output.text).toBe('\x1b]0;a title without\x18text')
})

test('another console begins with nothing', () => {
  const output = new RawOutput()
  const resets: string[] = []
  output.subscribe({ write: () => undefined, reset: () => resets.push('reset') })
  output.write('old')

  output.reset()

  expect(output.text).toBe('')
  expect(resets).toEqual(['reset'])
})
