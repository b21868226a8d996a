import { formatReason } from '@innkeeper/contract/errors/reasons'
import { pino } from 'pino'
import { expect } from 'vitest'
import { RootFs } from '../files/root.ts'
import { test } from '../testing/test-directory.ts'
import { DiskUsage } from './disk-usage.ts'

test('a failed measurement is not repeated with every request', async ({ fixture: { inside } }) => {
  let opened = 0
  const usage = new DiskUsage({
    log: pino({ level: 'silent' }),
    openFiles: async () => {
      opened++
      // The second one is for the measurement, which works for a while and then fails.
      if (opened === 2) {
        const until = performance.now() + 100
        while (performance.now() < until);
        throw new Error('EIO: i/o error')
      }
      return await RootFs.open(inside)
    },
  })

  await usage.latest()
  const latest = await usage.latest()

  expect(opened).toBe(3)
  // Not 0 bytes.
  expect(latest).toEqual({ freeBytes: expect.any(Number), problem: formatReason('usageUnknown') })
  expect(usage.measuredBytes).toBeUndefined()
  await usage.close()
})
