import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { isDead, type ProcessId, type ProcessStat, readProcessStat, sendSignal } from './process-stat.ts'
import { getTree, type ProcessTable, readMarkers, readProcessTable } from './process-table.ts'

/** Time until killed processes must have ended. */
export const killTimeoutMs = 2_000

const pollMs = 10

/** Identifies a process tree: its first process, and the run whose marker all of it inherited. */
export interface ProcessTreeRef {
  readonly id: string
  readonly process: ProcessId
}

/** A tracker that knows the members of a tree and can kill all of them at once (control groups). */
export interface ProcessGroupControl {
  members(id: string): readonly number[]
  kill(id: string): void
}

/**
 * Creates a function that kills whole trees with SIGKILL, including processes that left the session or lost their
 * parent. All members are stopped before any is killed: stopped processes do not fork, and while parents live their
 * children can be found. Returns the processes that are still alive at the deadline. Concurrent kills share process
 * table snapshots.
 */
export function createTreeKiller({
  withinMs = killTimeoutMs,
  groupControl,
}: {
  withinMs?: number
  groupControl?: ProcessGroupControl | undefined
} = {}) {
  const snapshot = sharedSnapshot()

  return async function killTree(tree: ProcessTreeRef): Promise<readonly ProcessId[]> {
    const deadline = performance.now() + withinMs
    const known = new Map<number, ProcessId>()
    for (;;) {
      groupControl?.kill(tree.id)
      const left = getMembers(tree, known, await snapshot(), groupControl?.members(tree.id) ?? [])
      if (left.length === 0 || performance.now() >= deadline) return left
      const recycled = left.filter(({ pid, startTime }) => known.get(pid)?.startTime !== startTime)
      for (const member of recycled) {
        known.set(member.pid, member)
        sendSignal(member, 'SIGSTOP')
      }
      if (recycled.length > 0) continue
      for (const member of left) sendSignal(member, 'SIGKILL')
      await pause(pollMs)
    }
  }
}

interface ProcessSnapshot {
  readonly table: ProcessTable
  readonly marked: ReadonlyMap<string, readonly ProcessStat[]>
}

/** The live processes of a tree, also those that left its session or lost their parent. */
export function getLiveMembers(
  tree: ProcessTreeRef,
  groupControl?: ProcessGroupControl & { readonly isKnown?: boolean },
) {
  const confined = groupControl?.members(tree.id) ?? []
  if (groupControl?.isKnown) {
    const stats = confined.flatMap((pid) => readProcessStat(pid) ?? [])
    return stats.filter((stat) => !isDead(stat) && stat.pid !== process.pid)
  }
  const table = readProcessTable()
  const members = getMembers(tree, new Map(), { table, marked: readMarkers(table) }, confined)
  return members.flatMap(({ pid }) => table.byPid.get(pid) ?? [])
}

/** Returns one snapshot for all callers of a tick, taken after their call. */
function sharedSnapshot(): () => Promise<ProcessSnapshot> {
  let next: Promise<ProcessSnapshot> | undefined
  const takeSnapshot = async () => {
    await nextTurn()
    next = undefined
    const table = readProcessTable()
    return { table, marked: readMarkers(table) }
  }
  return () => {
    next ??= takeSnapshot()
    return next
  }
}

function getMembers(
  tree: ProcessTreeRef,
  known: ReadonlyMap<number, ProcessId>,
  { table, marked }: ProcessSnapshot,
  confined: readonly number[],
): ProcessId[] {
  const members = getTree(tree.process, table)
  for (const pid of confined) {
    const stat = table.byPid.get(pid)
    if (stat) members.set(pid, stat)
  }
  const seen = [...known.values()].filter(({ pid, startTime }) => table.byPid.get(pid)?.startTime === startTime)
  for (const root of [...(marked.get(tree.id) ?? []), ...seen])
    for (const [pid, stat] of getTree(root, table)) members.set(pid, stat)
  // A daemon that runs inside one of its own servers must be able to finish the job.
  members.delete(process.pid)
  return [...members.values()].map(({ pid, startTime }) => ({ pid, startTime }))
}
