import { existsSync, readFileSync } from 'node:fs'
import { isProcessGone } from '../proc/process-stat.ts'

/** Bytes that went from and to disks, since a process began; what the kernel had in memory already is none of them. */
export interface DiskTraffic {
  readonly read: number
  readonly written: number
}

/** Some kernels do not count it. */
const isCounted = existsSync('/proc/self/io')
const nothing: DiskTraffic = { read: 0, written: 0 }

/**
 * The traffic of processes together. The kernel gives what an ended process had to the one that waited for it, so that
 * the sum over a tree only grows. `undefined` where nobody may know.
 */
export function diskTrafficOf(pids: Iterable<number>, read = readDiskTraffic): DiskTraffic | undefined {
  const sum = { read: 0, written: 0 }
  for (const pid of pids) {
    const traffic = read(pid)
    if (!traffic) return undefined
    sum.read += traffic.read
    sum.written += traffic.written
  }
  return sum
}

function readDiskTraffic(pid: number): DiskTraffic | undefined {
  if (!isCounted) return undefined
  try {
    return parseDiskTraffic(readFileSync(`/proc/${pid}/io`, 'latin1'))
  } catch (error) {
    if (isProcessGone(error)) return nothing
    // A process of another user, or one that keeps its matters to itself.
    if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
      return undefined
    throw error
  }
}

/** Reads `/proc/<pid>/io`. */
export function parseDiskTraffic(text: string): DiskTraffic | undefined {
  const [read, written] = ['read_bytes', 'write_bytes'].map(
    (name) => new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1],
  )
  return read === undefined || written === undefined ? undefined : { read: Number(read), written: Number(written) }
}
