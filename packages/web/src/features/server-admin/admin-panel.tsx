import type { ServerView } from '@innkeeper/contract/servers'
import { Paper, SimpleGrid } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { EditDefinition, ReloadFromDisk } from './definition-actions.tsx'
import { LimitsCard } from './limits-card.tsx'
import { StartAndRecovery } from './start-and-recovery.tsx'

/** The cards for administrators. */
export function AdminPanel({ server }: { server: ServerView }) {
  const t = useT()
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} p={{ base: 'sm', sm: 0 }} style={{ alignItems: 'start' }}>
      <StartAndRecovery id={server.id} />
      <LimitsCard server={server} />
      <Paper>
        <CardHeader title={t('server.AdminDefinition')} />
        <EditDefinition server={server} />
        <ReloadFromDisk id={server.id} />
      </Paper>
    </SimpleGrid>
  )
}
