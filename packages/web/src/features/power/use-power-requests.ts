import {
  installServer,
  killServer,
  restartServer,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { getUsage } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api.ts'
import { optimisticTimeoutMs, type PendingAction, type PowerAction } from './power.ts'

/**
 * Sends power actions and keeps the latest one of each server as pending, until the request fails or `optimisticTimeoutMs`
 * passes.
 */
export function usePowerRequests() {
  const queryClient = useQueryClient()
  const [pending, setPending] = useState<ReadonlyMap<string, PendingAction>>(new Map())
  const remove = useCallback(
    (id: string, action: PendingAction) =>
      setPending((before) =>
        before.get(id) === action ? new Map([...before].filter(([other]) => other !== id)) : before,
      ),
    [],
  )
  // The timeout must re-render the component: possibly nothing else changes at that time.
  useEffect(() => {
    if (pending.size === 0) return
    const first = Math.min(...[...pending.values()].map(({ startedAt }) => startedAt))
    const isCurrent = ({ startedAt }: PendingAction) => Date.now() - startedAt < optimisticTimeoutMs
    const timer = window.setTimeout(
      () => setPending((before) => new Map([...before].filter(([, action]) => isCurrent(action)))),
      Math.max(0, first + optimisticTimeoutMs - Date.now()),
    )
    return () => window.clearTimeout(timer)
  }, [pending])

  /** Rejects with the refusal. `status` is what the node reports at this time. */
  const send = useCallback(
    async (id: string, action: PowerAction, status: ServerStatus | undefined) => {
      const requested: PendingAction = { action, startedAt: Date.now(), since: status?.since }
      setPending((before) => new Map(before).set(id, requested))
      try {
        await request(powerEndpoints[action], { params: { id }, query: {} })
      } catch (error) {
        remove(id, requested)
        throw error
      }
      // An action on many servers must not cancel and repeat this request for each of them.
      void queryClient.invalidateQueries({ queryKey: getQueryKey(getUsage) }, { cancelRefetch: false })
    },
    [queryClient, remove],
  )
  return { pending, send }
}

/** The endpoint of each power action. Killing a server aborts its install. */
const powerEndpoints = {
  start: startServer,
  restart: restartServer,
  stop: stopServer,
  kill: killServer,
  install: installServer,
  cancelInstall: killServer,
} as const
