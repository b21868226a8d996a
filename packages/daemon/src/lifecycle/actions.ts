import type { ConsoleEncoding } from '@innkeeper/contract/console-encodings'
import type { Exit, Run } from '../processes/run.ts'
import type { ReadyWatch, ReadyWatchOptions } from './ready-line.ts'
import type { Rules } from './rules.ts'

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
  /** Writes the stop command or sends the stop signal. */
  requestStop(run: Run): void
  /** Runs the post steps. */
  finish(exit: Exit, signal: AbortSignal): Promise<void>
  install(signal: AbortSignal): Promise<void>
}
