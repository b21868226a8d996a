import { expect, test } from 'vitest'
import { ConsoleBuffer } from './buffer.ts'
import { logNameOf, plainTextOf } from './log-text.ts'

test('a saved log has no colours, and says who said what', () => {
  const buffer = new ConsoleBuffer()
  buffer.write('\x1b[32mDone\x1b[0m\n[DAEMON] Server is online\n[DAEMON] mara> list\n', 1)

  expect(plainTextOf(buffer)).toBe('Done\n[DAEMON] Server is online\n[DAEMON] mara> list\n')
})

test('copied lines have their times where these are shown, and none where none is known', () => {
  const buffer = new ConsoleBuffer()
  buffer.write('one\n', 1)
  buffer.write('two\n', undefined)
  buffer.write('three\n', 3)

  expect(plainTextOf(buffer, { from: 0, timeOf: (time) => `at ${time}` })).toBe('[at 1000] one\ntwo\n[at 3000] three\n')
})

test('a log is named after its server and the time', () => {
  expect(logNameOf('Oak Valley/1', new Date(2026, 10, 20, 20, 14))).toBe('Oak-Valley-1-2026-11-20-2014.log')
})
