/** A process by pid and start time (clock ticks since boot), so that a recycled pid is never believed. */
export interface ProcessId {
  readonly pid: number
  readonly startTime: number
}
