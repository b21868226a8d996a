import { setTimeout as pause } from 'node:timers/promises'
import { getCode } from '../errors/error-code.ts'
import { findPipe, getCommandLine, getDisposition, holdsTerminal } from './process-details.ts'
import { isAlive, type ProcessId, type ProcessStat, readProcessStat, sendSignal } from './process-stat.ts'

/** Intervals at which the remaining processes are looked up: short at first, because most servers end at once. */
const fastPollMs = 25
const slowPollMs = 200
const fastPolls = 80
/** Lookups after which a process that gets the signal last gets it. */
const readerPolls = 20
/** Processes that end within this time after the first one are not worth a message. */
const announceAfterMs = 1_000

export interface StopTreeOptions {
  readonly first: ProcessId
  /** Whether the first process is an init process that exits with its child, and takes all others with it. */
  readonly isInit: boolean
  /** All live processes, with the first one. */
  readonly members: () => readonly ProcessStat[]
  /** The stop signal; undefined when the server was told to stop in another way. */
  readonly signal: number | undefined
  /** Whether an earlier daemon has sent the signal. */
  readonly isSent: boolean
  /** Monotonic time at which the wait ends. */
  readonly deadline: number
  readonly abort: AbortSignal
  /** Called once when the first process has ended, or only waits for the others, and these need longer. */
  readonly onLeft: (left: readonly ProcessStat[]) => void
}

/**
 * Sends the stop signal to all processes of a server, and waits until all have ended or the time is over.
 *
 * The first process is held (SIGSTOP) until the others have ended when its end would be theirs: an init process ends its
 * container, and a shell without a handler dies of the signal, which closes terminal and pipes of the game that it
 * started. It gets the signal at the end, so that a script does not go on, for example with the next round of a loop.
 * Not before, because a process that is about to be held would handle the signal first. A shell that leads the session of
 * another terminal gets the signal after its programs, but is not held: `script` would stop with it.
 *
 * A process that only reads what another one prints (`game | sed`), or that holds its terminal (`screen`), gets the signal
 * after the others, because the game could not print any more or would lose its terminal. Throws EPERM when no process could be signaled.
 */
export async function stopTree(options: StopTreeOptions): Promise<void> {
  const { first, isInit, members, signal, isSent, deadline, abort, onLeft } = options
  const all = withFirst(members(), first)
  const others = all.filter(({ pid }) => pid !== first.pid)
  const last = signal === undefined ? [] : outputReadersIn(all, options, signal)
  const isLast = ({ pid }: ProcessId) => last.some((reader) => reader.pid === pid)
  const isHeld = (others.length > 0 || isSent) && !isLast(first) && holdsFirst(options)
  const leaders = signal === undefined ? [] : others.filter((stat) => !isLast(stat) && leadsSession(stat, all, signal))
  const isLeader = ({ pid }: ProcessId) => leaders.some((leader) => leader.pid === pid)
  const tellLeaders = () => {
    for (const leader of leaders.splice(0)) trySignal(leader, signal ?? 0)
  }
  if (isHeld) trySignal(first, 'SIGSTOP')
  if (signal !== undefined && !isSent)
    tell(
      (isHeld ? others : all).filter((stat) => !isLast(stat) && !isLeader(stat)),
      signal,
    )
  const isTold = new Set(all.map(({ pid }) => pid))
  const started = new Map(others.map((stat) => [stat.pid, getProgram(stat)]))
  const main = isInit ? others.find(({ parent }) => parent === first.pid) : undefined
  let pollsOfLast = 0
  let loneSince: number | undefined

  for (let polls = 0; !abort.aborted && performance.now() < deadline; polls++) {
    await pause(polls < fastPolls ? fastPollMs : slowPollMs)
    const alive = members()
    const left = alive.filter(({ pid }) => pid !== first.pid)
    if (left.length === 0 && (isHeld || !isAlive(first))) break
    if (left.every((stat) => isLast(stat) || isLeader(stat))) tellLeaders()
    // They read the rest of the output, and usually end then.
    if (signal !== undefined && last.length > 0 && left.every(isLast) && ++pollsOfLast === readerPolls)
      for (const reader of last) trySignal(reader, signal)
    if (signal !== undefined) stopRestarted({ left, isTold, started, signal })
    // Started by the first process while that was told to stop.
    if (signal !== undefined && !isAlive(first))
      for (const stat of left.filter(({ pid }) => !isTold.has(pid))) {
        isTold.add(stat.pid)
        trySignal(stat, signal)
      }
    const isLone = main ? !isAlive(main) : isHeld || !isAlive(first)
    if (!isLone || left.length === 0 || loneSince === Number.POSITIVE_INFINITY) continue
    loneSince ??= performance.now()
    if (performance.now() - loneSince < announceAfterMs) continue
    loneSince = Number.POSITIVE_INFINITY
    onLeft(left)
  }
  // When the daemon closes, the next one continues to wait.
  if (abort.aborted) return
  tellLeaders()
  if (!isHeld) return
  if (signal !== undefined && !isInit) trySignal(first, signal)
  trySignal(first, 'SIGCONT')
}

