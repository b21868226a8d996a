import { getPriority, setPriority } from 'node:os'

const steps = 10

/**
 * Lets programs of servers, and all else that the node does, go before this thread and those that it begins: on Linux
 * each has a priority of its own. Called more often it changes nothing.
 */
export function stepBack(): void {
  // The number of a process is that of its first thread too.
  setPriority(Math.min(19, getPriority(process.pid) + steps))
}
