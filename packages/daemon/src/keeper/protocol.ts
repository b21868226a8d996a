import { chmodSync, closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { ProcessId } from '../proc/process-stat.ts'

/**
 * Messages between keeper and daemon, as frames over a Unix socket (see `frames.ts`). A keeper outlives upgrades: a
 * message that older keepers do not know needs a new `protocol`.
 */
export const protocol = 1

/**
 * Incremented by each release that changes the keeper. New runs go to the newest generation; older ones exit with their
 * last run.
 */
export const generation = 2

export const keeperLimits = {
  /** Unacknowledged output of one run; beyond it the oldest is dropped. */
  outputBytes: 4 * 1024 * 1024,
  /** Maximum output per frame and per read. */
  chunkBytes: 64 * 1024,
  /** Interval between frames under continuous output, to batch small writes. */
  flushEveryMs: 4,
  /** Longest pause of a run whose output buffer is full, until one second has passed without a pause. */
  maxPauseMs: 250,
  pauseAgainMs: 1_000,
  /** A terminal is closed 200 ms after its process has exited, so a pause must be much shorter. */
  maxTerminalPauseMs: 50,
  /** Input that the process has not read; beyond it input is dropped. */
  inputBytes: 1024 * 1024,
  /** Interval of write attempts to a terminal that does not accept input. */
  inputRetryMs: 20,
  /**
   * Output can arrive after the exit. Waiting ends after this long without output, and after the total time at the
   * latest.
   */
  lastOutputMs: 200,
  lastOutputTotalMs: 2_000,
  /** A keeper without runs and daemon exits after this time. */
  idleMs: 5 * 60_000,
  /** Maximum size of a message; the environment is the largest part. */
  headerBytes: 4 * 1024 * 1024,
  payloadBytes: 1024 * 1024,
} as const

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/** The state of a run. With `exit` it has exited and is not released yet. */
export interface RunReport {
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  readonly acknowledged: number
  /** Offset after the last byte read. */
  readonly end: number
  readonly exit?: Exit
}

export interface StartRequest {
  readonly is: 'start'
  readonly id: string
  readonly key: string
  /** Absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Size of the pseudo-terminal; without it the process gets pipes. */
  readonly terminal?: TerminalSize
}

export type ToKeeper =
  | StartRequest
  /** Send output from this offset on, and the exit. */
  | { readonly is: 'follow'; readonly id: string; readonly from: number }
  | { readonly is: 'acknowledge'; readonly id: string; readonly to: number }
  /** The payload is the input. */
  | { readonly is: 'write'; readonly id: string }
  | { readonly is: 'resize'; readonly id: string; readonly size: TerminalSize }
  | { readonly is: 'forget'; readonly id: string }
  /** Another generation has taken over: start nothing more, and exit with the last run. */
  | { readonly is: 'retire' }

export type FromKeeper =
  /** The first message on a connection. */
  | {
      readonly is: 'welcome'
      readonly protocol: number
      readonly generation: number
      readonly runs: readonly RunReport[]
    }
  | { readonly is: 'started'; readonly run: RunReport }
  /** `live`: a run with this key exists. `failed`: the system call failed, with its error code. */
  | {
      readonly is: 'refused'
      readonly id: string
      readonly why: 'live' | 'retired' | 'failed'
      readonly code: string
      readonly message: string
    }
  /** The payload is the output. */
  | { readonly is: 'output'; readonly id: string; readonly from: number }
  | { readonly is: 'ended'; readonly id: string; readonly exit: Exit; readonly end: number }
  | { readonly is: 'inputLost'; readonly id: string; readonly bytes: number }
  /** Another daemon has connected and is in charge. */
  | { readonly is: 'replaced' }

/** The state that a keeper persists, for a daemon that finds the keeper dead. */
export interface KeeperState {
  readonly protocol: number
  readonly generation: number
  /** The boot id: after a reboot none of these processes exist, even if pids and start times match. */
  readonly boot: string
  readonly keeper: ProcessId
  readonly socket: string
  readonly runs: readonly PersistedRun[]
}

/** First written before the process is started, without `process`; the run can then still be found by its marker. */
interface PersistedRun {
  readonly id: string
  readonly key: string
  readonly process?: ProcessId
  readonly exit?: Exit
}

/**
 * The directory of sockets and state, `<dataDir>/run`, as an open descriptor. Sockets are addressed through it, because
 * a socket path is limited to 107 bytes and a data directory can be anywhere.
 */
export class RunFolder implements Disposable {
  readonly path: string
  readonly #fd: number

  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    chmodSync(path, 0o700)
    this.path = path
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  socket(name: string): string {
    return `/proc/self/fd/${this.#fd}/${name}`
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd)
  }
}

export function getRunFolder(dataDir: string): string {
  return join(dataDir, 'run')
}
