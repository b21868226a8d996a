import { expect, test } from 'vitest'
import { type CheckState, overallState, runChecks } from './checks.ts'

const ok = { name: 'good', state: 'ok', message: 'Good.' } as const

test('a check that throws or does not end is a failure of its own', async () => {
  let isAborted = false
  const broken = { name: 'broken', run: () => Promise.reject(new Error('no such thing')) }
  const endless = {
    name: 'endless',
    run: (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        isAborted = true
      })
      return new Promise<never>(() => {})
    },
  }

  const results = await runChecks([broken, endless, { name: 'good', run: async () => [ok, ok] }], 50)

  expect(results).toEqual([
    { name: 'broken', state: 'failed', message: 'no such thing' },
    { name: 'endless', state: 'failed', message: 'This was not known after 0.05 seconds.' },
    ok,
    ok,
  ])
  expect(isAborted).toBe(true)
})

test.for<[CheckState, readonly CheckState[]]>([
  ['ok', []],
  ['ok', ['ok', 'ok']],
  ['warning', ['ok', 'warning']],
  ['failed', ['warning', 'failed', 'ok']],
])('the overall state is %s with %s', ([expected, states]) => {
  expect(overallState(states.map((state) => ({ ...ok, state })))).toBe(expected)
})
