import { basename } from 'node:path'
import type { LivenessReport } from '@innkeeper/contract/servers/liveness-reports'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import { stripControlSequences } from '@innkeeper/contract/text/control-sequences'
import type { Console } from '../console/console.ts'
import { getProgramName } from '../proc/process-details.ts'
import { isDead, type ProcessStat } from '../proc/process-stat.ts'
import { getTree, readProcessTable } from '../proc/process-table.ts'
import { countThreads, findExecutable } from '../proc/process-threads.ts'
import type { Run } from '../processes/run.ts'
import { readThreadDump } from './thread-dump.ts'

const maxProcesses = 20
const maxLines = 200
const maxLineChars = 65_536

/** A server as it is examined. */
export interface ExaminedServer {
  readonly run: Pick<Run, 'id' | 'process' | 'members'> | undefined
  readonly console: Pick<Console, 'listen' | 'since'>
  readonly usage: { readonly stats: ServerStats; readonly memoryMax: number }
}

type Evidence = Pick<LivenessReport, 'usage' | 'processes' | 'lines' | 'threadDump'>

/** Collects what may show why a server does not respond. Takes a few seconds for a JVM. */
export async function collectEvidence(server: ExaminedServer, signal: AbortSignal): Promise<Evidence> {
  const { stats, memoryMax } = server.usage
  const lines = lastLines((await server.console.since(0)).logs)
  const processes = findProcesses(server.run)
  const threads = processes
    .slice(0, maxProcesses)
    .map(({ pid }) => ({ pid, name: getName(pid), threads: countThreads(pid) }))
  const threadDump = await readThreadDump(processes, server.console, signal)
  return {
    usage: { cpu: stats.cpu, memory: stats.memory, memoryMax },
    processes: threads,
    lines,
    ...(threadDump !== undefined && { threadDump }),
  }
}

/** Programs name their threads, also the first one. */
function getName(pid: number): string {
  const executable = findExecutable(pid)
  return executable === undefined ? getProgramName(pid) : basename(executable)
}

function findProcesses(run: ExaminedServer['run']): ProcessStat[] {
  if (!run) return []
  const table = readProcessTable()
  const tree = getTree(run.process, table)
  for (const pid of run.members?.() ?? []) {
    const stat = table.byPid.get(pid)
    if (stat) tree.set(pid, stat)
  }
  return [...tree.values()].filter((stat) => !isDead(stat)).toSorted((a, b) => a.pid - b.pid)
}

function lastLines(output: string): string {
  const text = stripControlSequences(output.slice(-4 * maxLineChars))
  return text.trimEnd().split(/\r?\n/).slice(-maxLines).join('\n').slice(-maxLineChars)
}
