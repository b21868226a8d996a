import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { runningExecutables } from '../proc/running-executables.ts'
import type { SharedStore } from './shared-store.ts'

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
