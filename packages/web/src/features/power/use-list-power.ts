import type { ServerFlag } from '@innkeeper/contract/permissions'
import { getUsage, type ServerView } from '@innkeeper/contract/servers'
import type { ServerStatus } from '@innkeeper/contract/status'
import { useQueryClient } from '@tanstack/react-query'
import { use, useCallback, useEffect, useState } from 'react'
import { request } from '../../api/request.ts'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import type { DisplayStatus } from '../../ui/status.tsx'
import { powerCalls } from './calls.ts'
import {
  type Asked,
  actionsFor,
  believedMs,
  obstacleTo,
  type PowerAction,
  rightFor,
  shownState,
  stateToActOn,
} from './power.ts'

/** What a list knows of a server: what its node reported, unless that is too old to count. */
export interface Reported {
  readonly status?: ServerStatus | undefined
}

/** Power actions on the servers of a list, by the rules of the server page, and the state to show of each. */
export function useListPower(reported: ReadonlyMap<string, Reported>) {
  const queries = useQueryClient()
  const tell = use(ShowErrorContext)
  const [asked, setAsked] = useState<ReadonlyMap<string, Asked>>(new Map())
  const forget = useCallback(
    (id: string, one: Asked) =>
      setAsked((before) => (before.get(id) === one ? new Map([...before].filter(([other]) => other !== id)) : before)),
    [],
  )
  // Nothing else may change when what was asked stops counting.
  useEffect(() => {
    const timers = [...asked].map(([id, one]) =>
      window.setTimeout(() => forget(id, one), Math.max(0, one.at + believedMs - Date.now())),
    )
    return () => timers.forEach(window.clearTimeout)
  }, [asked, forget])

  const stateOf = (id: string): DisplayStatus => shownState(reported.get(id)?.status, false, asked.get(id), Date.now())

  /** Sends one action; rejects with the refusal. */
  const send = async ({ id }: Pick<ServerView, 'id'>, action: PowerAction) => {
    const one: Asked = { action, at: Date.now(), since: reported.get(id)?.status?.since }
    setAsked((before) => new Map(before).set(id, one))
    try {
      await request(powerCalls[action], { params: { id }, query: {} })
    } catch (error) {
      forget(id, one)
      throw error
    }
    await queries.invalidateQueries({ queryKey: getQueryKey(getUsage) })
  }

  return {
    stateOf,
    send,
    /** Acts on one server; a refusal is shown. */
    act: (server: ServerView, action: PowerAction) => void send(server, action).catch(tell),
  }
}
export type ListPower = ReturnType<typeof useListPower>

/** What can be done with a server right now by somebody with these rights; nothing while its state is unknown. */
export function possibleActions(
  shown: DisplayStatus,
  status: ServerStatus | undefined,
  can: (flag: ServerFlag) => boolean,
): readonly PowerAction[] {
  const state = stateToActOn(shown, status)
  return actionsFor(state).filter((action) => {
    const right = rightFor[action]
    return (
      can(right) &&
      obstacleTo(action, state, status === undefined ? 'node' : undefined, status?.isInDoubt) === undefined
    )
  })
}
