import { readFileSync } from 'node:fs'
import { endianness } from 'node:os'
import type { ProcessStat } from './process-stat.ts'

type ProcessTree = ReadonlyMap<number, ProcessStat>

/**
 * Returns the clock ticks that a process tree used between two samples, including processes that started and exited in
 * between: a child's ticks are added to its parent when it is reaped. The ticks of a process that is not reaped inside
 * the tree are lost; then the ticks of the live processes are the lower bound.
 */
export function ticksBetween(before: ProcessTree, now: ProcessTree): number {
  let living = 0
  for (const [pid, stat] of now) {
    const earlier = before.get(pid)
    // All ticks of a process that started after the last sample belong to the interval.
    living += stat.cpuTicks - (earlier?.startTime === stat.startTime ? earlier.cpuTicks : 0)
  }
  return Math.max(living, totalTicks(now) - totalTicks(before))
}

function totalTicks(tree: ProcessTree): number {
  return [...tree.values()].reduce((sum, { cpuTicks, childTicks }) => sum + cpuTicks + childTicks, 0)
}

/** The units of /proc on this host, from the auxiliary vector. */
export const kernelConstants = { pageBytes: auxiliary(6, 4096), ticksPerSecond: auxiliary(17, 100) } as const

function auxiliary(type: number, otherwise: number): number {
  const vector = readFileSync('/proc/self/auxv')
  const word = (at: number) => Number(endianness() === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at))
  for (let at = 0; at + 16 <= vector.length; at += 16) if (word(at) === type) return word(at + 8)
  return otherwise
}
