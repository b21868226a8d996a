import { join } from 'node:path'
import { Cache } from '../downloads/cache.ts'
import { Shelf } from './shelf.ts'

/** What the node keeps for all of its servers, so that it is fetched once. */
export interface Supplies {
  readonly cache: Cache
  readonly shelf: Shelf
  close(): Promise<void>
}

/** `cache` and `runtimes` in the data folder. */
export async function openSupplies(dataDir: string): Promise<Supplies> {
  const cache = await Cache.open(join(dataDir, 'cache'))
  const shelf = await Shelf.open(join(dataDir, 'runtimes'))
  return {
    cache,
    shelf,
    async close() {
      await Promise.all([cache.close(), shelf.close()])
    },
  }
}
