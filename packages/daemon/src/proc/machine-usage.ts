import { readFile, statfs } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import type { NodeMachine } from '@innkeeper/contract/nodes'
import { type ProcessorTime, processorTime } from './processor-time.ts'

/** How busy the whole machine is: each look tells of the time since the one before. */
export class MachineUsage {
  readonly #dataDir: string
  readonly #startedAt = new Date().toISOString()
  #before: ProcessorTime = processorTime()
  #used = 0

  constructor(dataDir: string) {
    this.#dataDir = dataDir
  }

  async sample(): Promise<NodeMachine> {
    const now = processorTime()
    const all = now.all - this.#before.all
    // Two looks at the same moment have nothing between them.
    if (all > 0) this.#used = Math.round((1 - (now.idle - this.#before.idle) / all) * 1000) / 10
    this.#before = now
    const { bsize, blocks, bfree, bavail } = await statfs(this.#dataDir)
    const total = totalmem()
    return {
      startedAt: this.#startedAt,
      cpu: { cores: availableParallelism(), used: this.#used },
      memory: { total, used: total - (await availableMemory()) },
      // What is kept for the administrator of the machine is nobody's.
      disk: { total: (blocks - bfree + bavail) * bsize, used: (blocks - bfree) * bsize },
    }
  }
}

/** What programs can still get, caches included: not what is unused. */
async function availableMemory(): Promise<number> {
  const found = /^MemAvailable:\s+(\d+) kB$/m.exec(await readFile('/proc/meminfo', 'latin1'))?.[1]
  return Number(found ?? 0) * 1024
}
