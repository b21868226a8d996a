import { expect, test } from 'vitest'
import { totalsOf, usageBetween } from './usage.ts'

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

test('usage is what was added over the interval; a core for its whole length is 100', () => {
  const before = totalsOf(figures())
  const now = totalsOf(
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

test('what an engine cannot tell is not there, and an ended container has nothing', () => {
  const bare = {
    cpu_stats: { cpu_usage: { total_usage: 0 } },
    memory_stats: {},
    blkio_stats: { io_service_bytes_recursive: null },
  }

  expect(totalsOf(bare)).toEqual({ cpuMs: 0, memory: 0 })
  expect(totalsOf({ ...bare, networks: {} })).toEqual({ cpuMs: 0, memory: 0 })
  expect(totalsOf({})).toBeUndefined()
})
