import type { ServerDetail } from '@innkeeper/contract/servers/servers'
import { Stack } from '@mantine/core'
import { useCan } from '../../session/session.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import type { Can } from './permissions.ts'

const AdminPanel = lazyView(async () => (await import('../../features/server-admin/admin-panel.tsx')).AdminPanel)
const ServerClients = lazyView(async () => (await import('../../features/oauth-clients/clients.tsx')).ServerClients)
const AlertsCard = lazyView(async () => (await import('../../features/alerts/alerts-card.tsx')).AlertsCard)
const ServerActivity = lazyView(
  async () => (await import('../../features/activity/server-activity.tsx')).ServerActivity,
)
const CloneCard = lazyView(async () => (await import('../../features/clone/clone-card.tsx')).CloneCard)
const MoveCard = lazyView(async () => (await import('../../features/move/move-card.tsx')).MoveCard)
const ReportsCard = lazyView(async () => (await import('../../features/liveness/reports-card.tsx')).ReportsCard)
const SuspendCard = lazyView(async () => (await import('../../features/suspension/suspend-card.tsx')).SuspendCard)
const DeleteServer = lazyView(async () => (await import('../../features/server-admin/delete-server.tsx')).DeleteServer)

interface AdminTabProps {
  readonly server: ServerDetail
  readonly can: Can
  /** Absent without permission. */
  readonly onClone: (() => void) | undefined
}

export function AdminTab({ server, can, onClone }: AdminTabProps) {
  const canSuspend = useCan('servers.edit.admin')
  return (
    <Stack gap="md" pb="xl" pt={{ base: can('admin') ? 0 : 'sm', sm: 0 }}>
      {can('admin') && <AdminPanel server={server} />}
      <Stack gap="md" px={{ base: 'sm', sm: 0 }}>
        {can('viewServerConsole') && <ReportsCard server={server.id} />}
        <ServerClients server={server} />
        {can('editServerData') && <AlertsCard id="alerts" server={server.id} />}
        {can('editServerUsers') && <ServerActivity id={server.id} />}
        {onClone && <CloneCard onClone={() => onClone()} />}
        {can('admin') && <MoveCard server={server} />}
        {canSuspend && <SuspendCard server={server} />}
        {(can('admin') || can('deleteServer')) && (
          <DeleteServer server={server} canViewFiles={can('viewServerFiles')} />
        )}
      </Stack>
    </Stack>
  )
}
