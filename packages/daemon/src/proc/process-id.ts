/** A process by pid and start time (clock ticks since boot), safe against pid reuse. */
export interface ProcessId {
  readonly pid: number
  readonly startTime: number
}
