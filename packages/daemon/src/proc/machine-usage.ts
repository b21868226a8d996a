import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import type { NodeMachine } from '@innkeeper/contract/nodes/nodes'
import { type CpuTime, readCpuTime } from './cpu-time.ts'

/** CPU, memory and disk usage of the host. Each sample covers the time since the previous one. */
export class MachineUsage {
  readonly #dataDir: string
  readonly #startedAt = new Date().toISOString()
  #before: CpuTime = readCpuTime()
  #used = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  async sample(): Promise<NodeMachine> {
    const now = readCpuTime()
    const all = now.all - this.#before.all
    // Two samples at the same moment have no interval.
    if (all > 0) this.#used = Math.round((1 - (now.idle - this.#before.idle) / all) * 1000) / 10
    this.#before = now
    const { bsize, blocks, bfree, bavail } = await statfs(this.#dataDir)
    const total = totalmem()
    return {
      startedAt: this.#startedAt,
      cpu: { cores: availableParallelism(), used: this.#used },
      memory: { total, used: total - (await availableMemory()) },
      // Without the blocks reserved for root.
      disk: { total: (blocks - bfree + bavail) * bsize, used: (blocks - bfree) * bsize },
    }
  }
}

/** Available memory, page cache included: MemAvailable, not MemFree. */
async function availableMemory(): Promise<number> {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'latin1'))?.[1]
  return Number(found ?? 0) * 1024
}
