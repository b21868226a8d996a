import { getPriority, setPriority } from 'node:os'

const niceness = 10

/**
 * Lowers the priority of this thread and of those that it starts, so that servers and the rest of the node come first:
 * on Linux priorities are per thread. Can be called repeatedly.
 */
export function lowerPriority(): void {
  // The process id is also the id of its main thread.
  setPriority(Math.min(19, getPriority(process.pid) + niceness))
}
