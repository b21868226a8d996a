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

/** In milliseconds; about 0.07 with overhead. The shortest wait makes the kernel reschedule. */
const pauseMs = 0.001
/** How long a thread may run before it yields, in milliseconds: about the time to deliver a console line. */
const sliceMs = 0.75

const waitArray = new Int32Array(new SharedArrayBuffer(4))
let resumed = 0

/**
 * Yields the CPU between steps of long work. Linux lets a thread run for about 4 ms, whatever its priority, before it
 * reschedules.
 */
export function yieldCpu(): void {
  if (performance.now() - resumed < sliceMs) return
  Atomics.wait(waitArray, 0, 0, pauseMs)
  resumed = performance.now()
}
