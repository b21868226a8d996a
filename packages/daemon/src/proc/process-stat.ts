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
  /** The same of its reaped children and their reaped children. */
  readonly childTicks: number
  readonly residentPages: number
}

/** Returns the stat of a process, zombies included; undefined when the pid does not exist. */
export function readProcessStat(pid: number): ProcessStat | undefined {
  return readStat(`/proc/${pid}/stat`)
}

/** The same of one of its threads. */
export function readThreadStat(pid: number, thread: number): ProcessStat | undefined {
  return readStat(`/proc/${pid}/task/${thread}/stat`)
}

function readStat(path: string): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(path, 'latin1'))
  } catch (error) {
    if (isProcessGone(error)) return undefined
    throw error
  }
}

const line = Buffer.alloc(4096)

/** The same from an open `/proc/<pid>/stat`; the descriptor stays bound to the process. */
export function readOpenProcessStat(fd: number): ProcessStat | undefined {
  try {
    return parseProcessStat(line.toString('latin1', 0, readSync(fd, line, 0, line.length, 0)))
  } catch (error) {
    if (isProcessGone(error)) return undefined
    throw error
  }
}

/** The program's name may contain spaces and brackets, so fields are counted from the last bracket. */
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

/** A zombie has exited and is only waiting to be reaped. */
export function isDead({ state }: ProcessStat): boolean {
  return state === 'Z' || state === 'X'
}

/** Whether this process is alive, and its pid was not reused. */
export function isAlive({ pid, startTime }: { readonly pid: number; readonly startTime: number }): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.startTime === startTime && !isDead(stat)
}

/** The kernel's boot id, different after each boot. */
export function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
}

/** Whether an error means that the process exited while its /proc files were read. */
export function isProcessGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')
}

/** A process by pid and start time (clock ticks since boot), safe against pid reuse. */
export interface ProcessId {
  readonly pid: number
  readonly startTime: number
}

/** Sends a signal to exactly this process. Returns false when it has exited. */
export function sendSignal(target: ProcessId, signal: NodeJS.Signals | number): boolean {
  if (!isAlive(target)) return false
  try {
    return process.kill(target.pid, signal)
  } catch (error) {
    if (isProcessGone(error)) return false
    throw error
  }
}
