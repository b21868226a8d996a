import { readdirSync, readFileSync } from 'node:fs'
import { kernelConstants } from '@innkeeper/daemon/proc/cpu-ticks'
import { readProcessStat } from '@innkeeper/daemon/proc/process-stat'

/** CPU time of a process since its start. */
export function getCpuSeconds(pid: number): number {
  return (readProcessStat(pid)?.cpuTicks ?? Number.NaN) / kernelConstants.ticksPerSecond
}

export function getMemoryMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) / 1024
}

export function getOpenFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Counts zombie children: exited, but not waited for. */
export function countZombies(parent: number): number {
  return readdirSync('/proc')
    .map(Number)
    .filter(Number.isInteger)
    .map(readProcessStat)
    .filter((stat) => stat?.parent === parent && stat.state === 'Z').length
}
