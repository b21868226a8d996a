import { expect, test } from 'vitest'
import { ConsoleBuffer } from './buffer.ts'
import { logNameOf, plainTextOf } from './log-text.ts'

test('a saved log has no colours, and says who said what', () => {
  const buffer = new ConsoleBuffer()
  buffer.write('\x1b[32mDone\x1b[0m\n[DAEMON] Server is online\n', 1)
  buffer.echo('list', 2)

  expect(plainTextOf(buffer)).toBe('Done\n[DAEMON] Server is online\n> list\n')
})

test('a log is named after its server and the time', () => {
  expect(logNameOf('Oak Valley/1', new Date(2026, 10, 20, 20, 14))).toBe('Oak-Valley-1-2026-11-20-2014.log')
})
