import type { ConsoleEncoding } from '@innkeeper/contract/definitions/console-encodings'
import type { Exit, Run } from '../processes/run.ts'
import type { ReadyWatch, ReadyWatchOptions } from './ready-line.ts'
import type { Rules } from './rules.ts'

export interface StopOptions {
  /** Monotonic time until which it may take. */
  readonly deadline: number
  readonly isRequested: boolean
}

/** The actions of a server; the supervisor decides when to run them. A failure rejects, with details on the console. */
export interface LifecycleActions {
  rules(): Omit<Rules, 'restartDelayMs'>
  /** Runs the pre steps. */
  prepare(signal: AbortSignal): Promise<void>
  launch(): Promise<Run>
  /** Of the console of the process that runs or is about to run. */
  encoding(): ConsoleEncoding | undefined
  /** Watches for the ready line; undefined when the server has no ready pattern. */
  watchForReady(run: Run, options: ReadyWatchOptions): ReadyWatch | undefined
  /** The time that a stop may take, in milliseconds. */
  stopTimeoutMs(): number
  /**
   * Writes the stop command or sends the stop signal, and takes care that it arrives; `isRequested` when an earlier
   * daemon has done so. Dispose when the server has ended.
   */
  requestStop(run: Run, options: StopOptions): Disposable
  /** Runs the post steps. */
  finish(exit: Exit, signal: AbortSignal): Promise<void>
  install(signal: AbortSignal): Promise<void>
}
