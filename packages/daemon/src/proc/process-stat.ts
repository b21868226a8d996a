import { readFileSync, readSync } from 'node:fs'

/** One line of `/proc/<pid>/stat`. */
export interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** `R`, `S`, … ; `Z` and `X` are dead. */
  readonly state: string
  /** Clock ticks between boot and start. */
  readonly startTime: number
  /** Clock ticks of user and system time. */
  readonly cpuTicks: number
  /** The same of its children that have ended and whose exit it has asked for, and of theirs. */
  readonly childTicks: number
  readonly residentPages: number
}

/** The stat of a process, a zombie too; `undefined` when there is none of that pid. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch (error) {
    if (isProcessGone(error)) return undefined
    throw error
  }
}

const line = Buffer.alloc(4096)

/** The same from an open `/proc/<pid>/stat`; the descriptor stays with the process that it was opened for. */
export function readOpenProcessStat(fd: number): ProcessStat | undefined {
  try {
    return parseProcessStat(line.toString('latin1', 0, readSync(fd, line, 0, line.length, 0)))
  } catch (error) {
    if (isProcessGone(error)) return undefined
    throw error
  }
}

/** The program's name may hold blanks and brackets, so the fields are counted from the last bracket. */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  if (Number.isNaN(pid) || state === undefined || fields.length < 22) return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    state,
    startTime: Number(fields[19]),
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    childTicks: Number(fields[13]) + Number(fields[14]),
    residentPages: Number(fields[21]),
  }
}

/** A zombie has ended; that its parent did not ask for its exit yet does not make it alive. */
export function isDead({ state }: ProcessStat): boolean {
  return state === 'Z' || state === 'X'
}

/** Whether this very process is alive, not another one that was given its pid. */
export function isAlive({ pid, startTime }: { readonly pid: number; readonly startTime: number }): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.startTime === startTime && !isDead(stat)
}

/** Differs after each boot of the machine. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
}

/** Says that a process ended while its files in /proc were looked at. */
export function isProcessGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
}
