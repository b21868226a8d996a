import type { ServerLimits } from '@innkeeper/contract/definition'
import type { TerminalSize } from '@innkeeper/contract/live'
import type { ServerStats } from '@innkeeper/contract/status'
import type { ProcessId } from '../proc/process-id.ts'

/** How a process ended: by itself with a code, or by a signal. Both are `null` when nobody was left to see it. */
export interface Exit {
  /** `null` when a signal ended it. */
  readonly code: number | null
  /** For example `SIGKILL`; `null` when it ended by itself. */
  readonly signal: string | null
  /** Whether the system ended it because it went beyond its memory. */
  readonly isOutOfMemory?: boolean
}

/** What to start: a program and its arguments, never a command line. */
export interface LaunchOptions {
  /** Names the run for ever: `<serverId>/<purpose>`, where the purpose is `main` or `step`. One at a time is alive. */
  readonly key: string
  /** Looked up on the PATH of `env`, or relative to `cwd` when it holds a slash. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** What it may use at most, together with all that it starts. */
  readonly limits?: Partial<ServerLimits>
  /** The user of the system that it runs as; without, that of the daemon. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  /** The size of its terminal, where it gets one. */
  readonly terminalSize?: TerminalSize
}

/**
 * A process that an environment started, or found running. Its output has offsets: bytes since the run began.
 * What was acknowledged is never sent again, also not after a restart of the daemon; the rest is.
 */
export interface Run {
  /** Unique, also over restarts of keeper and daemon. */
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  /** False once the keeper that held its pipes is gone: no output comes any more, and what is written goes nowhere. */
  readonly hasConsole: boolean
  /** Up to here output was acknowledged; a run that was found running is followed on from here, or later. */
  readonly acknowledged: number
  /** All of its processes by now, wherever they have gone; not there where nothing knows them. */
  members?(): readonly number[]
  /** Resolves once, when the process has ended and its last output was handed over; so it waits for `follow`. */
  readonly exited: Promise<Exit>
  /**
   * Hands over the output from `offset` on, in order; a jump in `from` means that the bytes between were dropped.
   * Called once per run; until then nothing is handed over. The bytes are the receiver's.
   */
  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void
  /** Says that the output up to `offset` is stored and need not be kept. */
  acknowledge(offset: number): void
  /** Types bytes into the process, in order. A process that does not read loses what is beyond a bound. */
  write(data: string): void
  /** For a terminal; nothing elsewhere. */
  resize(cols: number, rows: number): void
  /** Sends a signal by number to the process itself. */
  signal(number: number): void
  /** Ends the process and every descendant with SIGKILL; resolves when none is left, at the latest after 2 s. */
  kill(): Promise<void>
  /** Releases what is kept of an ended run: its exit was dealt with. */
  release(): void
  /** Tells what the environment has to say of it, in words for its console; what was to be said before comes first. */
  onNotice?(say: (message: string) => void): void
  /** Tells when nobody can say any more whether it runs, and when somebody can again. */
  onReachability?(tell: (isInDoubt: boolean) => void): void
  /** Measures it where its environment knows more than the table of processes; `onMeasured` gets each interval. */
  measure?(onMeasured: (stats: ServerStats) => void): UsageMonitor
}

export interface UsageMonitor {
  /** Rates over the last interval and memory at its end; zeros until there was an interval, and after the end. */
  latest(): ServerStats
  stop(): void
}

/** How something that takes a while is done: what it says on the console, and what ends it. */
export interface ProgressOptions {
  readonly say: (message: string) => void
  readonly signal: AbortSignal
}

/** Starts processes of one kind. What can be done to a process is on the run that it returns. */
export interface Environment {
  /** Throws a Refusal when the program cannot be started (`ErrMissingBinary`), or `ErrProcessRunning` for a live key. */
  start(plan: LaunchOptions): Promise<Run>
  /** Brings what a start needs and the node may not have, for example an image. */
  prepare?(how: ProgressOptions): Promise<void>
  /** Fetches an image anew, its own one for an empty name. */
  readonly pull?: (image: string, how: ProgressOptions) => Promise<void>
}
