import type { ServerView } from '@innkeeper/contract/servers'
import { Paper, SimpleGrid } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { EditDefinition, ReloadFromDisk } from './definition-actions.tsx'
import { DeleteServer } from './delete-server.tsx'
import { LimitsCard } from './limits-card.tsx'
import { StartAndRecovery } from './start-and-recovery.tsx'

interface AdminPanelProps {
  readonly server: ServerView
  readonly isAdmin: boolean
  readonly canDelete: boolean
}

/** The cards for administrators, and for users with permission to delete the server. */
export function AdminPanel({ server, isAdmin, canDelete }: AdminPanelProps) {
  const t = useT()
  return (
    <SimpleGrid cols={{ base: 1, md: isAdmin ? 2 : 1 }} p={{ base: 'sm', sm: 0 }} style={{ alignItems: 'start' }}>
      {isAdmin && <StartAndRecovery id={server.id} />}
      {isAdmin && <LimitsCard server={server} />}
      <Paper>
        <CardHeader title={t('server.AdminDefinition')} />
        {isAdmin && <EditDefinition server={server} />}
        {isAdmin && <ReloadFromDisk id={server.id} />}
        {canDelete && <DeleteServer server={server} />}
      </Paper>
    </SimpleGrid>
  )
}
