import { join } from 'node:path'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { Cache } from '../downloads/cache.ts'
import { runningExecutables } from '../proc/running-executables.ts'
import { RuntimeStore } from './runtime-store.ts'

/** Downloads and runtimes shared by all servers. */
export interface SharedStore {
  readonly cache: Cache
  readonly runtimes: RuntimeStore
  close(): Promise<void>
}

/** `cache` and `runtimes` in the data directory. */
export async function openSharedStore(dataDir: string): Promise<SharedStore> {
  const cache = await Cache.open(join(dataDir, 'cache'))
  const runtimes = await RuntimeStore.open(join(dataDir, 'runtimes'))
  return {
    cache,
    runtimes,
    async close() {
      await Promise.all([cache.close(), runtimes.close()])
    },
  }
}

interface Deps {
  readonly sharedStore: Pick<SharedStore, 'cache' | 'runtimes'>
  readonly log: Logger
  readonly everyMs?: number
}

/** Prunes the download cache and the runtime store. */
export function pruneJob({ sharedStore, log, everyMs = 60 * 60 * 1000 }: Deps): PeriodicJob {
  return new PeriodicJob({
    everyMs,
    async run(signal) {
      await sharedStore.cache.prune({ signal })
      const evicted = await sharedStore.runtimes.prune({ running: await runningExecutables(), signal })
      if (evicted.length > 0) log.info({ evicted }, 'removed unused runtimes')
    },
    onError: (err) => log.error({ err }, 'failed to prune the download cache or the runtime store'),
  })
}
