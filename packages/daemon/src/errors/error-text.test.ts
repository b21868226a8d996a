import { readFile } from 'node:fs/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { errorText } from './error-text.ts'

test('the path of a failed system call on the node is left out', async () => {
  const error = await readFile('/no/such/file').catch((cause: unknown) => cause)

  expect(errorText(error)).toBe('ENOENT: no such file or directory')
})

test.for([
  ['a line of a program', new Error('\x1b[31mred\x1b[0m\r\n[DAEMON] Backup done'), '[31mred [0m [DAEMON] Backup done'],
  ['a text that turns around', new Error('log\u202etxt.exe'), 'log txt.exe'],
  ['a value in a refusal', new Refusal('ErrTaskRefused', { reason: 'a\nb' }), 'The task was not run: a b'],
  ['a path in a refusal', new Refusal('ErrFileNotFound', { path: 'a\x07b' }), 'File not found: a b'],
  ['a value that is not an error', 'plain', 'plain'],
] as const)('%s is one line without control characters', ([, error, text]) => {
  expect(errorText(error)).toBe(text)
})

test('a long text is truncated', () => {
  expect(errorText(new Error('x'.repeat(5_000)))).toBe(`${'x'.repeat(999)}…`)
})
