import type { ProcessStat } from './process-stat.ts'

type ProcessTree = ReadonlyMap<number, ProcessStat>

/**
 * Clock ticks that a tree of processes used between two looks, with those that came and went in between: what a child used
 * counts with its parent once that has asked for its exit. Of one that nobody in the tree asks for, what it used is lost
 * at its end; then what the living used is the least that can be said.
 */
export function ticksBetween(before: ProcessTree, now: ProcessTree): number {
  let living = 0
  for (const [pid, stat] of now) {
    const earlier = before.get(pid)
    // What a process used that began since the last look, it used since then.
    living += stat.cpuTicks - (earlier?.startTime === stat.startTime ? earlier.cpuTicks : 0)
  }
  return Math.max(living, totalTicks(now) - totalTicks(before))
}

function totalTicks(tree: ProcessTree): number {
  return [...tree.values()].reduce((sum, { cpuTicks, childTicks }) => sum + cpuTicks + childTicks, 0)
}
