import { expect, test } from 'vitest'
import { ConsoleBuffer } from './buffer.ts'
import { getLogFileName, toPlainText } from './log-text.ts'

test('a log has no colors, but the source of each line', () => {
  const buffer = new ConsoleBuffer()
  buffer.write('\x1b[32mDone\x1b[0m\n[DAEMON] Server is online\n[DAEMON] mara> list\n', 1)

  expect(toPlainText(buffer)).toBe('Done\n[DAEMON] Server is online\n[DAEMON] mara> list\n')
})

test('copied lines have their times when timestamps are shown, and none when unknown', () => {
  const buffer = new ConsoleBuffer()
  buffer.write('one\n', 1)
  buffer.write('two\n', undefined)
  buffer.write('three\n', 3)

  expect(toPlainText(buffer, { from: 0, formatTime: (time) => `at ${time}` })).toBe(
    '[at 1000] one\ntwo\n[at 3000] three\n',
  )
})

test('a log file is named after its server and the time', () => {
  expect(getLogFileName('Oak Valley/1', new Date(2026, 10, 20, 20, 14))).toBe('Oak-Valley-1-2026-11-20-2014.log')
})
