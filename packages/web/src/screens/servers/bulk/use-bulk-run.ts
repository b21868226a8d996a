import type { ListedServer } from '@innkeeper/contract/servers/servers'
import { useEffect, useRef, useState } from 'react'

/** How many requests run at the same time: a browser opens six connections, and the page needs some of them. */
const maxConcurrentRequests = 4

/** What became of the action on one server. `canceled`: it was never sent. */
export type BulkResult = { readonly type: 'done' | 'canceled' } | { readonly type: 'failed'; readonly error: unknown }

export interface BulkRun {
  readonly isRunning: boolean
  /** By server id. */
  readonly results: ReadonlyMap<string, BulkResult>
  /** Sends the action to each server and returns all results, also those of an earlier run. */
  readonly run: (
    servers: readonly ListedServer[],
    send: (server: ListedServer) => Promise<unknown>,
  ) => Promise<ReadonlyMap<string, BulkResult>>
  /** Sends nothing more. Requests that were sent already are waited for. */
  readonly cancel: () => void
}

/** Runs an action on many servers, a few at a time, with a result for each. */
export function useBulkRun(): BulkRun {
  const [isRunning, setIsRunning] = useState(false)
  const [results, setResults] = useState<ReadonlyMap<string, BulkResult>>(new Map())
  const isCanceled = useRef(false)
  const cancel = () => {
    isCanceled.current = true
  }
  // Without its dialog no user could cancel it.
  useEffect(() => {
    return () => {
      isCanceled.current = true
    }
  }, [])

  const run: BulkRun['run'] = async (servers, send) => {
    isCanceled.current = false
    setIsRunning(true)
    const collected = new Map(results)
    for (const { id } of servers) collected.delete(id)
    const report = (id: string, result: BulkResult) => {
      collected.set(id, result)
      setResults(new Map(collected))
    }
    const queue = [...servers]
    const worker = async () => {
      for (let server = queue.shift(); server && !isCanceled.current; server = queue.shift()) {
        const { id } = server
        await send(server).then(
          () => report(id, { type: 'done' }),
          (error: unknown) => report(id, { type: 'failed', error }),
        )
      }
    }
    setResults(new Map(collected))
    await Promise.all(Array.from({ length: maxConcurrentRequests }, worker))
    for (const { id } of servers) if (!collected.has(id)) collected.set(id, { type: 'canceled' })
    setResults(collected)
    setIsRunning(false)
    return collected
  }
  return { isRunning, results, run, cancel }
}
