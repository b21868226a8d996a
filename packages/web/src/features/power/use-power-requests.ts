import { getUsage } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { request } from '../../api/request.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { optimisticTimeoutMs, type PendingAction, type PowerAction } from './power.ts'
import { powerCalls } from './power-calls.ts'

/**
 * Sends power actions and keeps the latest one of each server as pending, until the call fails or `optimisticTimeoutMs`
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
    const timers = [...pending].map(([id, action]) =>
      window.setTimeout(() => remove(id, action), Math.max(0, action.startedAt + optimisticTimeoutMs - Date.now())),
    )
    return () => timers.forEach(window.clearTimeout)
  }, [pending, remove])

  /** Rejects with the refusal. `status` is what the node reports at this time. */
  const send = useCallback(
    async (id: string, action: PowerAction, status: ServerStatus | undefined) => {
      const requested: PendingAction = { action, startedAt: Date.now(), since: status?.since }
      setPending((before) => new Map(before).set(id, requested))
      try {
        await request(powerCalls[action], { params: { id }, query: {} })
      } catch (error) {
        remove(id, requested)
        throw error
      }
      void queryClient.invalidateQueries({ queryKey: getQueryKey(getUsage) })
    },
    [queryClient, remove],
  )
  return { pending, send }
}
