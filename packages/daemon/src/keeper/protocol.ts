import type { ProcessId } from '../proc/process-id.ts'

/**
 * What a keeper and its daemon say to each other: frames over a unix socket, see `frames.ts`.
 * A keeper outlives upgrades, so a message that older keepers do not know needs a new `protocol`.
 */
export const protocol = 1

/** Raised with each release that changes the keeper: new runs go to the newest generation, older ones leave with their last run. */
export const generation = 2

export const keeperLimits = {
  /** Output of one run that nobody acknowledged yet; beyond it the oldest is dropped. */
  outputBytes: 4 * 1024 * 1024,
  /** How much output one frame carries, and one read takes. */
  chunkBytes: 64 * 1024,
  /** Under continuous output frames are sent this far apart, so that many small writes become one. */
  flushEveryMs: 4,
  /** A run whose output is full is held for this long at most, before one second went by without holding it. */
  maxPauseMs: 250,
  pauseAgainMs: 1_000,
  /** A terminal is closed 200 ms after its process ended, so it must be read again well before that. */
  maxTerminalPauseMs: 50,
  /** What was typed and not read yet; beyond it is dropped. */
  inputBytes: 1024 * 1024,
  /** A terminal that takes no input is tried again this often. */
  inputRetryMs: 20,
  /** The last output can arrive after the exit: this long a silence ends the wait for it, and this long a time in any case. */
  lastOutputMs: 200,
  lastOutputTotalMs: 2_000,
  /** A keeper without run and daemon leaves after this time. */
  idleMs: 5 * 60_000,
  /** A message from either side; environments are the largest part of one. */
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

/** A run as the keeper tells it: with `exit` it has ended and is not forgotten yet. */
export interface RunReport {
  readonly id: string
  readonly key: string
  readonly process: ProcessId
  readonly acknowledged: number
  /** Output up to here was read so far. */
  readonly end: number
  readonly exit?: Exit
}

export interface StartOrder {
  readonly is: 'start'
  readonly id: string
  readonly key: string
  /** An absolute path. */
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** With it the process gets a terminal, without it pipes. */
  readonly terminal?: TerminalSize
}

export type ToKeeper =
  | StartOrder
  /** Sends output from here on, and the end. */
  | { readonly is: 'follow'; readonly id: string; readonly from: number }
  | { readonly is: 'acknowledge'; readonly id: string; readonly to: number }
  /** The payload is what to type. */
  | { readonly is: 'write'; readonly id: string }
  | { readonly is: 'resize'; readonly id: string; readonly size: TerminalSize }
  | { readonly is: 'forget'; readonly id: string }
  /** Another generation has taken over: start nothing more, and leave with the last run. */
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
  /** `live`: a run with this key is alive. `failed`: the system refused, with its error code. */
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
  /** Another daemon connected; it is in charge now. */
  | { readonly is: 'replaced' }

/** What a keeper keeps on disk, for a daemon that finds the keeper dead. */
export interface KeeperState {
  readonly protocol: number
  readonly generation: number
  /** The machine's boot: after another one nothing of this is alive, even where pids and start times agree. */
  readonly boot: string
  readonly keeper: ProcessId
  readonly socket: string
  readonly runs: readonly PersistedRun[]
}

/** Written before the process is started, then without `process`, so that a run can be found by its marker at the worst. */
export interface PersistedRun {
  readonly id: string
  readonly key: string
  readonly process?: ProcessId
  readonly exit?: Exit
}
