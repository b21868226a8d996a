import { expect, test } from 'vitest'
import { interpolate, Refusal } from './refusals.ts'

test('unknown placeholders in a message stay', () => {
  expect(interpolate('${a} ${b}', { a: 1 })).toBe('1 ${b}')
})

test('values from outside are shown on one line, without control characters, and truncated', () => {
  const reason = `\x1b[2J\r\n[DAEMON] done\u202e${'x'.repeat(5_000)}`

  const { metadata, message } = new Refusal('ErrTaskRefused', { reason })

  expect(metadata.reason).toMatch(/^\[2J \[DAEMON\] done x{981}…$/)
  expect(message).toBe(`The task was not run: ${metadata.reason}`)
})
