import { join } from 'node:path'
import { Cache } from '../downloads/cache.ts'
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