/** Right after its start the first process may not be in its control group yet. */
function withFirst(members: readonly ProcessStat[], first: ProcessId): readonly ProcessStat[] {
  const stat = members.some(({ pid }) => pid === first.pid) ? undefined : readProcessStat(first.pid)
  return stat?.startTime === first.startTime ? [...members, stat] : members
}

/** Whether the end of this process would take the terminal from others of its session. */
function leadsSession(stat: ProcessStat, all: readonly ProcessStat[], signal: number): boolean {
  if (stat.pid !== stat.session) return false
  const hasOthers = all.some(({ pid, session }) => session === stat.session && pid !== stat.pid)
  return hasOthers && getDisposition(stat.pid, signal) === 'default'
}

function holdsFirst({ first, isInit, signal, isSent }: StopTreeOptions): boolean {
  if (isInit) return true
  // An earlier daemon may hold it.
  if (isSent) return readProcessStat(first.pid)?.state === 'T'
  return signal !== undefined && getDisposition(first.pid, signal) === 'default'
}

/** The processes that get the signal last. */
function outputReadersIn(
  all: readonly ProcessStat[],
  { first, isInit }: StopTreeOptions,
  signal: number,
): readonly ProcessStat[] {
  if (all.length < 2) return []
  const readers = pipeReadersIn(all, signal).filter(({ pid }) => pid !== first.pid)
  const holders = all.filter(({ pid }) => holdsTerminal(pid) && !(isInit && pid === first.pid))
  return [...new Set([...readers, ...holders])]
}

function tell(processes: readonly ProcessStat[], signal: number): void {
  const told = processes.map((stat) => trySignal(stat, signal))
  if (told.length > 0 && !told.some((result) => result !== 'forbidden'))
    throw Object.assign(new Error('the processes cannot be signaled'), { code: 'EPERM' })
}

/**
 * Processes whose input is a pipe that another process prints to, and that would die of the signal or are subshells, for
 * example `game | while read line`. A subshell of bash seems to handle SIGINT.
 */
function pipeReadersIn(processes: readonly ProcessStat[], signal: number): readonly ProcessStat[] {
  const printed = new Map<string, number[]>()
  for (const { pid } of processes)
    for (const fd of [1, 2] as const) {
      const pipe = findPipe(pid, fd)
      if (pipe !== undefined) printed.set(pipe, [...(printed.get(pipe) ?? []), pid])
    }
  const isCopyOfOther = (pid: number) =>
    processes.some((other) => other.pid !== pid && getCommandLine(other.pid) === getCommandLine(pid))
  return processes.filter(({ pid }) => {
    const input = findPipe(pid, 0)
    const writers = input === undefined ? [] : (printed.get(input) ?? [])
    if (!writers.some((writer) => writer !== pid)) return false
    return getDisposition(pid, signal) === 'default' || isCopyOfOther(pid)
  })
}

/**
 * A script that handles the signal, as bash does with SIGINT while it waits for a program, may start the same program
 * again: both get a signal.
 */
function stopRestarted(stop: {
  left: readonly ProcessStat[]
  isTold: Set<number>
  started: ReadonlyMap<number, string>
  signal: number
}): void {
  const { left, isTold, started, signal } = stop
  const ended = [...started].filter(([pid]) => !left.some((stat) => stat.pid === pid)).map(([, command]) => command)
  for (const stat of left) {
    if (isTold.has(stat.pid) || !isTold.has(stat.parent)) continue
    const command = getProgram(stat)
    if (command === '' || !ended.includes(command)) continue
    isTold.add(stat.pid)
    const parent = readProcessStat(stat.parent)
    if (parent) trySignal(parent, 'SIGTERM')
    trySignal(stat, signal)
  }
}

/** Empty for a copy of its parent, which may be about to execute another program. */
function getProgram({ pid, parent }: ProcessStat): string {
  const command = getCommandLine(pid)
  return command === getCommandLine(parent) ? '' : command
}

function trySignal(target: ProcessId, signal: NodeJS.Signals | number): boolean | 'forbidden' {
  try {
    return sendSignal(target, signal)
  } catch (error) {
    // A program of the server may run as another user (set-user-ID).
    if (getCode(error) === 'EPERM') return 'forbidden'
    throw error
  }
}
