import { Refusal } from '@innkeeper/contract/errors/refusals'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CopyRetries } from './copy-retries.ts'

const copies = { server: '0a0a0a0a', target: 'nas' }
const failure = new Refusal('ErrBackupFailed', { reason: 'gone' })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The waits after attempts that ended so. */
function waitsAfter(...errors: readonly (Refusal | undefined)[]): number[] {
  const retries = new CopyRetries({ firstMs: 1_000, maxMs: 5_000 })
  return errors.map((error) => {
    retries.ended(copies, error)
    return Math.max(0, retries.nextAt(copies) - Date.now())
  })
}

test('missing copies are tried at once, then with growing waits up to the limit', () => {
  expect(new CopyRetries().nextAt(copies)).toBe(0)
  expect(waitsAfter(failure, failure, failure, failure)).toEqual([1_000, 2_000, 4_000, 5_000])
  expect(waitsAfter(failure, undefined, failure)).toEqual([1_000, 0, 1_000])
})

test('copies that gave way to another job are tried again soon, whatever failed before', () => {
  expect(waitsAfter(failure, failure, new Refusal('ErrCancelled'), failure)).toEqual([1_000, 2_000, 1_000, 4_000])
})

test('a target that was changed, and copies that are missing again, are tried at once', () => {
  const retries = new CopyRetries()
  const others = { ...copies, target: 'cloud' }
  for (const failed of [copies, others]) retries.ended(failed, failure)

  retries.retryNow('nas')
  expect([retries.nextAt(copies), retries.nextAt(others) > 0]).toEqual([0, true])
  retries.keep([copies])

  expect(retries.nextAt(others)).toBe(0)
})
