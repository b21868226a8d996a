import type { ProcessId } from './process-id.ts'
import { isAlive, isProcessGone } from './process-stat.ts'

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
