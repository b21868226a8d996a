import type { ServerUsage } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'

/** Reads the usage of up to `limits.pageSizeMax` servers; servers that the node does not have are omitted. */
type ReadUsage = (ids: readonly string[]) => Promise<readonly ServerUsage[]>

/** A read that takes longer does not hold up the next one. */
const slowReadMs = 1_000

interface Batch {
  readonly ids: Set<string>
  readonly usage: Promise<ReadonlyMap<string, ServerUsage>>
}

/**
 * Reads the current usage of servers from a node. Requests that arrive while the node is being read wait for one more
 * read for all of them, so no response is older than its request, and many viewers cost the node few requests.
 */
export function usageBatches(read: ReadUsage): (id: string) => Promise<ServerUsage | undefined> {
  let waiting: Batch | undefined
  let lastRead: Promise<void> = Promise.resolve()

  function newBatch(): Batch {
    const ids = new Set<string>()
    const usage = lastRead.then(async () => {
      if (waiting === batch) waiting = undefined
      return new Map((await read([...ids])).map((serverUsage) => [serverUsage.id, serverUsage]))
    })
    const batch = { ids, usage }
    lastRead = settledOrSlow(usage)
    return batch
  }

  return async (id) => {
    if (!waiting || waiting.ids.size >= limits.pageSizeMax) waiting = newBatch()
    waiting.ids.add(id)
    return (await waiting.usage).get(id)
  }
}

/** Resolves when the read has ended, also with an error, which only concerns the requests of its batch. */
function settledOrSlow(read: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, slowReadMs)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    read.then(end, end)
  })
}
