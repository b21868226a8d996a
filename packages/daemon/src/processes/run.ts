import type { ServerLimits } from '@innkeeper/contract/definitions/definition'
import type { TerminalSize } from '@innkeeper/contract/servers/live'
import type { ServerStats } from '@innkeeper/contract/servers/status'
import type { ProcessId } from '../proc/process-stat.ts'

/** How a process exited: with a code or by a signal. Both are null when the exit was not observed. */
export interface Exit {
  /** null when killed by a signal. */
  readonly code: number | null
  /** For example `SIGKILL`; null for a regular exit. */
  readonly signal: string | null
  /** Whether it was killed for exceeding its memory limit. */
  readonly isOutOfMemory?: boolean
}

/**
 * A copy of a server: `directory` takes the place of that of the server. It has no network but a loopback of its own,
 * and does not see the temporary files and sockets of other programs.
 */
export interface ServerCopy {
  readonly directory: string
  readonly serverDirectory: string
}

/** A program with its arguments; never a shell command line. */
export interface LaunchOptions {
  /** Identifies the run permanently: `<serverId>/<purpose>` with purpose `main` or `step`. One run per key is alive. */
  readonly key: string
  /** Looked up in the PATH of `env`, or relative to `cwd` when it contains a slash. */
  readonly file: string
  readonly args: readonly string[]
  /** Only in containers: the image's entry point runs, with `args` or else its own command. `file` is empty. */
  readonly usesEntryPoint?: boolean | undefined
  readonly cwd: string
  /** The complete environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  /** Limits of the process and all of its descendants. */
  readonly limits?: Partial<ServerLimits>
  /** The system user that runs it; default: the daemon's. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  /** Starts it as a copy of a server; refused where it cannot be isolated. */
  readonly copy?: ServerCopy
  /** Size of its pseudo-terminal, if it gets one. */
  readonly terminalSize?: TerminalSize
}

/** A stop of a server. */
export interface StopRequest {
  /** The number of the signal; undefined when the server was told by a command. */
  readonly signal?: number
  /** Whether an earlier daemon has sent the signal. */
  readonly isSent?: boolean
  /** Monotonic time until which the processes may end. */
  readonly deadline: number
}

/**
 * A process that an environment started or found running. Output has offsets: bytes since the run began. Acknowledged
 * output is never sent again, not even after a restart of the daemon; unacknowledged output is.
 */
export interface Run {
  /** Unique across restarts of keeper and daemon. */
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  /** False once the keeper that had its pipes is gone: there is no more output, and input is discarded. */
  readonly hasConsole: boolean
  /** Offset of the acknowledged output; a reattached run is followed from here or later. */
  readonly acknowledged: number
  /** All of its processes, also those that left its session. Undefined where they are not tracked. */
  members?(): readonly number[]
  /** Resolves when the process has exited and its last output was delivered; requires `follow`. */
  readonly exited: Promise<Exit>
  /**
   * Delivers the output from `offset` on, in order; a jump in `from` means that the bytes in between were dropped. May
   * be called once per run; nothing is delivered before. The receiver owns the bytes.
   */
  follow(offset: number, onOutput: (data: Uint8Array, from: number) => void): void
  /** Confirms that the output up to `offset` is stored and may be discarded. */
  acknowledge(offset: number): void
  /** Writes to stdin, in order. Input beyond a bound is dropped when the process does not read. */
  write(data: string | Buffer): void
  /**
   * Takes what its first process has not read. Returns '' when it has read everything, and undefined when that cannot be
   * determined.
   */
  takeUnreadInput?(): string | undefined
  /** For terminals; does nothing otherwise. */
  resize(cols: number, rows: number): void
  /**
   * Sends the stop signal to all of its processes. What is left when the first one has ended may run until the deadline
   * and is killed then; `exited` resolves after that. May be called again, also for a run of an earlier daemon.
   */
  stop(request: StopRequest): void
  /** Kills the process and all descendants with SIGKILL. Resolves when none is left, after 2 s at the latest. */
  kill(): Promise<void>
  /** Freezes all of its processes until `thaw`. Returns whether they are frozen. Missing where that is impossible. */
  freeze?(): Promise<boolean>
  /** Resolves when they go on, or later if that is not possible now. */
  thaw?(): void | Promise<void>
  /** Whether somebody has paused it outside of Innkeeper, or a backup has frozen it. Missing where that is not known. */
  isPaused?(): Promise<boolean>
  /** Releases the record of an exited run after its exit was processed. */
  release(): void
  /** Calls the listener with messages of the environment for the console, earlier ones first. */
  onNotice?(say: (message: string) => void): void
  /** Calls the listener when the state of the run becomes unknown or known again. */
  onReachability?(listener: (isInDoubt: boolean) => void): void
  /** The bytes that it has written in its container, outside of the mounted folders. Missing outside of containers. */
  writtenBytes?(): Promise<number>
  /** Measures usage where the environment knows more than the process table; `onMeasured` is called each interval. */
  measure?(onMeasured: (stats: ServerStats) => void): UsageMonitor
}

export interface UsageMonitor {
  /** Rates over the last interval and memory at its end; zero before the first interval and after the exit. */
  latest(): ServerStats
  stop(): void
}

/** Console output and abort signal of a long operation. */
export interface ProgressOptions {
  readonly say: (message: string) => void
  readonly signal: AbortSignal
}

/** Starts processes of one kind. The returned run controls the process. */
export interface Environment {
  /** Throws `ErrMissingBinary` when the program cannot be started, or `ErrProcessRunning` for a live key. */
  start(plan: LaunchOptions): Promise<Run>
  /** Provides what a start needs, for example an image. */
  prepare?(options: ProgressOptions): Promise<void>
  /** Pulls an image; its own one for an empty name. */
  readonly pull?: (image: string, options: ProgressOptions) => Promise<void>
}
