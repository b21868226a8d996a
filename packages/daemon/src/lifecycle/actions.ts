import type { Exit, Run } from '../processes/run.ts'
import type { ReadyWatch, ReadyWatchOptions } from './ready-line.ts'
import type { Rules } from './rules.ts'

/** What is done for a server; the supervisor decides when. Whatever fails rejects, and says more on the console itself. */
export interface LifecycleActions {
  rules(): Omit<Rules, 'restartDelayMs'>
  /** Runs the pre steps. */
  prepare(signal: AbortSignal): Promise<void>
  launch(): Promise<Run>
  /** Looks for the line that says that the server is ready; `undefined` when there is none to wait for. */
  watchForReady(run: Run, how: ReadyWatchOptions): ReadyWatch | undefined
  /** Types the stop command or sends the stop signal. */
  requestStop(run: Run): void
  /** Runs the post steps. */
  finish(exit: Exit, signal: AbortSignal): Promise<void>
  install(signal: AbortSignal): Promise<void>
}
