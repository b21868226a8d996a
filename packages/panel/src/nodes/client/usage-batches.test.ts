import { limits } from '@innkeeper/contract/text/limits'
import { expect, test, vi } from 'vitest'
import { usageBatches } from './usage-batches.ts'

/** Reads that end when the test says so. */
function controlledReads() {
  const reads: { ids: readonly string[]; end(): void; fail(error: Error): void }[] = []
  const read = (ids: readonly string[]) =>
    new Promise<{ id: string; seenAt: string }[]>((resolve, reject) => {
      const seenAt = String(reads.length)
      reads.push({ ids, end: () => resolve(ids.map((id) => ({ id, seenAt }))), fail: reject })
    })
  const started = (count: number) => vi.waitUntil(() => reads.length === count)
  return { reads, started, readUsage: usageBatches(read) }
}

test('requests that arrive during a read share one that begins afterwards', async () => {
  const { reads, started, readUsage } = controlledReads()
  const first = readUsage('a')
  await started(1)
  const later = Promise.all([readUsage('a'), readUsage('b'), readUsage('b')])

  reads[0]?.end()

  expect(await first).toEqual({ id: 'a', seenAt: '0' })
  await started(2)
  reads[1]?.end()
  expect(await later).toEqual([
    { id: 'a', seenAt: '1' },
    { id: 'b', seenAt: '1' },
    { id: 'b', seenAt: '1' },
  ])
  expect(reads.map(({ ids }) => ids)).toEqual([['a'], ['a', 'b']])
})

test('a failed read concerns only its own requests', async () => {
  const { reads, started, readUsage } = controlledReads()
  const first = readUsage('a')
  await started(1)
  const second = readUsage('a')

  reads[0]?.fail(new Error('gone'))

  await expect(first).rejects.toThrow('gone')
  await started(2)
  reads[1]?.end()
  expect(await second).toEqual({ id: 'a', seenAt: '1' })
})

test('a read has at most a page of servers', async () => {
  const { reads, started, readUsage } = controlledReads()
  const ids = Array.from({ length: limits.pageSizeMax + 1 }, (_, at) => String(at))
  const all = Promise.all(ids.map(readUsage))

  await started(1)
  reads[0]?.end()
  await started(2)
  reads[1]?.end()

  expect((await all).map((usage) => usage?.id)).toEqual(ids)
  expect(reads.map((read) => read.ids.length)).toEqual([limits.pageSizeMax, 1])
})

test('a node that does not respond does not hold up the next read', async () => {
  vi.useFakeTimers()
  try {
    const { reads, readUsage } = controlledReads()
    void readUsage('a')
    await vi.advanceTimersByTimeAsync(0)
    const second = readUsage('b')
    await vi.advanceTimersByTimeAsync(999)
    expect(reads).toHaveLength(1)

    await vi.advanceTimersByTimeAsync(1)

    reads[1]?.end()
    expect(await second).toEqual({ id: 'b', seenAt: '1' })
  } finally {
    vi.useRealTimers()
  }
})

test('a server that the node does not have has no usage', async () => {
  expect(await usageBatches(async () => [])('a')).toBeUndefined()
})
