import { expect, test } from 'vitest'
import { lastRetryIn } from './restic-process.ts'

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
