import { limits } from '@innkeeper/contract/limits'
import { expect, test } from 'vitest'
import { appendPoint, emptyHistory } from '../../realtime/stats-history.ts'
import {
  inUnit,
  inWindow,
  leastCpu,
  leastMemory,
  pastLine,
  pastMarks,
  runsOf,
  scaleFor,
  summaryOf,
  thinned,
} from './scale.ts'

test.each([
  ['an idle server', [0, 0], leastCpu, 100],
  ['a busy core', [99.99], leastCpu, 100],
  ['more than a core', [118.02, 30], leastCpu, 125],
  ['many cores', [1570], leastCpu, 2000],
  ['little memory in MB', [200], leastMemory.MB, 1000],
  ['little memory in MiB', [200], leastMemory.MiB, 1025],
  ['much memory', [4219.4], leastMemory.MiB, 5000],
])('the scale of %s', (_, values, least, upper) => {
  const scale = scaleFor(values, least)

  expect(scale.upper).toBe(upper)
  expect(scale.ticks[0]).toBe(0)
  expect(scale.ticks.length).toBeLessThanOrEqual(6)
  expect(Math.max(...scale.ticks)).toBeLessThanOrEqual(upper)
})

test('memory is counted by thousands or by 1024', () => {
  expect(inUnit(1_048_576, 'MiB')).toBe(1)
  expect(inUnit(1_000_000, 'MB')).toBe(1)
})

test('a summary tells now, average and peak', () => {
  expect(summaryOf([10, 40, 25])).toEqual({ now: 25, average: 25, peak: 40 })
})

test('a new history is forty zeros, three seconds apart', () => {
  const history = emptyHistory(1_000_000)

  expect(history).toHaveLength(limits.statsPoints)
  expect(new Set(history.slice(1).map(({ timestamp }, index) => timestamp - (history[index]?.timestamp ?? 0)))).toEqual(
    new Set([3000]),
  )
  expect(history.at(-1)?.timestamp).toBe(1_000_000 - 3000)
})

test('a line reaches from edge to edge of its window', () => {
  const history = inWindow(appendPoint(emptyHistory(1_000_000), { timestamp: 1_000_000, cpu: 50, memory: 0 }))

  const [run = []] = runsOf(
    history,
    history.map(({ cpu }) => cpu),
    100,
  )

  expect(run[0]).toEqual({ x: 0, y: 0 })
  expect(run.at(-1)).toEqual({ x: 1, y: 0.5 })
})

test('of memory nothing is drawn before the page was opened', () => {
  const history = appendPoint(emptyHistory(1_000_000), { timestamp: 1_000_000, cpu: 1, memory: 500 })

  const runs = runsOf(
    history,
    history.map(({ memory }) => memory),
    1000,
    'measured',
  )

  expect(runs).toEqual([[{ x: 1, y: 0.5 }]])
})

test('a pause of the page breaks the line, and a long one empties the chart', () => {
  const history = emptyHistory(1_000_000)
  const later = (at: number) => inWindow(appendPoint(history, { timestamp: at, cpu: 1, memory: 1 }))
  const values = Array.from({ length: 40 }, () => 1)

  expect(runsOf(later(1_030_000), values, 100)).toHaveLength(2)
  expect(later(1_900_000)).toHaveLength(1)
})

test('a range of many points is shown in fewer: averages of what is known, and the highest peak', () => {
  const values = Array.from({ length: 1_440 }, (_, index) => (index < 720 ? null : index % 2))
  const peaks = values.map((value) => (value === null ? null : value * 10))

  const fewer = thinned({ from: 0, stepMs: 60_000, values, peaks })

  expect(fewer.values).toHaveLength(360)
  expect(fewer.stepMs).toBe(4 * 60_000)
  expect(fewer.values.slice(178, 182)).toEqual([null, null, 0.5, 0.5])
  expect(fewer.peaks.at(-1)).toBe(10)
})

test('a line of the past breaks where nothing is known, and only known points are read', () => {
  const line = pastLine(
    { from: 1_000, stepMs: 10, values: [null, 50, 100, null, 25], peaks: [null, 60, 100, null, 25] },
    100,
  )

  expect(line.runs).toEqual([
    [
      { x: 0.25, y: 0.5 },
      { x: 0.5, y: 1 },
    ],
    [{ x: 1, y: 0.25 }],
  ])
  expect(line.peaks?.[0]?.[0]).toEqual({ x: 0.25, y: 0.6 })
  expect(line.readings.map(({ at, value }) => [at, value])).toEqual([
    [1_010, 50],
    [1_020, 100],
    [1_040, 25],
  ])
})

test('the marks of the past go from its beginning to its end', () => {
  expect(pastMarks(0, 400, String).map(({ label }) => label)).toEqual(['0', '100', '200', '300', '400'])
})
