import { closeSync, openSync } from 'node:fs'
import { isProcessGone, type ProcessStat, readOpenProcessStat, readProcessStat } from './process-stat.ts'

/** Processes whose statistics are read through an open file descriptor; more processes cost a little more CPU. */
const maxOpenProcesses = 1_000

/**
 * A cache of open `stat` files: rereading one costs a third of reopening. The kernel binds a descriptor to its process,
 * so pid reuse is detected.
 */
export class StatFileCache {
  readonly #open = new Map<number, number>()

  read(pid: number): ProcessStat | undefined {
    const fd = this.#open.get(pid)
    if (fd === undefined) return readProcessStat(pid)
    const stat = readOpenProcessStat(fd)
    if (stat) return stat
    this.#close(pid, fd)
    return readProcessStat(pid)
  }

  /** Keeps the files of these processes open, and closes others. */
  keep(pids: ReadonlySet<number>): void {
    this.closeAllBut(pids)
    for (const pid of pids) {
      if (this.#open.has(pid) || this.#open.size >= maxOpenProcesses) continue
      try {
        this.#open.set(pid, openSync(`/proc/${pid}/stat`, 'r'))
      } catch (error) {
        if (!isProcessGone(error)) throw error
      }
    }
  }

  closeAllBut(pids: ReadonlySet<number>): void {
    for (const [pid, fd] of this.#open) if (!pids.has(pid)) this.#close(pid, fd)
  }

  #close(pid: number, fd: number): void {
    this.#open.delete(pid)
    closeSync(fd)
  }
}
