import type { Notification } from '@innkeeper/contract/alerts/notifications'
import { Anchor, Group, Text } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { Trans } from 'react-i18next'
import { Link } from 'react-router'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { getNotificationPath } from './use-notifications.ts'

interface NotificationListProps {
  readonly label: string
  readonly notifications: readonly Notification[]
  readonly isUnread?: (notification: Notification) => boolean
  /** Called before a notification is opened. */
  readonly onOpen?: () => void
}

/** Problems as rows that lead to where something can be done about them. */
export function NotificationList({ label, notifications, isUnread, onOpen }: NotificationListProps) {
  const t = useT()
  return (
    <RowList label={label}>
      {notifications.map((notification) => {
        const { id, type, at, endedAt, server, node } = notification
        const name = server?.name ?? node?.name
        return (
          <Group component="li" key={id} gap="sm" px="md" py="sm" wrap="nowrap" align="flex-start">
            {endedAt === undefined ? (
              <IconAlertTriangle size={18} color="var(--ik-warning)" style={iconStyle} aria-hidden />
            ) : (
              <IconCircleCheck size={18} color="var(--ik-online)" style={iconStyle} aria-hidden />
            )}
            <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
              <Anchor
                component={Link}
                to={getNotificationPath(notification)}
                c="var(--ik-text)"
                fw={isUnread?.(notification) ? 600 : 500}
                {...(onOpen && { onClick: onOpen })}
              >
                {name === undefined
                  ? t(`alerts.On_${type}`)
                  : t('notifications.About', { problem: t(`alerts.On_${type}`), name })}
              </Anchor>
              <Text variant="note">
                <Trans
                  i18nKey={endedAt === undefined ? 'notifications.Since' : 'notifications.Ended'}
                  components={{ time: <RelativeTime time={at} />, end: <RelativeTime time={endedAt ?? at} /> }}
                />
              </Text>
            </div>
          </Group>
        )
      })}
    </RowList>
  )
}

const iconStyle = { flex: 'none', marginBlockStart: 1 }
