import { setTimeout as pause } from 'node:timers/promises'
import { codeOf } from '../errors/error-code.ts'
import { commandLineOf, dispositionOf, pipeOf } from './process-details.ts'
import type { ProcessId } from './process-id.ts'
import { isAlive, type ProcessStat, readProcessStat } from './process-stat.ts'
import { sendSignal } from './signal.ts'

/** Intervals at which the remaining processes are looked up: short at first, because most servers end at once. */
const fastPollMs = 25
const slowPollMs = 200
const fastPolls = 80
/** Lookups after which a process that only reads what others print gets the signal too. */
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
 * Not before, because a process that is about to be held would handle the signal first.
 *
 * A process that only reads what another one prints (`game | sed`) gets the signal after the others, because the game
 * could not print any more. Throws EPERM when no process could be signaled.
 */
export async function stopTree(options: StopTreeOptions): Promise<void> {
  const { first, isInit, members, signal, isSent, deadline, abort, onLeft } = options
  const all = members()
  const others = all.filter(({ pid }) => pid !== first.pid)
  const isHeld = (others.length > 0 || isSent) && holdsFirst(options)
  if (isHeld) trySignal(first, 'SIGSTOP')
  const readers = signal === undefined ? [] : pipeReadersIn(all, signal).filter(({ pid }) => pid !== first.pid)
  if (signal !== undefined && !isSent)
    tell(
      (isHeld ? others : all).filter((stat) => !readers.includes(stat)),
      signal,
    )
  const isTold = new Set(all.map(({ pid }) => pid))
  const started = new Map(others.map((stat) => [stat.pid, commandLineOf(stat.pid)]))
  const main = isInit ? others.find(({ parent }) => parent === first.pid) : undefined
  let readersAlone = 0
  let loneSince: number | undefined

  for (let polls = 0; !abort.aborted && performance.now() < deadline; polls++) {
    await pause(polls < fastPolls ? fastPollMs : slowPollMs)
    const alive = members()
    const left = alive.filter(({ pid }) => pid !== first.pid)
    if (left.length === 0 && (isHeld || !isAlive(first))) break
    // They read what is left in the pipe, and usually end then.
    if (left.length > 0 && left.every(({ pid }) => readers.some((reader) => reader.pid === pid))) {
      readersAlone++
      if (readersAlone === readerPolls && signal !== undefined) for (const reader of readers) trySignal(reader, signal)
    }
    if (signal !== undefined) stopRestarted({ left, isTold, started, signal })
    const isLone = main ? !isAlive(main) : isHeld || !isAlive(first)
    if (!isLone || left.length === 0 || loneSince === Number.POSITIVE_INFINITY) continue
    loneSince ??= performance.now()
    if (performance.now() - loneSince < announceAfterMs) continue
    loneSince = Number.POSITIVE_INFINITY
    onLeft(left)
  }
  // When the daemon closes, the next one continues to wait.
  if (!isHeld || abort.aborted) return
  if (signal !== undefined && !isInit) trySignal(first, signal)
  trySignal(first, 'SIGCONT')
}

function holdsFirst({ first, isInit, signal, isSent }: StopTreeOptions): boolean {
  if (isInit) return true
  // An earlier daemon may hold it.
  if (isSent) return readProcessStat(first.pid)?.state === 'T'
  return signal !== undefined && dispositionOf(first.pid, signal) === 'default'
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
  if (processes.length < 2) return []
  const printed = new Map<string, number[]>()
  for (const { pid } of processes)
    for (const fd of [1, 2] as const) {
      const pipe = pipeOf(pid, fd)
      if (pipe !== undefined) printed.set(pipe, [...(printed.get(pipe) ?? []), pid])
    }
  const isCopyOfOther = (pid: number) =>
    processes.some((other) => other.pid !== pid && commandLineOf(other.pid) === commandLineOf(pid))
  return processes.filter(({ pid }) => {
    const input = pipeOf(pid, 0)
    const writers = input === undefined ? [] : (printed.get(input) ?? [])
    if (!writers.some((writer) => writer !== pid)) return false
    return dispositionOf(pid, signal) === 'default' || isCopyOfOther(pid)
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
    const command = commandLineOf(stat.pid)
    if (command === '' || !ended.includes(command)) continue
    isTold.add(stat.pid)
    const parent = readProcessStat(stat.parent)
    if (parent) trySignal(parent, 'SIGTERM')
    trySignal(stat, signal)
  }
}

function trySignal(target: ProcessId, signal: NodeJS.Signals | number): boolean | 'forbidden' {
  try {
    return sendSignal(target, signal)
  } catch (error) {
    // A program of the server may run as another user (set-user-ID).
    if (codeOf(error) === 'EPERM') return 'forbidden'
    throw error
  }
}
