import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { ticksBetween } from './cpu-ticks.ts'
import { type ProcessStat, parseProcessStat } from './process-stat.ts'

/** A process tree: pid, own ticks, ticks of reaped children, start time. */
function tree(...processes: readonly (readonly [number, number, number?, number?])[]): Map<number, ProcessStat> {
  return new Map(
    processes.map(([pid, cpuTicks, childTicks = 0, startTime = 1]) => [
      pid,
      { pid, parent: 1, group: 1, session: 1, state: 'S', startTime, cpuTicks, childTicks, residentPages: 1 },
    ]),
  )
}

test.each([
  ['what the living used counts', tree([1, 10], [2, 5]), tree([1, 12], [2, 25]), 22],
  ['a process that started in between counts completely', tree([1, 10]), tree([1, 10], [2, 7]), 7],
  ['one with the pid of another is another', tree([1, 10], [2, 50, 0, 1]), tree([1, 10, 50], [2, 7, 0, 9]), 7],
  ['children that came and went count with their parent', tree([1, 10]), tree([1, 11, 40]), 41],
  ['what was counted of a child before is not counted again', tree([1, 10], [2, 30]), tree([1, 10, 36]), 6],
  ['the ticks of a process that was not reaped are not subtracted', tree([1, 10], [2, 30]), tree([1, 14]), 4],
])('%s', (_, before, now, ticks) => {
  expect(ticksBetween(before, now)).toBe(ticks)
})

test('the kernel reports the CPU time of reaped children', () => {
  const script = 'sh -c "i=0; while [ \\$i -lt 100000 ]; do i=\\$((i+1)); done"; cat /proc/$$/stat'

  const stat = parseProcessStat(execFileSync('sh', ['-c', script], { encoding: 'latin1' }))

  expect(stat?.childTicks).toBeGreaterThan(stat?.cpuTicks ?? Number.NaN)
})
