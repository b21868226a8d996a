import { Refusal } from '@innkeeper/contract/refusals'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CopyRetries } from './copy-retries.ts'

const options = { firstMs: 1_000, maxMs: 5_000, checkMs: 100 }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function begin({ fail }: { fail: () => Error | undefined }) {
  const state = { isBusy: false, missing: ['nas'] as readonly string[] }
  const begun = Date.now()
  const attempts: number[] = []
  const retries: CopyRetries = new CopyRetries({
    options,
    servers: { servers: [{ id: 'one' }] } as never,
    missingOn: async () => state.missing,
    isBusy: () => state.isBusy,
    copy: async (server, target) => {
      attempts.push(Date.now() - begun)
      const error = fail()
      retries.ended(server, target, error)
      if (error) throw error
      state.missing = []
    },
    log: pino({ level: 'silent' }),
  })
  retries.start()
  return { retries, attempts, state }
}

test('a missing copy is tried at the start, then with growing waits up to the limit, until it exists', async () => {
  let failures = 0
  const { retries, attempts } = begin({
    fail: () => (failures++ < 5 ? new Refusal('ErrBackupFailed', { reason: 'gone' }) : undefined),
  })

  await vi.advanceTimersByTimeAsync(60_000)

  expect(attempts).toEqual([0, 1_000, 3_000, 7_000, 12_000, 17_000])
  await retries.close()
})

test('nothing is tried while another job runs or waits, nor when the copy is not wanted any more', async () => {
  const { retries, attempts, state } = begin({ fail: () => new Refusal('ErrBackupFailed') })
  await vi.advanceTimersByTimeAsync(0)
  state.isBusy = true

  await vi.advanceTimersByTimeAsync(10_000)
  expect(attempts).toHaveLength(1)
  state.isBusy = false
  await vi.advanceTimersByTimeAsync(100)
  expect(attempts).toHaveLength(2)
  state.missing = []
  await vi.advanceTimersByTimeAsync(60_000)

  expect(attempts).toHaveLength(2)
  await retries.close()
})

test('a copy that gave way to another job is tried again soon, whatever failed before', async () => {
  const errors = [new Refusal('ErrBackupFailed'), new Refusal('ErrBackupFailed'), new Refusal('ErrCancelled')]
  const { retries, attempts } = begin({ fail: () => errors.shift() })

  await vi.advanceTimersByTimeAsync(60_000)

  expect(attempts).toEqual([0, 1_000, 3_000, 4_000])
  await retries.close()
})
