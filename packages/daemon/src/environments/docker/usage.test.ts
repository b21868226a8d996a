import type { ServerStats } from '@innkeeper/contract/servers/status'
import { expect, test, vi } from 'vitest'
import { measure, parseStatsStream, parseTotals, usageBetween } from './usage.ts'

const figures = (changes: object = {}) => ({
  cpu_stats: { cpu_usage: { total_usage: 1_000_000_000 } },
  memory_stats: { usage: 1000, stats: { total_inactive_file: 300 } },
  networks: { eth0: { rx_bytes: 10, tx_bytes: 20 }, eth1: { rx_bytes: 1, tx_bytes: 2 } },
  blkio_stats: {
    io_service_bytes_recursive: [
      { op: 'Read', value: 5 },
      { op: 'Write', value: 7 },
      { op: 'write', value: 1 },
    ],
  },
  ...changes,
})

test('usage is the difference over the interval; one core for all of it is 100', () => {
  const before = parseTotals(figures())
  const now = parseTotals(
    figures({
      cpu_stats: { cpu_usage: { total_usage: 2_500_000_000 } },
      networks: { eth0: { rx_bytes: 2011, tx_bytes: 22 } },
    }),
  )

  expect(before && now && usageBetween(before, now, 2000)).toEqual({
    cpu: 75,
    memory: 700,
    diskRead: 0,
    diskWrite: 0,
    networkIn: 1000,
    networkOut: 0,
  })
})

test('values that an engine does not report are absent, and an exited container has none', () => {
  const bare = {
    cpu_stats: { cpu_usage: { total_usage: 0 } },
    memory_stats: {},
    blkio_stats: { io_service_bytes_recursive: null },
  }

  expect(parseTotals(bare)).toEqual({ cpuMs: 0, memory: 0 })
  expect(parseTotals({ ...bare, networks: {} })).toEqual({ cpuMs: 0, memory: 0 })
  expect(parseTotals({})).toBeUndefined()
})

test.each([
  ['version 1', { total_cache: 600, total_shmem: 50, total_mapped_file: 30, total_inactive_file: 100 }, 480],
  ['version 2', { file: 600, shmem: 50, file_mapped: 30, inactive_file: 100 }, 480],
  ['an engine that reports little', { inactive_file: 100 }, 900],
])('the page cache is no memory of the server with control groups of %s', (_, stats, memory) => {
  expect(parseTotals(figures({ memory_stats: { usage: 1000, stats } }))?.memory).toBe(memory)
})

async function* cut(text: string, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += bytes) yield Buffer.from(text.slice(at, at + bytes))
}

async function all(figures: AsyncIterable<object>): Promise<object[]> {
  const found: object[] = []
  for await (const one of figures) found.push(one)
  return found
}

test('stats are parsed from a stream that is split anywhere', async () => {
  const text = [figures(), figures({ networks: null })].map((one) => `${JSON.stringify(one)}\r\n`).join('')

  expect(await all(parseStatsStream(cut(text, 7)))).toEqual([figures(), figures({ networks: null })])
})

test('a stream without stats is rejected', async () => {
  await expect(all(parseStatsStream(cut('{"cpu_stats":\n', 5)))).rejects.toThrow(SyntaxError)
  await expect(all(parseStatsStream(cut('x'.repeat(2_000_000), 65_536)))).rejects.toThrow('line is too long')
})

test('a stream that breaks is reopened, and shows nothing meanwhile', async () => {
  const seen: ServerStats[] = []
  let opened = 0
  const measuring = measure(
    async function* (signal) {
      opened++
      const usedMs = (ms: number) => figures({ cpu_stats: { cpu_usage: { total_usage: ms * 1_000_000 } } })
      yield usedMs(0)
      yield usedMs(1_000)
      if (opened === 1) throw new Error('the engine is gone')
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
    },
    (stats) => seen.push(stats),
  )

  await vi.waitFor(() => expect(seen).toHaveLength(1))
  await vi.waitFor(() => expect(measuring.latest()).toEqual({ cpu: 0, memory: 0 }))
  await vi.waitFor(() => expect(seen).toHaveLength(2), { timeout: 10_000 })
  expect(measuring.latest().memory).toBe(700)

  measuring.stop()
  expect([opened, measuring.latest()]).toEqual([2, { cpu: 0, memory: 0 }])
})
