import { getPriority, setPriority } from 'node:os'

const niceness = 10

/**
 * Lets programs of servers, and all else that the node does, go before this thread and those that it begins: on Linux
 * each has a priority of its own. Called more often it changes nothing.
 */
export function lowerPriority(): void {
  // The number of a process is that of its first thread too.
  setPriority(Math.min(19, getPriority(process.pid) + niceness))
}

/**
 * In milliseconds; with what the system adds it takes some 0.07. The shortest wait is enough for the system to look who else
 * wants the processor.
 */
const pauseMs = 0.001
/** So long a thread may work on, in milliseconds: about what a line of the console needs for its way. */
const sliceMs = 0.75

const waitArray = new Int32Array(new SharedArrayBuffer(4))
let resumed = 0

/**
 * Between steps of long work, lets whoever waits for this processor have it now. Linux lets a thread work on for about
 * 4 ms, of whatever priority it is, before it looks.
 */
export function yieldCpu(): void {
  if (performance.now() - resumed < sliceMs) return
  Atomics.wait(waitArray, 0, 0, pauseMs)
  resumed = performance.now()
}
