import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { Anchor, Divider, Group, Paper, Text } from '@mantine/core'
import { IconCircleCheck, IconPlugConnected } from '@tabler/icons-react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { NotificationList } from '../../features/notifications/notification-list.tsx'
import { useNotifications } from '../../features/notifications/use-notifications.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

/** Problems that last, and nodes that have never connected, each with the way to what can be done. */
export function AttentionCard() {
  const t = useT()
  const canSeeNodes = useCan('nodes.view')
  const notifications = useNotifications()
  const nodes = useApiQuery(listNodes, {}, { enabled: canSeeNodes, meta: { quiet: true } })
  const waiting = nodes.data?.filter(({ health }) => health?.state === 'waiting') ?? []
  return (
    <Paper component="section" aria-label={t('overview.Attention')}>
      <CardHeader title={t('overview.Attention')} />
      {waiting.length > 0 && (
        <RowList label={t('shell.Nodes')}>
          {waiting.map(({ id, name }) => (
            <Group component="li" key={id} gap="sm" px="md" py="sm" wrap="nowrap" align="flex-start">
              <IconPlugConnected size={18} style={{ flex: 'none' }} aria-hidden />
              <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                <Text fw={500}>{t('overview.NodeWaiting', { name })}</Text>
                <Anchor component={Link} to={`/node/${id}`} fz="compact">
                  {t('overview.NodeWaitingNext')}
                </Anchor>
              </div>
            </Group>
          ))}
        </RowList>
      )}
      <QueryState
        query={notifications}
        errorTitle={t('overview.AttentionLoadFailed')}
        isEmpty={(all) => waiting.length === 0 && all.every(({ endedAt }) => endedAt !== undefined)}
        empty={<EmptyState icon={IconCircleCheck} title={t('overview.AttentionNone')} />}
      >
        {(all) => {
          const open = all.filter(({ endedAt }) => endedAt === undefined)
          return (
            open.length > 0 && (
              <>
                {waiting.length > 0 && <Divider />}
                <NotificationList label={t('overview.Attention')} notifications={open} />
              </>
            )
          )
        }}
      </QueryState>
    </Paper>
  )
}
