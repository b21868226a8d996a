import { spawn } from 'node:child_process'
import { expect, test } from 'vitest'
import { lastRetryIn, type ResticMessage, readExit } from './restic-process.ts'

test.for([
  ['Save(<data/0a>) returned error, retrying after 552.330144ms: server response unexpected: 500', 552.330144],
  ['a\nSave(<data/0a>) returned error, retrying after 1m2.5s: dial tcp: connection refused\n', 62_500],
  ['retrying after 500ms: a\nList() returned error, retrying after 12s: b\n', 12_000],
  ['retrying after 1h0m0s: c', 3_600_000],
] as const)('reads the last wait of restic: %s', ([stderr, waitMs]) => {
  expect(lastRetryIn(stderr)?.waitMs).toBeCloseTo(waitMs)
})

test.for([
  '',
  'Fatal: wrong password',
  'retrying after',
  'retrying after soon: x',
  `retrying after ${'9'.repeat(5_000)}`,
])('other output has no wait: %s', (stderr) => {
  expect(lastRetryIn(stderr)).toBeUndefined()
})

test('the reason of a wait is one line', () => {
  expect(lastRetryIn('x retrying after 1s: the reason: more\nnext')?.reason).toBe('the reason: more')
})

test('errors as JSON become text at the end, and messages about files', async () => {
  const lines = [
    '{"message_type":"error","error":{"message":"a: denied"},"during":"archival","item":"/a"}',
    'plain {"message_type":"error"}',
    '{"message_type":"exit_error","code":3,"message":"Warning: first\\nsecond"}',
  ]
  const messages: ResticMessage[] = []
  const shell = spawn('sh', ['-c', 'cat >&2; exit 3'], { stdio: ['pipe', 'ignore', 'pipe'] })
  shell.stdin.end(lines.join('\n'))

  const exit = await readExit(shell, new AbortController().signal, { onMessage: (message) => messages.push(message) })

  expect(exit).toEqual({
    code: 3,
    signal: null,
    stderr: `${lines.slice(1, 2).join('')}\nWarning: first\nsecond\n`,
  })
  expect(messages).toMatchObject([{ item: '/a' }])
})
