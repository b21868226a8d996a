import { expect, test } from 'vitest'
import { appendPoint, emptyHistory, maxStatsPoints } from '../../realtime/stats-history.ts'
import {
  createHistoryLine,
  createScale,
  downsample,
  getMinAxes,
  getPastTicks,
  summarize,
  toSegments,
  toUnit,
  withinWindow,
} from './chart-data.ts'

test.each([
  ['an idle server', [0, 0], getMinAxes('MiB', false).cpu, 100],
  ['a busy core', [99.99], getMinAxes('MiB', false).cpu, 100],
  ['more than a core', [118.02, 30], getMinAxes('MiB', false).cpu, 125],
  ['many cores', [1570], getMinAxes('MiB', false).cpu, 2000],
  ['little memory in MB', [200], getMinAxes('MB', false).memory, 1000],
  ['little memory in MiB', [200], getMinAxes('MiB', false).memory, 1025],
  ['much memory', [4219.4], getMinAxes('MiB', false).memory, 5000],
])('scale: %s', (_, values, min, upper) => {
  const scale = createScale(values, min)

  expect(scale.upper).toBe(upper)
  expect(scale.ticks[0]).toBe(0)
  expect(scale.ticks.length).toBeLessThanOrEqual(6)
  expect(Math.max(...scale.ticks)).toBeLessThanOrEqual(upper)
})

test('memory is converted to MB or MiB', () => {
  expect(toUnit(1_048_576, 'MiB')).toBe(1)
  expect(toUnit(1_000_000, 'MB')).toBe(1)
})

test('a summary has the current value, average and peak', () => {
  expect(summarize([10, 40, 25])).toEqual({ now: 25, average: 25, peak: 40 })
})

test('a new history has 40 blank points, three seconds apart', () => {
  const history = emptyHistory(1_000_000)

  expect(history).toHaveLength(maxStatsPoints)
  expect(new Set(history.slice(1).map(({ timestamp }, index) => timestamp - (history[index]?.timestamp ?? 0)))).toEqual(
    new Set([3000]),
  )
  expect(history.at(-1)?.timestamp).toBe(1_000_000 - 3000)
})

test('a line spans the full time range', () => {
  const history = withinWindow(appendPoint(emptyHistory(1_000_000), { timestamp: 1_000_000, cpu: 50, memory: 0 }))

  const [segment = []] = toSegments(
    history,
    history.map(({ cpu }) => cpu),
    100,
  )

  expect(segment[0]).toEqual({ x: 0, y: 0 })
  expect(segment.at(-1)).toEqual({ x: 1, y: 0.5 })
})

test('blank points are not part of the memory line', () => {
  const history = appendPoint(emptyHistory(1_000_000), { timestamp: 1_000_000, cpu: 1, memory: 500 })

  const segments = toSegments(
    history,
    history.map(({ memory }) => memory),
    1000,
    'measured',
  )

  expect(segments).toEqual([[{ x: 1, y: 0.5 }]])
})

test('a pause of the page interrupts the line, and a long one removes old points', () => {
  const history = emptyHistory(1_000_000)
  const later = (timestamp: number) => withinWindow(appendPoint(history, { timestamp, cpu: 1, memory: 1 }))
  const values = Array.from({ length: 40 }, () => 1)

  expect(toSegments(later(1_030_000), values, 100)).toHaveLength(2)
  expect(later(1_900_000)).toHaveLength(1)
})

test('downsampling averages the measured values and keeps the highest peak', () => {
  const values = Array.from({ length: 1_440 }, (_, index) => (index < 720 ? null : index % 2))
  const peaks = values.map((value) => (value === null ? null : value * 10))

  const fewer = downsample({ from: 0, stepMs: 60_000, values, peaks })

  expect(fewer.values).toHaveLength(360)
  expect(fewer.stepMs).toBe(4 * 60_000)
  expect(fewer.values.slice(178, 182)).toEqual([null, null, 0.5, 0.5])
  expect(fewer.peaks.at(-1)).toBe(10)
})

test('a past line is interrupted by missing values, which are not points', () => {
  const line = createHistoryLine(
    { from: 1_000, stepMs: 10, values: [null, 50, 100, null, 25], peaks: [null, 60, 100, null, 25] },
    100,
  )

  expect(line.segments).toEqual([
    [
      { x: 0.25, y: 0.5 },
      { x: 0.5, y: 1 },
    ],
    [{ x: 1, y: 0.25 }],
  ])
  expect(line.peaks?.[0]?.[0]).toEqual({ x: 0.25, y: 0.6 })
  expect(line.points.map(({ timestamp, value }) => [timestamp, value])).toEqual([
    [1_010, 50],
    [1_020, 100],
    [1_040, 25],
  ])
})

test('the ticks span the range of the past', () => {
  expect(getPastTicks(0, 400, String).map(({ label }) => label)).toEqual(['0', '100', '200', '300', '400'])
})
