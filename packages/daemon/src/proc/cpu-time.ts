import { readFileSync } from 'node:fs'

/** CPU time of the host since boot, in any unit. */
export interface CpuTime {
  readonly idle: number
  readonly all: number
}

/** From /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guest time is included in user. */
export function readCpuTime(): CpuTime {
  const line = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0] ?? ''
  const times = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const [, , , idle = 0, waiting = 0] = times
  return { idle: idle + waiting, all: times.reduce((sum, time) => sum + time, 0) }
}
