import { existsSync, readFileSync } from 'node:fs'
import { isProcessGone } from './process-stat.ts'

/** Bytes read from and written to disks since a process began; without the page cache. */
export interface DiskTraffic {
  readonly read: number
  readonly written: number
}

/** Some kernels do not count it. */
const isCounted = existsSync('/proc/self/io')
const nothing: DiskTraffic = { read: 0, written: 0 }

/**
 * The sum over processes. The kernel adds the counters of an exited process to its parent when it is reaped, so that
 * the sum over a tree only grows. Returns undefined when a process is unreadable.
 */
export function findDiskTraffic(pids: Iterable<number>, read = readDiskTraffic): DiskTraffic | undefined {
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
    // A process of another user, or an undumpable one.
    if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
      return undefined
    throw error
  }
}

/** Parses `/proc/<pid>/io`. */
export function parseDiskTraffic(text: string): DiskTraffic | undefined {
  const [read, written] = [/^read_bytes: (\d+)$/m, /^write_bytes: (\d+)$/m].map((line) => line.exec(text)?.[1])
  return read === undefined || written === undefined ? undefined : { read: Number(read), written: Number(written) }
}
