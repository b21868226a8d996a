import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { statsRanges } from '@innkeeper/contract/servers/stats-history'
import { test as base, expect } from 'vitest'
import { getFileBytes } from './bucket-file.ts'
import { ranges, usageFigures } from './buckets.ts'
import { StatsHistory } from './history.ts'

interface Fixtures {
  readonly path: string
  readonly faults: unknown[]
  readonly open: () => StatsHistory
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  path: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'stats-'))
    await use(join(dir, '0a0a0a0a.stats'))
    await rm(dir, { recursive: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  faults: async ({}, use) => use([]),
  open: async ({ path, faults }, use) => use(() => new StatsHistory(path, (cause) => faults.push(cause))),
})

/** Midnight UTC, where buckets of every range begin. */
const start = Date.UTC(2026, 0, 1)
const second = 1_000
const hour = 3_600 * second
const known = (values: readonly (number | null)[]) => values.filter((value) => value !== null)

test('the last hour has full resolution, including unwritten points', async ({ open }) => {
  const history = open()

  for (let at = 0; at < 100; at++) history.add({ cpu: at, memory: 1024 * at }, start + at * 3 * second)
  const { fromMs, stepMs, cpu, memory, diskRead } = await history.series('hour', start + 99 * 3 * second)

  expect(cpu).toHaveLength(statsRanges.hour.points)
  expect(known(cpu)).toEqual(Array.from({ length: 100 }, (_, at) => at))
  expect(known(memory).at(-1)).toBe(1024 * 99)
  expect(fromMs + (cpu.length - 1) * stepMs).toBe(start + 99 * 3 * second)
  expect(known(diskRead)).toEqual([])
})

test('coarser ranges have averages and peaks, across restarts of the node', async ({ open }) => {
  let history = open()
  for (let at = 0; at < 40; at++) {
    history.add({ cpu: at % 2 === 0 ? 10 : 30, memory: 1_000 }, start + at * 3 * second)
    if (at === 25) {
      await history.close()
      history = open()
    }
  }

  const day = await history.series('day', start + 119 * second)
  const year = await history.series('year', start + 119 * second)

  expect(known(day.cpu)).toEqual([20, 20])
  expect(known(day.cpuPeak)).toEqual([30, 30])
  expect(known(year.cpu)).toEqual([20])
  expect(known(year.cpuPeak)).toEqual([30])
})

test('there are no points while the server did not run, and old ones are dropped', async ({ open }) => {
  const history = open()
  history.add({ cpu: 5, memory: 1 }, start)
  history.add({ cpu: 7, memory: 1 }, start + 2 * hour)
  await history.close()

  const later = await history.series('hour', start + 2 * hour)
  const day = await history.series('day', start + 2 * hour)

  expect(known(later.cpu)).toEqual([7])
  expect(known(day.cpu)).toEqual([5, 7])
  expect(day.cpu.indexOf(7) - day.cpu.indexOf(5)).toBe(120)
})

test('a year of measurements stays within the fixed file size', async ({ open, path }) => {
  const history = open()
  const end = start + 400 * 24 * hour
  // Every bucket of each range is used and reused: those of a year, then those of a month.
  for (let at = start; at < end; at += 3 * hour) history.add({ cpu: 1, memory: 1 }, at)
  for (let at = end; at < end + 40 * 24 * hour; at += hour / 4) history.add({ cpu: 1, memory: 1 }, at)
  await history.close()

  expect((await stat(path)).size).toBeLessThanOrEqual(getFileBytes(usageFigures))
  const now = end + 40 * 24 * hour - hour / 4
  for (const range of ranges) expect(known((await history.series(range, now)).cpu).length).toBeGreaterThan(0)
  expect(known((await history.series('year', now)).cpu)).toHaveLength(statsRanges.year.points)
})

test('rates are stored where the environment reports them', async ({ open }) => {
  const history = open()
  history.add({ cpu: 1, memory: 1, networkIn: 100 }, start)
  history.add({ cpu: 1, memory: 1 }, start + second)
  history.add({ cpu: 1, memory: 1, networkIn: 300 }, start + 3 * second)

  const { networkIn, networkOut } = await history.series('day', start + 3 * second)

  expect(known(networkOut)).toEqual([])
  expect(known(networkIn)[0]).toBeGreaterThan(100)
})

test('players have an average and a peak where the game reports them, across restarts of the node', async ({
  open,
}) => {
  const first = open()
  for (let at = 0; at < 20; at++) first.add({ cpu: 1, memory: 1, players: at < 10 ? 2 : 8 }, start + at * 3 * second)
  await first.close()
  const later = open()
  for (let at = 20; at < 40; at++) later.add({ cpu: 3, memory: 1 }, start + at * 3 * second)

  const { players, playersPeak, cpu } = await later.series('day', start + 119 * second)

  expect([players, playersPeak].map(known)).toEqual([[5], [8]])
  expect(known(cpu)).toEqual([1, 3])
})

test('a file of an earlier version, without players, is continued', async ({ open, path }) => {
  const bucket = Buffer.alloc(40)
  const number = start / statsRanges.hour.stepMs
  bucket.writeUInt32LE(number)
  bucket.writeUInt32LE(1, 4)
  for (let at = 0; at < 8; at++) bucket.writeFloatLE(at + 1, 8 + 4 * at)
  const file = Buffer.alloc((number % statsRanges.hour.points) * 40)
  await writeFile(path, Buffer.concat([file, bucket]))

  const history = open()
  history.add({ cpu: 9, memory: 9, players: 3 }, start + 3 * second)
  await history.close()

  const { cpu, memoryPeak, networkOut, players } = await history.series('hour', start + 3 * second)
  expect([cpu, memoryPeak, networkOut, players].map(known)).toEqual([[1, 9], [4, 9], [8], [3]])
})

test.for([
  ['cut off', (path: string) => truncate(path, 1_000)],
  ['overwritten', (path: string) => writeFile(path, 'x'.repeat(5_000))],
] as const)('a file that was %s only loses points', async ([, harm], { open, path, faults }) => {
  const history = open()
  for (let at = 0; at < 100; at++) history.add({ cpu: 1, memory: 1 }, start + at * 3 * second)
  await history.close()

  await harm(path)
  const again = open()
  again.add({ cpu: 2, memory: 1 }, start + 400 * second)
  await again.close()

  expect(known((await again.series('hour', start + 400 * second)).cpu)).toContain(2)
  expect(faults).toEqual([])
})

test('a write error is reported, and the points of the last minute are still available', async ({ path, faults }) => {
  await writeFile(path, 'a file in the place of the folder')
  const history = new StatsHistory(join(path, '0a0a0a0a.stats'), (cause) => faults.push(cause))
  for (let at = 0; at < 30; at++) history.add({ cpu: at, memory: 1 }, start + at * 3 * second)

  const { cpu } = await history.series('hour', start + 90 * second)

  expect(faults).toHaveLength(1)
  expect(known(cpu)).toContain(29)
})

test('the history of a removed server is deleted', async ({ open, path }) => {
  const history = open()
  history.add({ cpu: 1, memory: 1 }, start)
  await history.close()

  await history.remove()

  await expect(stat(path)).rejects.toThrow('ENOENT')
  expect(known((await history.series('year', start)).cpu)).toEqual([])
})
