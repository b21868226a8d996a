import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { listPlayerActions } from '@innkeeper/contract/servers/player-actions'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { type ReactNode, Suspense, useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { lazyView } from '../../ui/loading/lazy-view.tsx'

const CountdownDialog = lazyView(async () => (await import('./countdown-dialog.tsx')).CountdownDialog)

interface Options {
  readonly server: string
  readonly status: ServerStatus | undefined
  readonly can: (permission: RequiredPermission) => boolean
}

export interface Countdown {
  /** Opens the dialog; undefined while such a restart is not possible. */
  readonly open: (() => void) | undefined
  readonly dialog: ReactNode
}

/**
 * The restart with a countdown: for users who may restart the server and message its players, where its template has a
 * command for that.
 */
export function useCountdown({ server, status, can }: Options): Countdown {
  const [isOpen, setIsOpen] = useState(false)
  const isPermitted = can('startServer') && can('messagePlayers')
  const { data } = useApiQuery(listPlayerActions, { params: { id: server } }, { enabled: isPermitted })
  const canBroadcast = data?.actions.some(({ type }) => type === 'broadcast') === true
  const isPossible = isPermitted && canBroadcast && status?.running === true && status.restartAt === undefined
  return {
    open: isPossible ? () => setIsOpen(true) : undefined,
    dialog: isOpen && (
      <Suspense fallback={null}>
        <CountdownDialog server={server} onClose={() => setIsOpen(false)} />
      </Suspense>
    ),
  }
}
