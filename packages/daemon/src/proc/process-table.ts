import { readdirSync, readFileSync } from 'node:fs'
import { isDead, isProcessGone, type ProcessId, type ProcessStat, readProcessStat } from './process-stat.ts'

/** The environment variable that marks all processes of a run, whatever their session. */
export const runMarker = 'INNKEEPER_RUN'

/** All processes of the host at one point in time. */
export interface ProcessTable {
  readonly byPid: ReadonlyMap<number, ProcessStat>
  readonly byParent: ReadonlyMap<number, readonly ProcessStat[]>
  readonly bySession: ReadonlyMap<number, readonly ProcessStat[]>
}

type ReadStat = (pid: number) => ProcessStat | undefined

/** Reads all processes; `read` can use a cheaper way for some. */
export function readProcessTable(read: ReadStat = readProcessStat): ProcessTable {
  const byPid = readLiving(readdirSync('/proc').map(Number).filter(Number.isInteger), read)
  const all = [...byPid.values()]
  return {
    byPid,
    byParent: Map.groupBy(all, ({ parent }) => parent),
    bySession: Map.groupBy(all, ({ session }) => session),
  }
}

/** The processes that are not dead, by pid. */
export function readLiving(pids: readonly number[], read: ReadStat): Map<number, ProcessStat> {
  const living = new Map<number, ProcessStat>()
  for (const pid of pids) {
    const stat = read(pid)
    if (stat && !isDead(stat)) living.set(pid, stat)
  }
  return living
}

/** Returns a run's processes: the first one, all in its session, and all descendants of these. */
export function getTree(root: ProcessId, table: ProcessTable): Map<number, ProcessStat> {
  const tree = new Map<number, ProcessStat>()
  const found = [...firstAndSession(root, table)]
  for (let next = found.pop(); next; next = found.pop()) {
    if (tree.has(next.pid)) continue
    tree.set(next.pid, next)
    found.push(...(table.byParent.get(next.pid) ?? []))
  }
  return tree
}

/**
 * The first process leads its session, and the kernel does not reuse a pid while it names a session. So the session may
 * outlive the process; but if another process has the pid now, the session is that one's.
 */
function firstAndSession(root: ProcessId, table: ProcessTable): readonly ProcessStat[] {
  const first = table.byPid.get(root.pid)
  if (first && first.startTime !== root.startTime) return []
  const session = table.bySession.get(root.pid) ?? []
  return first ? [first, ...session] : session
}

/** Returns the processes that carry the marker of a run, by run id. */
export function readMarkers(table: ProcessTable): ReadonlyMap<string, readonly ProcessStat[]> {
  const marked = new Map<string, ProcessStat[]>()
  for (const stat of table.byPid.values()) {
    const run = findMarker(stat.pid)
    if (run === undefined) continue
    const others = marked.get(run)
    if (others) others.push(stat)
    else marked.set(run, [stat])
  }
  return marked
}

function findMarker(pid: number): string | undefined {
  const entry = getEnvironment(pid)
    .split('\0')
    .find((entry) => entry.startsWith(`${runMarker}=`))
  return entry?.slice(runMarker.length + 1)
}

function getEnvironment(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch (error) {
    const isOthers = error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM')
    if (isProcessGone(error) || isOthers) return ''
    throw error
  }
}
