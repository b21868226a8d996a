import { listActivity } from '@innkeeper/contract/activity/activity'
import { Anchor, Divider, Group, Paper, Text } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { getActionLabel, getTargetName } from '../../features/activity/messages.ts'
import { NotificationList } from '../../features/notifications/notification-list.tsx'
import { useNotifications } from '../../features/notifications/use-notifications.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useLastVisit } from './use-last-visit.ts'

const maxActions = 8
const dayMs = 24 * 60 * 60_000

/** What happened since the last visit of the user: problems, for administrators also what was done. */
export function RecentCard() {
  const t = useT()
  const { list } = useFormatters()
  const isAdmin = useCan('servers.admin')
  const lastVisit = useLastVisit()
  const [dayAgo] = useState(() => new Date(Date.now() - dayMs).toISOString())
  const since = lastVisit ?? dayAgo
  const notifications = useNotifications().data?.filter(({ at, endedAt }) => (endedAt ?? at) > since) ?? []
  const activity = useApiQuery(
    listActivity,
    { query: { from: since, page: 1, limit: maxActions } },
    { enabled: isAdmin, meta: { quiet: true } },
  )
  const actions = activity.data?.activity ?? []
  return (
    <Paper component="section" aria-label={t('overview.Since')}>
      <CardHeader title={t('overview.Since')}>
        {isAdmin && (
          <Anchor component={Link} to="/activity" fz="compact">
            {t('overview.AllActivity')}
          </Anchor>
        )}
      </CardHeader>
      {notifications.length === 0 && actions.length === 0 && (
        <EmptyState icon={IconHistory} title={t('overview.SinceNone')} />
      )}
      {notifications.length > 0 && <NotificationList label={t('notifications.Title')} notifications={notifications} />}
      {notifications.length > 0 && actions.length > 0 && <Divider />}
      {actions.length > 0 && (
        <RowList label={t('activity.Title')}>
          {actions.map((entry) => (
            <Group component="li" key={entry.id} gap="xs" px="md" py="xs" justify="space-between" wrap="nowrap">
              <Text fz="compact" miw={0} style={{ overflowWrap: 'anywhere' }}>
                <Text span inherit fw={500}>
                  {entry.user?.username ?? t('activity.NoUser')}
                </Text>{' '}
                {getActionLabel(t, entry.action)}{' '}
                <Text span inherit c="dimmed">
                  {getTargetName(t, { list }, entry)}
                </Text>
              </Text>
              <Text variant="note" flex="none">
                <RelativeTime time={entry.at} />
              </Text>
            </Group>
          ))}
        </RowList>
      )}
    </Paper>
  )
}
