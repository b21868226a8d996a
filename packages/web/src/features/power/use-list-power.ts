import type { ServerView } from '@innkeeper/contract/servers/servers'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { useAction } from '../../api/use-action.ts'
import type { DisplayStatus } from '../../ui/feedback/status.tsx'
import { getDisplayStatus, type PowerAction } from './power.ts'
import { usePowerRequests } from './use-power-requests.ts'

interface ReportedServer {
  /** Absent when it is unknown or outdated. */
  readonly status?: ServerStatus | undefined
  readonly isSuspended?: boolean
}

/** Power actions on the servers of a list, and the status to show of each. */
export function useListPower(reported: ReadonlyMap<string, ReportedServer>) {
  const { pending, send } = usePowerRequests()

  const getStatus = (id: string): DisplayStatus => {
    const { status, isSuspended } = reported.get(id) ?? {}
    return getDisplayStatus(status, false, pending.get(id), Date.now(), isSuspended)
  }
  /** Rejects with the refusal. */
  const sendTo = ({ id }: Pick<ServerView, 'id'>, action: PowerAction) => send(id, action, reported.get(id)?.status)
  const { mutate } = useAction(({ server, action }: { readonly server: ServerView; readonly action: PowerAction }) =>
    sendTo(server, action),
  )

  return {
    getStatus,
    send: sendTo,
    /** Sends an action and shows its error; resolves with whether it was accepted. */
    run: (server: ServerView, action: PowerAction) => mutate({ server, action }),
  }
}
export type ListPower = ReturnType<typeof useListPower>
